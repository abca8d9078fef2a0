"""The next vendor edits no central file, and costs no more than a plain one may."""

import pytest

from tests.architecture.gates import GATES, broken
from tests.architecture.planting import planted, plants
from tests.architecture.vendors import BUDGETS, MAY_NAME, PLAIN, RULES, sizes_of, vendors_of, wires_of

LONG = "A = 1\n" * 300
VIOLATIONS = {
    "Vendors are named in their own folders only": [
        {"shared/usecases/issue_key.py": 'LOCKS = "ttlock"'},
        {"shared/domain/policy.py": "salto_keys = False"},
        {"infra/cli/sim.py": "class TTLockSimulator: ..."},
        {"infra/cli/sim.py": "# only Salto does that"},
        {"infra/cli/sim.py": "from infra.simulators.ttlock import app"},
        {"shared/vendors/salto/api.py": "# as at TTLock"},
        {"workflows/probe_platform.yaml": "# adapter-ttlock\nmain: {steps: [{done: {return: 1}}]}"},
        {"infra/runbooks/lock/key.md": "Ask Salto."},
    ],
    "Vendors keep their budgets": [
        {
            "shared/vendors/salto/a.py": LONG,
            "shared/vendors/salto/b.py": LONG,
            "shared/vendors/salto/c.py": "B = 1",
        },
        {f"infra/simulators/ttlock/{name}.py": LONG for name in "abcdefghi"},
        {f"infra/simulators/encoders/{name}.py": LONG for name in ("__init__", "a", "b")},
        {f"shared/vendors/ttlock/{name}.py": LONG for name in "abcde"},
    ],
}
ALLOWED = {
    "shared/vendors/salto/api.py": 'import shared.vendor_kit.registry\n\nSALTO = "salto"',
    "edge_agent/console/pages.py": "import shared.vendors.ttlock.wire",
    "infra/decisions/0002-salto.md": "# 0002. Salto\n\nDate: 2026-11-18. Status: accepted.\n\n## Context\n",
}


@pytest.mark.parametrize("gate", RULES)
def test_tree_keeps_the_vendor_rules(tree, gate):
    assert list(GATES[gate](tree)) == []


def test_budgets_are_of_vendors_that_there_are_and_printed(tree):
    assert BUDGETS.keys() <= set(vendors_of(tree))
    assert "encoders" in wires_of(tree)
    for vendor, sizes in sizes_of(tree).items():
        adapter, simulator = BUDGETS.get(vendor, PLAIN)
        print(f"{vendor}: adapter {sizes[0]} of {adapter} lines, simulator {sizes[1]} of {simulator}")  # noqa: T201


def test_exemptions_are_of_files_that_there_are(tree):
    assert all(any(path.startswith(exempt) for path in tree.files) for exempt in MAY_NAME)


def test_every_rule_has_a_violation():
    assert list(VIOLATIONS) == [*RULES]


@pytest.mark.parametrize("plant", plants(VIOLATIONS), ids=str)
def test_a_vendor_out_of_place_is_caught_by_its_gate_alone(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert list(broken(tree)) == [plant.gate]


@pytest.mark.parametrize("plant", plants({"none": [ALLOWED]}), ids=str)
def test_what_vendors_may_say_of_themselves_passes(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert [name for name in RULES if list(GATES[name](tree))] == []
