"""The schema of fleet.yaml accepts what the model accepts, and refuses what it refuses."""

import json

import jsonschema_rs
import pytest
from pydantic import ValidationError
from ruamel.yaml import YAML

from infra.codegen.fleet_schema import FLEET, OWNED, fleet_schema, generate
from infra.manifest.load import ROOT
from infra.manifest.model import Family

VALIDATOR = jsonschema_rs.validator_for(fleet_schema())
REAL = sorted((ROOT / "functions").glob("*/fleet.yaml"))
PUBLIC = {"description": "Answers the probe.", "trigger": {"http": "public"}}
INTERNAL = {"description": "Answers the probe.", "trigger": {"http": "internal"}}
SCHEDULED = {"schedule": "7 * * * *"}


def family(descriptor, name="probe-answer"):
    """A fleet.yaml of one function."""
    return {"functions": {name: descriptor}}


ACCEPTED = [
    {"functions": {}},
    family(PUBLIC),
    family(PUBLIC | {"entry_point": None, "secrets": ["lock-ttlock-api"], "opens": ["saga-callback"]}),
    family(INTERNAL | {"callers": ["operator"]}),
    family(PUBLIC | {"trigger": {"queue": True, "max_attempts": -1, "retry": {"minimum": 0.5}}}),
    family(PUBLIC | {"trigger": {"topic": "keys", "filter": 'attributes.kind = "pin"', "ordered": False}}),
    family(PUBLIC | {"trigger": SCHEDULED | {"zone": "Asia/Kabul"}}),
    family(PUBLIC | {"trigger": {"topics": ["keys", "doors"], "ordered": False}}),
    family(PUBLIC | {"trigger": {"topics": "ours:regulated"}}),
    family(PUBLIC | {"trigger": {"http": "people"}}),
    family({"adapter": "salto"}, name="adapter-salto"),
    family({"adapter": "salto", "timeout": 60, "description": "Salto's locks."}, name="adapter-salto"),
    family(PUBLIC | {"cpu": 0.5, "concurrency": 1}),
    family(PUBLIC | {"opens": ["guest-artifact-*"], "seals": ["guest-contact"], "roles": ["sealed"]}),
    family(PUBLIC | {"min_instances": 1, "max_instances": 4, "ingress": "all"}),
    {
        "functions": {},
        "workflows": {"work_on_key": {"description": "Works on a key.", "calls": ["adapters"]}},
    },
    family(PUBLIC | {"trigger": {"service": "public"}}),
    family(PUBLIC | {"trigger": {"service": "internal"}, "callers": ["operator"]}),
]
REFUSED = [
    {},
    [],
    {"functions": {}, "owner": "front desk"},
    family(PUBLIC, name="probe"),
    family(PUBLIC, name="Probe-answer"),
    family(PUBLIC, name="p" * 29),
    family({"trigger": {"http": "public"}}),
    family({"description": "Answers the probe.", "adapter": None}),
    family({"adapter": "Salto"}, name="adapter-salto"),
    family(PUBLIC | {"cpu": 0.5}),
    family(PUBLIC | {"cpu": 9}),
    family(PUBLIC | {"roles": ["everything"]}),
    family(PUBLIC | {"opens": ["*"]}),
    family(PUBLIC | {"ingress": "none"}),
    {"functions": {}, "workflows": {"work-on-key": {"description": "Works on a key."}}},
    {"functions": {}, "workflows": {"work_on_key": {"description": "Works on a key.", "calls": ["x"]}}},
    {"functions": {}, "workflows": {"work_on_key": {"description": "Works on a key.", "log": "everything"}}},
    family(PUBLIC | {"callers": ["Operator"]}),
    family(PUBLIC | {"memory": "256MB"}),
    family(PUBLIC | {"timeout": 0}),
    family(PUBLIC | {"memmory": "256Mi"}),
    family(PUBLIC | {"trigger": {"queue": False}}),
    family(PUBLIC | {"trigger": {"topics": []}}),
    family(PUBLIC | {"trigger": {"topics": "ours:precious"}}),
    family(PUBLIC | {"trigger": {"service": True}}),
    family(PUBLIC | {"trigger": {"topic": "keys", "retry": {"maximum": 601}}}),
    family(PUBLIC | {"trigger": {"topic": "keys", "dead_letter_after": 4}}),
    family(PUBLIC | {"trigger": SCHEDULED | {"queue": True}}),
]


def accepted_by_model(document):
    try:
        Family.model_validate(document)
    except ValidationError:
        return False
    return True


@pytest.mark.parametrize("path", REAL, ids=lambda path: path.parent.name)
def test_schema_and_model_accept_each_family_of_this_repository(path):
    document = YAML(typ="safe", pure=True).load(path.read_text())

    assert VALIDATOR.is_valid(document)
    assert accepted_by_model(document)


@pytest.mark.parametrize("document", ACCEPTED, ids=str)
def test_schema_and_model_accept_alike(document):
    assert (VALIDATOR.is_valid(document), accepted_by_model(document)) == (True, True)


@pytest.mark.parametrize("document", REFUSED, ids=str)
def test_schema_and_model_refuse_alike(document):
    assert (VALIDATOR.is_valid(document), accepted_by_model(document)) == (False, False)


def test_schema_is_itself_a_schema():
    assert jsonschema_rs.meta.is_valid(fleet_schema())


def test_generator_writes_one_file_which_it_owns():
    files = generate()

    assert [str(path) for path in files] == list(OWNED)
    assert json.loads(files[FLEET]) == fleet_schema()
