"""Product code asks nobody for the time but its Clock, evaluates no text and swallows no error."""

import pytest

from tests.architecture.gates import GATES, broken
from tests.architecture.language import RULES
from tests.architecture.planting import line_in, planted, plants

VIOLATIONS = {
    "Time, chance and names are injected": [
        line_in("infra.local.storage", "import time\nSTARTED = time.monotonic()"),
        line_in("infra.local.storage", "from time import time as clock\nSTARTED = clock()"),
        line_in("shared.domain.ids", "from datetime import UTC, datetime\nNOW = datetime.now(UTC)"),
        line_in("shared.domain.ids", "import datetime as dates\nTODAY = dates.date.today()"),
        line_in("shared.domain.ids", "from uuid import uuid4\nmake = uuid4"),
        line_in("shared.domain.ids", "import random\nPIN = random.randint(0, 9)"),
        line_in("shared.domain.ids", "import secrets\nTOKEN = secrets.token_bytes(16)"),
        line_in("edge_agent.console.pages", "import os\nTOKEN = os.urandom(16)"),
    ],
    "Code is not made of text": [
        line_in("infra.local.storage", "TWO = eval('1 + 1')"),
        line_in("functions.upkeep.main", "exec('TWO = 2')"),
    ],
    "Modules are loaded by name in few places": [
        line_in("infra.cli.main", "import importlib\nAPI = importlib.import_module('shared.domain.ids.api')"),
        line_in(
            "shared.usecases.issue_key",
            "from importlib import import_module as load\nCLI = load('infra.cli')",
        ),
    ],
    "Errors are not swallowed": [
        line_in("infra.local.storage", "try:\n    OPEN = 1\nexcept:\n    pass"),
        {"tests/e2e/test_stay.py": "try:\n    import edge_agent\nexcept:\n    pass"},
    ],
}
ALLOWED = line_in(
    "infra.local.ambient", "import random, secrets\nPIN = random.random(), secrets.token_hex(4)"
) | {
    "shared/kernel/ambient.py": "import secrets, time\nNOW = time.time_ns(), secrets.token_bytes(8)",
    "infra/local/simulation.py": "import random\nSEEDED = random.Random(7).random()",
    "shared/vendor_kit/registry.py": "from importlib import import_module as load\nload('shared.vendors')",
    "infra/bench/__init__.py": "import time\nSTARTED = time.perf_counter()",
    "shared/kernel/identity.py": "import uuid\nNAME = uuid.UUID(int=1)",
    "tests/e2e/test_stay.py": "import time\nSTARTED = time.monotonic()",
}


@pytest.mark.parametrize("gate", RULES)
def test_tree_keeps_to_the_language(tree, gate):
    assert list(GATES[gate](tree)) == []


def test_every_rule_has_a_violation():
    assert list(VIOLATIONS) == [*RULES]


@pytest.mark.parametrize("plant", plants(VIOLATIONS), ids=str)
def test_banned_expression_is_caught_by_its_gate_alone(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert list(broken(tree)) == [plant.gate]


@pytest.mark.parametrize("plant", plants({"none": [ALLOWED]}), ids=str)
def test_the_machine_may_be_asked_where_that_is_the_job(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert broken(tree) == {}
