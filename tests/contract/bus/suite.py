"""What every event bus promises, each guarantee in a test of its name; any implementation can be put in."""

from tests.contract.bus.dead_letters import DeadLettering
from tests.contract.bus.determinism import Determinism
from tests.contract.bus.durability import Durability
from tests.contract.bus.filtering import Filtering
from tests.contract.bus.keeping import Keeping
from tests.contract.bus.ordering import Ordering
from tests.contract.bus.publishing import Publishing
from tests.contract.bus.pushing import Pushing


class BusContract(Publishing, Pushing, Ordering, Durability, Filtering, DeadLettering, Keeping, Determinism):
    """The guarantees of design §6 and facts §4."""
