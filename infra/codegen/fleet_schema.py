"""The JSON Schema of a fleet.yaml, for editors and for Terraform, written from the manifest's model."""

import json
from pathlib import Path
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema

from infra.manifest.model import Family

FLEET: Final = Path("schemas/fleet.json")
OWNED: Final = (str(FLEET),)

_IS_ADAPTER: Final = {"properties": {"adapter": {"type": "string"}}, "required": ["adapter"]}
"""Of an adapter's descriptor nothing else need be said: it follows from the vendor's code."""
_LONE: Final = {"properties": {"cpu": {"exclusiveMaximum": 1}}, "required": ["cpu"]}
_ONE_AT_A_TIME: Final = {"properties": {"concurrency": {"const": 1}}, "required": ["concurrency"]}

Schema = dict[str, Any]


def generate() -> dict[Path, str]:
    """The schema file, by repository path."""
    return {FLEET: json.dumps(fleet_schema(), indent=2, ensure_ascii=False) + "\n"}


def fleet_schema() -> Schema:
    """The schema of one fleet.yaml, with the model's own rules said in JSON Schema where it can say them."""
    schema = Family.model_json_schema(schema_generator=GenerateJsonSchema)
    # pydantic tells which names have a form, not that every name must have it.
    schema["properties"]["functions"]["additionalProperties"] = False
    schema["properties"]["workflows"]["additionalProperties"] = False
    described = schema["$defs"]["Deployable"]
    needed = {"required": described.pop("required")}
    described["allOf"] = [
        {"if": _IS_ADAPTER, "else": needed},
        {"if": _LONE, "then": _ONE_AT_A_TIME},
    ]
    head = {"$schema": GenerateJsonSchema.schema_dialect, "title": "fleet.yaml"}
    return head | {key: value for key, value in schema.items() if key != "title"}
