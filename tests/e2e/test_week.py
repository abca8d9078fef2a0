"""keyfleet demo --week: a whole fleet, simulated doors, and a week by the clock on the hotel's wall."""

import pytest

from infra.cli.demo.week import WHY_NOT, played
from infra.cli.demo.week_story import MOMENTS
from infra.cli.polling import Patience


@pytest.mark.soak
def test_every_moment_of_the_week_holds_at_the_doors_and_its_events_are_named():
    claims, seen = played(Patience())
    assert [(claim.name, dict(claim.seen)) for claim in claims if not claim.held] == []
    assert [claim.name for claim in claims] == [moment.name for moment in MOMENTS]
    assert seen["lacking"] == WHY_NOT, "what B §2 has us produce is told, or it is said why it is not"
