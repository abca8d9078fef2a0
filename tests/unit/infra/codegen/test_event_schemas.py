import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from jsonschema_rs import Draft202012Validator, meta

from infra.codegen.event_schemas import catalogue, generate
from shared.events.catalogue import CATALOGUE
from shared.events.subject import Direction

FILES = {path.name: text for path, text in generate().items()}


def test_every_subject_has_a_schema_file_named_after_it_and_there_is_a_catalogue():
    expected = {f"{subject}.json" for subject in CATALOGUE} | {"catalogue.json"}
    assert set(FILES) == expected
    assert {path.parent for path in generate()} == {Path("schemas")}


@pytest.mark.parametrize("subject", CATALOGUE)
def test_schema_is_valid_against_its_dialect(subject):
    schema = json.loads(FILES[f"{subject}.json"])
    assert schema["$schema"].endswith("2020-12/schema")
    meta.validate(schema)


@pytest.mark.parametrize("subject", CATALOGUE)
def test_schema_is_closed_where_we_produce_and_open_where_we_consume(subject):
    schema = json.loads(FILES[f"{subject}.json"])
    produced = CATALOGUE[subject].direction is Direction.PRODUCED
    assert schema.get("additionalProperties", True) is not produced


def test_optional_fields_are_absent_rather_than_null():
    schema = json.loads(FILES["melmastoon.lock.credential.issued.v1.json"])
    scope = schema["$defs"]["CredentialIssuedV1"]["properties"]["scope"]
    assert scope == {"$ref": "#/$defs/Scope"}
    assert "scope" not in schema["$defs"]["CredentialIssuedV1"]["required"]


def test_a_field_that_may_be_null_says_so():
    schema = json.loads(FILES["melmastoon.lock.audit.attempt.v1.json"])
    deny = schema["$defs"]["AuditAttemptV1"]["properties"]["denyReason"]
    assert {"type": "null"} in deny["anyOf"]
    assert "denyReason" in schema["$defs"]["AuditAttemptV1"]["required"]


def test_rules_between_fields_are_in_the_schema():
    schema = json.loads(FILES["melmastoon.lock.credential.issued.v1.json"])
    payload = {"$ref": "#/$defs/CredentialIssuedV1", "$defs": schema["$defs"]}
    errors = Draft202012Validator(payload).iter_errors({"holderKind": "staff"})
    assert any("staffUserId" in error.message for error in errors)


def test_catalogue_file_says_of_a_subject_what_the_catalogue_says():
    document = catalogue()
    entries = {entry["subject"]: entry for entry in document["subjects"]}
    assert entries["melmastoon.lock.credential.issued.v1"] == {
        "subject": "melmastoon.lock.credential.issued.v1",
        "direction": "produced",
        "topic": "melmastoon.lock.credential.issued.v1",
        "producer": "lock-integration-service",
        "consumers": ["notification-service", "audit-service", "analytics-service", "sync-service"],
        "retention": "regulated",
        "merkleAnchored": True,
        "idempotency": None,
        "extension": False,
        "schema": CATALOGUE["melmastoon.lock.credential.issued.v1"].schema_url,
    }
    assert entries["melmastoon.lock.credential.issued.local.v1"]["topic"] is None
    assert entries["melmastoon.reservation.booking.confirmed.v1"]["idempotency"] == "issue"
    assert document["aliases"]["reservation.confirmed.v1"] == "melmastoon.reservation.booking.confirmed.v1"


@pytest.mark.parametrize("seed", ["0", "1", "random"])
def test_generating_is_deterministic_whatever_the_hash_seed(seed):
    script = (
        "import hashlib; from infra.codegen.event_schemas import generate;"
        "print(hashlib.sha256(repr(sorted((str(p), t) for p, t in generate().items())).encode()).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    run = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    here = repr(sorted((str(path), text) for path, text in generate().items())).encode()
    assert run.stdout.strip() == hashlib.sha256(here).hexdigest()
