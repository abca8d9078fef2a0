"""Modules and functions stay small: measured on every product file, with no exceptions."""

import pytest

from tests.architecture.gates import GATES, broken
from tests.architecture.planting import planted, plants
from tests.architecture.sizes import EXEMPT, RULES


def functions(count, lines):
    """Return the text of some functions of a length."""
    return "".join(f"def show_{lines}_{n}():\n" + "    print()\n" * (lines - 1) for n in range(count))


SMALL = functions(20, lines=2)
VIOLATIONS = {
    "No module is over 300 lines": [
        {"shared/usecases/ledger.py": "A = 1\n" * 301},
        {"edge_agent/hardware/codes.py": "A = 1\n" * 301},
        {"infra/verifier/__init__.py": "", "infra/verifier/verify_pack.py": "A = 1\n" * 401},
    ],
    "No function is over 40 lines": [
        {"infra/cli/status.py": SMALL + "def show():\n" + "    print()\n" * 40},
        {
            "infra/cli/status.py": SMALL
            + "class Page:\n    async def show(self):\n"
            + "        print()\n" * 40
        },
    ],
    "The median function has at most 8 lines": [
        {"infra/cli/status.py": functions(20, lines=9)},
    ],
    "Nine in ten functions have at most 25 lines": [
        {"infra/cli/status.py": SMALL + functions(4, lines=26)},
    ],
}
AT_THE_LIMIT = {
    "shared/usecases/ledger.py": "A = 1\n" * 300,
    "infra/verifier/__init__.py": "",
    "infra/verifier/verify_pack.py": "A = 1\n" * 400,
    "infra/cli/status.py": SMALL + 'def show():\n    """Say\n\n    much.\n    """\n' + "    print()\n" * 39,
}


@pytest.mark.parametrize("gate", RULES)
def test_tree_keeps_the_size(tree, gate):
    assert list(GATES[gate](tree)) == []


def test_nothing_is_exempt():
    assert EXEMPT == ()


def test_every_rule_has_a_violation():
    assert list(VIOLATIONS) == [*RULES]


@pytest.mark.parametrize("plant", plants(VIOLATIONS), ids=str)
def test_oversize_is_caught_by_its_gate_alone(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert list(broken(tree)) == [plant.gate]


@pytest.mark.parametrize("plant", plants({"none": [AT_THE_LIMIT]}), ids=str)
def test_a_size_at_the_limit_passes_and_docstrings_do_not_count(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert broken(tree) == {}
