"""The whole demo, in order; each scene stands on those before it."""

from typing import Final

from infra.cli.demo.scenes_arrival import BAD_DAY, EMPTY_FOLDER, KILL
from infra.cli.demo.scenes_departure import DEPARTURE, TOLD_THE_WORLD
from infra.cli.demo.scenes_desk import FRONT_DESK
from infra.cli.demo.scenes_evidence import EVIDENCE
from infra.cli.demo.scenes_guest import GUEST
from infra.cli.demo.scenes_heard import HEARD
from infra.cli.demo.scenes_key import DOORS, NO_KEY, ONE_KEY
from infra.cli.demo.scenes_staff import STAFF

# The evidence moves the fleet's clock to the next day, which is not the clock of the desk's machine.
SCENES: Final = (
    EMPTY_FOLDER,
    BAD_DAY,
    KILL,
    ONE_KEY,
    DOORS,
    HEARD,
    GUEST,
    NO_KEY,
    DEPARTURE,
    TOLD_THE_WORLD,
    STAFF,
    FRONT_DESK,
    EVIDENCE,
)
