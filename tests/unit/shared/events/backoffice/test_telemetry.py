"""Telemetry is what document C says, to the field, and nothing that could name a guest fits into it."""

import copy
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from infra.codegen.telemetry_schemas import generate, problems, release
from shared.events.backoffice.catalogue import TELEMETRY
from shared.events.backoffice.envelope import encode_telemetry, telemetry_model
from shared.events.codec import refusing
from shared.events.errors import InvalidEvent

SPEC = """
session.opened.v1 session 1.0 regulated 2557
session.closed.v1 session 1.0 regulated 2557
dashboard.viewed.v1 activity 0.25 operational 90
workbench.opened.v1 activity 0.25 operational 90
ai_suggestion.decided.v1 ai 1.0 regulated 2557
alert.acknowledged.v1 alerts 1.0 audit 365
operator.activity.v1 activity 0.10 operational 90
device.heartbeat.v1 devices 0.05 operational 30
sync.cursor_advanced.v1 sync 1.0 operational 90
sync.handshake_completed.v1 sync 1.0 operational 90
lock.action_proxied.v1 locks 1.0 regulated 2557
"""
ROOT = "melmastoon.bff.backoffice."
PEOPLE = [
    "Ahmad Zahir",
    "احمد ظاهر",
    "ahmad@example.com",
    "+93 70 123 4567",
    "93701234567",
    "۰۷۰۱۲۳۴۵۶۷",
    "48217930",
    "P0123456",
]


def event_of(document: dict[str, Any], subject: str | None = None) -> Any:
    model = telemetry_model(subject or document["envelope"]["subject"])
    with refusing():
        return model.model_validate_json(json.dumps(document))


def test_the_table_is_that_of_the_document():
    told = [row.split() for row in SPEC.strip().splitlines()]
    assert [
        [name.removeprefix(ROOT), row.group, str(row.rate), row.retention, str(row.keep_days)]
        for name, row in TELEMETRY.items()
    ] == [[name, group, str(float(rate)), kept, days] for name, group, rate, kept, days in told]


def test_what_is_kept_for_years_goes_with_the_state_it_tells_of():
    lasting = {row.event for row in TELEMETRY.values() if row.keep_days >= 365}
    assert lasting == {row.event for row in TELEMETRY.values() if row.road == "outbox"}


def test_each_example_of_the_document_is_taken_and_comes_out_as_it_was(document):
    assert json.loads(encode_telemetry(event_of(document))) == document


def test_each_example_satisfies_its_committed_schema(event, document):
    registry = Path("schemas/bff-backoffice")
    payload = json.loads((registry / TELEMETRY[ROOT + event].schema_path).read_text())
    envelope = json.loads((registry / "envelope/v1.json").read_text())
    Draft202012Validator(payload).validate(document["payload"])
    Draft202012Validator(envelope).validate(document["envelope"])


def _texts(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every text that a schema lets in."""
    if node.get("type") == "string":
        yield node
    inner = [*node.get("properties", {}).values(), *node.get("$defs", {}).values()]
    inner += [*node.get("anyOf", ()), *node.get("patternProperties", {}).values()]
    for each in [*inner, *([node["items"]] if "items" in node else ())]:
        yield from _texts(each)


@pytest.mark.parametrize("path", [path for path in generate() if path.name != "telemetry.json"], ids=str)
def test_no_schema_has_room_for_free_text(path):
    schema = json.loads(generate()[path])
    texts = list(_texts(schema))
    assert texts
    for text in texts:
        assert "pattern" in text or "enum" in text or "const" in text, text
        allowed = text.get("enum", [text["const"]] if "const" in text else None)
        for name in PEOPLE:
            fits = name in allowed if allowed else re.search(text["pattern"], name)
            assert not fits, (name, text)


def _leaves(node: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _leaves(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _leaves(value, (*path, index))
    else:
        yield path


def _with(document: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    changed = copy.deepcopy(document)
    node: Any = changed
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return changed


def test_a_name_a_telephone_or_a_pin_in_any_field_is_refused_and_not_repeated(document):
    for path in _leaves(document):
        for name in PEOPLE:
            with pytest.raises(InvalidEvent) as refused:
                event_of(_with(document, path, name), document["envelope"]["subject"])
            assert name not in str(refused.value)


@pytest.mark.parametrize("part", ["envelope", "payload"])
def test_a_field_nobody_knows_is_refused(document, part):
    with pytest.raises(InvalidEvent):
        event_of(_with(document, (part, "guestName"), "x_1"))


def test_no_payload_tells_of_another_tenant_than_its_envelope(document):
    inner = next((field for field in ("tenantId", "operatorId") if field in document["payload"]), None)
    assert inner is not None
    with pytest.raises(InvalidEvent):
        event_of(_with(document, ("payload", inner), f"{document['payload'][inner]}x"))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("version", 2),
        ("schemaUri", "https://schemas.melmastoon.ghasi.io/bff-backoffice/other/v1.json"),
        ("retentionClass", "audit2"),
        ("samplingRate", 1.01),
        ("publishedAt", "2026-04-23T09:14:22.040Z"),
        ("producer", "lock-integration-service"),
        ("subject", "melmastoon.bff.backoffice.unknown.v1"),
    ],
)
@pytest.mark.parametrize("event", ["dashboard.viewed.v1"], indirect=True)
def test_an_envelope_that_is_not_its_subjects_is_refused(document, field, value):
    event_of(document)
    subject = document["envelope"]["subject"]
    broken = _with(document, ("envelope", field), value)
    with pytest.raises(InvalidEvent), refusing():
        telemetry_model(subject).model_validate_json(json.dumps(broken))


def test_a_released_schema_gains_optional_fields_and_changes_in_no_other_way(tmp_path):
    for path, text in release().items():
        target = tmp_path / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)
    assert problems(tmp_path) == []
    frozen = tmp_path / "schemas/released/bff-backoffice/dashboard-viewed/v1.json"
    schema = json.loads(frozen.read_text())
    schema["properties"]["tone"] = {"type": "boolean"}
    frozen.write_text(json.dumps(schema))
    (frozen.parent / "v9.json").write_text("{}")
    assert [problem.partition(": ")[2].partition(".")[0] for problem in problems(tmp_path)] == [
        "tone was removed",
        "a released version is gone",
    ]


def test_every_subject_has_a_committed_and_a_released_schema():
    for row in TELEMETRY.values():
        for registry in ("schemas/bff-backoffice", "schemas/released/bff-backoffice"):
            assert (Path(registry) / row.schema_path).exists()
