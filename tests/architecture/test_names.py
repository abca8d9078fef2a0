"""Names say what things are, and tests lie where their subject lies."""

import pytest

from tests.architecture.gates import GATES, broken
from tests.architecture.names import RULES
from tests.architecture.planting import planted, plants

VIOLATIONS = {
    "Modules are named from the domain": [
        {"shared/usecases/utils.py": ""},
        {"infra/local/common/__init__.py": ""},
        {"tests/contract/documents/helpers.py": ""},
    ],
    "Unit tests mirror the tree": [
        {"tests/unit/shared/doman/test_ids.py": ""},
        {"tests/unit/shared/domain/keys/test_ids.py": ""},
        {"tests/unit/test_ids.py": ""},
    ],
    "Tests are no packages": [{"tests/unit/shared/__init__.py": ""}],
    "Tests always run": [
        {"tests/e2e/test_stay.py": "import pytest\n\n@pytest.mark.skip\ndef test_stay():\n    assert 1"},
        {"tests/e2e/test_stay.py": "import pytest\n\n@pytest.mark.xfail(strict=True)\ndef test_stay(): ..."},
        {"tests/e2e/test_stay.py": "import pytest\n\npytest.importorskip('google')"},
    ],
}
MIRRORS = {
    "tests/unit/shared/domain/ids/test_prefixes.py": "",
    "tests/unit/shared/domain/test_lifecycle_of_an_id.py": "",
    "tests/unit/infra/test_cli.py": "",
    "tests/emulators/installed.py": "import pytest\n\npytest.skip('the emulator is not installed')",
}


@pytest.mark.parametrize("gate", RULES)
def test_tree_keeps_the_names(tree, gate):
    assert list(GATES[gate](tree)) == []


def test_every_rule_has_a_violation():
    assert list(VIOLATIONS) == [*RULES]


@pytest.mark.parametrize("plant", plants(VIOLATIONS), ids=str)
def test_wrong_name_is_caught_by_its_gate_alone(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert list(broken(tree)) == [plant.gate]


@pytest.mark.parametrize("plant", plants({"none": [MIRRORS]}), ids=str)
def test_a_unit_test_may_lie_in_a_package_s_or_a_module_s_folder(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert broken(tree) == {}
