"""Functions, descriptors and workflows name each other rightly."""

import pytest

from tests.architecture.fleet import RULES
from tests.architecture.gates import GATES, broken
from tests.architecture.planting import FLEET, SAGA, line_in, planted, plants

VIOLATIONS = {
    "Function families are whole": [
        {"functions/staff_events/__init__.py": "", "functions/staff_events/main.py": ""},
        {"functions/staff_events/__init__.py": "", "functions/staff_events/fleet.yaml": "functions: {}"},
    ],
    "Manifests load": [
        {"functions/upkeep/fleet.yaml": "functions: ["},
        {"functions/upkeep/fleet.yaml": FLEET.replace("internal", "everybody")},
        {"functions/vendor_webhooks/fleet.yaml": FLEET},
    ],
    "Entry points and descriptors agree": [
        {"functions/upkeep/main.py": "import shared.runtime.entry"},
        line_in(
            "functions.upkeep.main",
            "from shared.runtime.entry import step\n\n@step\nasync def probe_start(): ...",
        ),
    ],
    "Entries fit their triggers": [
        {"functions/upkeep/fleet.yaml": FLEET.replace("internal", "public")},
        {"functions/upkeep/fleet.yaml": FLEET.replace("{http: internal}", "{service: internal}")},
        {"functions/upkeep/main.py": "from shared.runtime.entry import api\n\n@api\ndef probe_answer(): ..."},
    ],
    "Callers exist": [{"functions/upkeep/fleet.yaml": FLEET.replace("operator", "nobody")}],
    "Workflows are named in snake_case and load": [
        {"workflows/issue-key.yaml": SAGA.replace('+ "/probe-answer"', "")},
        {"workflows/issue_key.yaml": "main: ["},
        {"workflows/issue_key.yaml": "main: {steps: [{ask: {next: nowhere}}]}"},
    ],
    "Workflows may call what they call": [
        {"workflows/issue_key.yaml": SAGA},
        {"workflows/probe_platform.yaml": SAGA.replace("probe-answer", "probe-reply")},
    ],
}


@pytest.mark.parametrize("gate", RULES)
def test_tree_keeps_its_fleet_in_order(tree, gate):
    assert list(GATES[gate](tree)) == []


def test_every_rule_has_a_violation():
    assert list(VIOLATIONS) == [*RULES]


@pytest.mark.parametrize("plant", plants(VIOLATIONS), ids=str)
def test_mismatch_is_caught_by_its_gate_alone(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert list(broken(tree)) == [plant.gate]
