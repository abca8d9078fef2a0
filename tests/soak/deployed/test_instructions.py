"""What an entry executes before its first call of Google, beside the bare framework: counted, and not timed.

A count of instructions is the same on a busy machine; seconds of CPU are told by `test_deployed`.
"""

import pytest

from tests.soak.deployed.installed import FLEET, NEEDS_COUNTER, environment_of
from tests.support.once import made_once

pytestmark = [pytest.mark.soak, pytest.mark.timeout(900), NEEDS_COUNTER]
MOST_TIMES = 1.35

FIRST = {row["family"]: name for name, row in reversed(FLEET["functions"].items())}
OTHERWISE = {"backoffice-feed", "edge-gateway", "message-status"}
"""Those whose door is another than that of their family, by which they once loaded far more."""
COUNTED = {*FIRST.values(), *OTHERWISE}
"""One of each family is counted in soak, where a count takes seven seconds; all others by `make stress`."""


@pytest.fixture(scope="module")
def bare(deployed, tmp_path_factory):
    """What the framework's emptiest function executes: counted once a run."""

    def count(root):
        nothing = deployed.bare(root)
        _, taken = nothing.instructions("nothing", "nothing", root / "n", FUNCTION_USE_ASGI="true")
        (root / "taken").write_text(str(taken))

    return int((made_once(tmp_path_factory, "bare", count) / "taken").read_text())


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=[] if name in COUNTED else [pytest.mark.stress])
        for name in FLEET["functions"]
    ],
)
def test_an_entry_executes_little_more_than_the_framework_before_it_calls_google(
    name, deployed, bare, tmp_path
):
    entry = FLEET["functions"][name]["entry_point"]
    status, taken = deployed.instructions(name, entry, tmp_path / "n", **environment_of(name))
    assert 400 <= status < 500
    assert taken <= MOST_TIMES * bare, f"{name}: {taken / bare:.2f} times the framework"
