"""What a plan reads from the code: alerts with their pages, collections wherever they are named."""

import pytest

from infra.codegen.fleet_plan import fleet_plan
from infra.manifest.load import ROOT
from infra.manifest.plan.alerts import alerts, faults, raised
from infra.manifest.plan.checks import faults_in
from infra.manifest.plan.named_collections import Named, named_collections

NAMED = {
    "literally": 'from shared.ports.documents import Ref\nPLACE = Ref("doors", "1")',
    "by a constant": 'DOORS: Final = "doors"\nPLACE = Ref(DOORS, "1")',
    "by one of several constants": 'DOORS, OF_TENANT = "doors", "tenant"\nPLACE = Ref(DOORS, OF_TENANT)',
    "by another module's constant": 'from shared.ledger.words import DOORS\nPLACE = Ref(DOORS, "1")',
    "by another's under a name of its own": 'from shared.ledger.words import DOORS as D\nPLACE = Ref(D, "1")',
    "in an index": 'BY_ROOM: Final = Index("doors", ("room",), "id")',
}


@pytest.fixture
def tree(tmp_path):
    """Write modules below a root."""

    def write(**modules):
        for name, text in {"words": 'DOORS: Final = "doors"', **modules}.items():
            path = tmp_path / "shared" / "ledger" / f"{name}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return tmp_path

    return write


@pytest.mark.parametrize("text", NAMED.values(), ids=list(NAMED))
def test_a_collection_is_found_however_it_is_named(tree, text):
    assert {each.collection for each in named_collections(tree(place=text))} == {"doors"}


def test_what_is_only_handed_on_names_no_collection(tree):
    text = 'def at(collection, id):\n    return Ref(collection, id)\nFAR = Ref(index.collection, "1")'
    assert named_collections(tree(place=text)) == ()


def test_a_collection_that_is_not_listed_is_said_with_its_place(tree):
    root = tree(place='PLACE = Ref("doors", "1")')
    (said,) = [fault for fault in faults_in(fleet_plan(), root) if "collection" in fault]
    assert said == "shared.ledger.place:1: collection doors is not in shared/ports/collections.py: list it"


def test_the_collections_of_this_repository_are_found():
    found = named_collections(ROOT)
    assert {"credentials", "grants", "reservations", "key_secrets", "probes"} <= {
        each.collection for each in found
    }
    assert all(isinstance(each, Named) and ":" in each.place for each in found)


def test_a_workflow_without_descriptor_and_a_descriptor_without_file_are_said(tree):
    root = tree()
    (root / "workflows").mkdir()
    (root / "workflows" / "walk_doors.yaml").write_text("main: {}")
    said = "\n".join(faults_in(fleet_plan(), root))
    assert "workflows/walk_doors.yaml: describe it" in said
    assert "workflow probe_platform: no such file" in said


ERROR = 'class KeyLost(LockError):\n    code = "KEY_LOST"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('log.alert("a door melted", runbook="lock/door")', "a door melted"),
        (f'{ERROR}log.alert(KeyLost.code, runbook="lock/door")', "KEY_LOST"),
    ],
    ids=["words", "code"],
)
def test_an_alert_is_found_with_its_page(tree, text, message):
    root = tree(place=text)
    (root / "infra" / "runbooks" / "lock").mkdir(parents=True)
    (root / "infra" / "runbooks" / "lock" / "door.md").write_text("# A door melted")
    found = raised(root)
    assert list(faults(found, root)) == []
    assert alerts(found) == {message: {"severity": "ALERT", "runbook": "infra/runbooks/lock/door.md"}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("log.alert(words, runbook='lock/door')", "write what it says as a literal"),
        ("log.alert('a door melted')", "without a page"),
        ("log.alert('a door melted', runbook=page)", "name its runbook as a literal"),
        ("log.alert('a door melted', runbook='lock/door')", "write infra/runbooks/lock/door.md"),
    ],
    ids=["unreadable", "pageless", "any page", "no page"],
)
def test_an_alert_that_helps_nobody_is_said_with_its_place(tree, text, said):
    root = tree(place=text)
    found = list(faults(raised(root), root))
    assert any(fault.startswith("shared/ledger/place.py:1: ") and said in fault for fault in found)
