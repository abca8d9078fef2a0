"""The JSON Schemas and the catalogue that integrators read, written from the event models."""

import json
from pathlib import Path
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema

from shared.events.catalogue import ALIASES, CATALOGUE, COMPOSITES
from shared.events.codec import event_model
from shared.events.subject import RETENTION_RULES, SCHEMA_ROOT, Direction, Subject

SCHEMAS: Final = Path("schemas")
OWNED: Final = ("schemas/melmastoon.*.json", "schemas/catalogue.json")

_DIALECT: Final = GenerateJsonSchema.schema_dialect
_READERS: Final = (
    "Readers look past fields they do not know: later releases of a version only add optional ones."
)
_CONTRACT: Final = "Our consumer contract: what we rely on. The producer may send more."
_LOCAL: Final = "Written by an offline desk and drained through /sync/v1/push; never on Pub/Sub."
_COMMENTS: Final = {Direction.PRODUCED: _READERS, Direction.CONSUMED: _CONTRACT, Direction.LOCAL: _LOCAL}

Schema = dict[str, Any]


def generate() -> dict[Path, str]:
    """Every schema file and the catalogue, by repository path."""
    files = {SCHEMAS / f"{row.name}.json": as_text(schema_of(row)) for row in CATALOGUE.values()}
    return files | {SCHEMAS / "catalogue.json": as_text(catalogue())}


def schema_of(row: Subject) -> Schema:
    """The schema of a whole document of one subject: envelope and payload."""
    body = event_model(row.name).model_json_schema(schema_generator=GenerateJsonSchema, mode="validation")
    schema: Schema = without_noise(body)
    schema["properties"]["subject"] = schema["properties"]["type"] = {"const": row.name}
    if row.direction is Direction.PRODUCED:
        schema["properties"]["schemaUrl"] = {"const": row.schema_url}
    head = {
        "$schema": _DIALECT,
        "$id": row.schema_url,
        "title": row.name,
        "$comment": _COMMENTS[row.direction],
    }
    return head | schema | {"description": _description(schema)}


def catalogue() -> Schema:
    """The catalogue as a document, for people and for Terraform."""
    retention = {
        name: {
            "messageDays": rule.message_days,
            "sinkDays": rule.sink_days,
            "storeDays": rule.store_days,
            "merkleAnchored": rule.merkle_anchored,
        }
        for name, rule in RETENTION_RULES.items()
    }
    return {
        "schemaRoot": SCHEMA_ROOT,
        "retention": retention,
        "subjects": [_entry(row) for row in CATALOGUE.values()],
        "aliases": dict(ALIASES),
        "composites": {name: list(subjects) for name, subjects in COMPOSITES.items()},
    }


def _entry(row: Subject) -> Schema:
    return {
        "subject": row.name,
        "direction": row.direction,
        "topic": row.topic,
        "producer": row.producer,
        "consumers": list(row.consumers),
        "retention": row.retention,
        "merkleAnchored": row.merkle_anchored,
        "idempotency": row.recipe,
        "extension": row.extension,
        "schema": row.schema_url,
    }


def _description(schema: Schema) -> str:
    payload = schema["properties"]["data"]["$ref"].rpartition("/")[2]
    words: str = schema["$defs"][payload]["description"]
    return words


def without_noise(node: Any) -> Any:
    """The schema without the titles pydantic invents and the nulls an absent field stands for."""
    if isinstance(node, list):
        return [without_noise(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {key: _inside(key, value) for key, value in node.items() if not _is_noise(key, value)}


def _inside(key: str, value: Any) -> Any:
    # Below these keywords the keys are names of fields, not keywords, so `title` there is a field.
    if key in {"properties", "$defs"}:
        return {name: without_noise(schema) for name, schema in value.items()}
    return without_noise(value)


def _is_noise(key: str, value: object) -> bool:
    return key == "title" or (key == "default" and value is None)


def as_text(document: Schema) -> str:
    """A document as it is committed."""
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"
