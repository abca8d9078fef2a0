"""Documents refer to what exists, and decisions are numbered, dated, complete and listed."""

import pytest

from tests.architecture.documents import RULES
from tests.architecture.gates import GATES, broken
from tests.architecture.planting import DECISION, planted, plants

VIOLATIONS = {
    "References in documents lead somewhere": [
        {"README.md": "See [the runbook](infra/runbooks/keys.md#revoke)."},
        {"infra/README.md": "See [the pins](requirements.txt)."},
        {"README.md": "The engine is in `infra/local/engine.py`."},
    ],
    "Decisions are whole": [
        {"infra/decisions/0001-one-gate.md": DECISION.replace("Date: 2026-11-18. ", "")},
        {"infra/decisions/0001-one-gate.md": DECISION.replace("## Consequences", "")},
        {"infra/decisions/0002-two-gates.md": DECISION.replace("0001", "0002")},
        {
            "infra/decisions/0001-two-gates.md": DECISION,
            "infra/decisions/README.md": "[One](0001-one-gate.md) [Two](0001-two-gates.md)",
        },
    ],
}
ELSEWHERE = {
    "infra/README.md": "[Out](https://example.org/keys) [here](#keys) [up](../README.md) `shared/<name>/x.py`"
}


@pytest.mark.parametrize("gate", RULES)
def test_tree_keeps_its_documents_true(tree, gate):
    assert list(GATES[gate](tree)) == []


def test_every_rule_has_a_violation():
    assert list(VIOLATIONS) == [*RULES]


@pytest.mark.parametrize("plant", plants(VIOLATIONS), ids=str)
def test_broken_reference_is_caught_by_its_gate_alone(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert list(broken(tree)) == [plant.gate]


@pytest.mark.parametrize("plant", plants({"none": [ELSEWHERE]}), ids=str)
def test_references_out_of_the_repository_are_left_alone(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert broken(tree) == {}
