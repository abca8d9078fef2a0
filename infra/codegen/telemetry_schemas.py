"""The schema registry of C §16: a file an event and version, held to C §17 once released."""

import json
from pathlib import Path
from typing import Final

from pydantic.json_schema import GenerateJsonSchema

from infra.codegen.compatibility import breaking_changes
from infra.codegen.event_schemas import Schema, as_text, without_noise
from shared.events.backoffice.catalogue import DLQ_DEPTH_ALERT, SCHEMA_ROOT, TELEMETRY, Group, Telemetry
from shared.events.backoffice.envelope import TelemetryHead, payload_model
from shared.events.wire import WireModel

REGISTRY: Final = Path("schemas/bff-backoffice")
OWNED: Final = ("schemas/bff-backoffice/*/v*.json", "schemas/bff-backoffice/*.json")
FROZEN: Final = Path("schemas/released/bff-backoffice")
_ENVELOPE: Final = "envelope/v1.json"


def generate() -> dict[Path, str]:
    """Every payload's schema, the envelope's, and the table of C §3."""
    schemas = {REGISTRY / row.schema_path: as_text(_payload(row)) for row in TELEMETRY.values()}
    envelope = _schema(TelemetryHead, f"{SCHEMA_ROOT}/{_ENVELOPE}", "envelope")
    table = {REGISTRY / "telemetry.json": as_text(_table())}
    return schemas | {REGISTRY / _ENVELOPE: as_text(envelope)} | table


def problems(root: Path) -> list[str]:
    """Every way in which a schema differs from its released form by more than optional fields."""
    current = {path.relative_to(REGISTRY): text for path, text in generate().items()}
    found = []
    for released in sorted((root / FROZEN).glob("*/v*.json")):
        name = released.relative_to(root / FROZEN)
        if name not in current:
            found.append(f"{FROZEN / name}: a released version is gone. Publish it 90 days beside the next")
            continue
        changes = breaking_changes(json.loads(released.read_text()), json.loads(current[name]))
        found += [f"{FROZEN / name}: {change}. Publish it as the next version" for change in changes]
    return found


def release() -> dict[Path, str]:
    """The current schemas as the files that freeze them."""
    frozen = {path: text for path, text in generate().items() if path.parent != REGISTRY}
    return {FROZEN / path.relative_to(REGISTRY): text for path, text in frozen.items()}


def _payload(row: Telemetry) -> Schema:
    return _schema(payload_model(row.subject), row.schema_uri, row.subject)


def _schema(model: type[WireModel], url: str, title: str) -> Schema:
    body = without_noise(model.model_json_schema(schema_generator=GenerateJsonSchema, mode="validation"))
    head = {"$schema": GenerateJsonSchema.schema_dialect, "$id": url, "title": title}
    written: Schema = head | body
    return written


def _table() -> Schema:
    return {
        "schemaRoot": SCHEMA_ROOT,
        "topics": {
            group.topic: {"deadLetters": group.dead_letters, "alertAt": DLQ_DEPTH_ALERT} for group in Group
        },
        "subjects": [_row(row) for row in TELEMETRY.values()],
    }


def _row(row: Telemetry) -> Schema:
    return {
        "subject": row.subject,
        "topic": row.group.topic,
        "sampling": row.rate,
        "unit": row.unit,
        "road": row.road,
        "retention": row.retention,
        "keepDays": row.keep_days,
        "schema": row.schema_uri,
    }
