"""The JSON Schema of a fleet.yaml, for editors and for Terraform, written from the manifest's model."""

import json
from pathlib import Path
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema

from infra.manifest.model import Family

FLEET: Final = Path("schemas/fleet.json")
OWNED: Final = (str(FLEET),)

_INTERNAL: Final = {
    "properties": {
        "trigger": {
            "anyOf": [
                {"properties": {kind: {"const": "internal"}}, "required": [kind]}
                for kind in ("http", "service")
            ]
        }
    }
}
_NAMES_CALLERS: Final = {"properties": {"callers": {"minItems": 1}}, "required": ["callers"]}

Schema = dict[str, Any]


def generate() -> dict[Path, str]:
    """The schema file, by repository path."""
    return {FLEET: json.dumps(fleet_schema(), indent=2, ensure_ascii=False) + "\n"}


def fleet_schema() -> Schema:
    """The schema of one fleet.yaml, with the model's own rules said in JSON Schema where it can say them."""
    schema = Family.model_json_schema(schema_generator=GenerateJsonSchema)
    # pydantic tells which names have a form, not that every name must have it.
    schema["properties"]["functions"]["additionalProperties"] = False
    schema["$defs"]["Deployable"] |= {"if": _INTERNAL, "then": _NAMES_CALLERS}
    head = {"$schema": GenerateJsonSchema.schema_dialect, "title": "fleet.yaml"}
    return head | {key: value for key, value in schema.items() if key != "title"}
