"""Contracts of C §16 in Pact's own form (specification 4): what each side relies on, made of the models.

| file                                  | who relies on whom                                  |
|---------------------------------------|-----------------------------------------------------|
| `audit-lake--bff-backoffice-service`  | readers of telemetry, on the eleven subjects (C §3) |
| `bff-backoffice-service--<neighbour>` | the backoffice, on the fourteen that it hears (§15) |

A field stands in a contract if its reader cannot do without it: others may come and go (C §17). A value is
held to its kind or its form, never to the example.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from infra.codegen.event_schemas import as_text
from shared.events.backoffice.catalogue import PRODUCER, TELEMETRY
from shared.events.backoffice.envelope import TelemetryHead, payload_model
from shared.events.backoffice.heard import MODELS
from shared.events.backoffice.heard_subjects import HEARD
from shared.events.wire import WireModel

PACTS: Final = Path("schemas/pacts")
OWNED: Final = ("schemas/pacts/*.json",)
ARCHIVE: Final = "audit-lake"
MESSAGE: Final = "Asynchronous/Messages"
_ULID: Final = "01H8YN7QV4D8KZ4F8Y5CK4MV3D"
_SHOWN: Final = (
    "2026-04-23T09:14:22Z",
    "2026-04-23T09:14:22.041Z",
    "sha256:" + "ab12" * 16,
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "MELMASTOON.LOCK.DEVICE_OFFLINE",
    "1.4.2",
    "ck_v1_01H8Y",
    "prop_01H8Y",
    "opr_01H8Y",
    "front_desk",
    "resumable-v1",
    "rsv_01H8Y",
    "bff-bo-asia-south1",
    "win32",
    "ps-AF",
    "p1",
    "example",
    "EXAMPLE",
)
"""What examples are chosen from: the first that a field's form takes."""
_SPELT: Final = (("^ppt_", "^(ppt|prop)_"), ("^usr_", "^(usr|opr)_"))
"""What neighbours may call a property and a person: both are read (decision 0110)."""
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "melmastoon.iam.session.revoked.v1": ("sessionId",),
    "melmastoon.iam.user.disabled.v1": ("userId",),
    "melmastoon.reservation.checked_in.v1": ("propertyId",),
    "melmastoon.reservation.checked_out.v1": ("propertyId",),
    "melmastoon.tenant.operator_role.updated.v1": ("userId",),
}
"""What is read without being demanded, for the same may be known otherwise, and is relied on all the same."""
_KINDS: Final[Mapping[str, str]] = {"integer": "integer", "number": "number", "boolean": "boolean"}
_VALUES: Final[Mapping[str, Any]] = {"integer": 1, "number": 0.5, "boolean": True, "null": None}

Json = dict[str, Any]


class NoExample(Exception):
    """A form of which no example is known here."""


def generate() -> dict[Path, str]:
    """Every contract."""
    made = {f"{ARCHIVE}--{PRODUCER}": _pact(ARCHIVE, PRODUCER, [_told(name) for name in TELEMETRY])}
    for who in sorted({*HEARD.values()}):
        heard = [_heard(name) for name, by in HEARD.items() if by == who]
        made[f"{PRODUCER}--{who}"] = _pact(PRODUCER, who, heard)
    return {PACTS / f"{name}.json": as_text(pact) for name, pact in made.items()}


def _pact(consumer: str, provider: str, interactions: list[Json]) -> Json:
    return {
        "consumer": {"name": consumer},
        "provider": {"name": provider},
        "interactions": interactions,
        "metadata": {"pactSpecification": {"version": "4.0"}},
    }


def _told(subject: str) -> Json:
    """Return what a reader of telemetry relies on of one subject."""
    body = _Body()
    content = {
        "envelope": body.of(_schema(TelemetryHead), "$.envelope"),
        "payload": body.of(_schema(payload_model(subject)), "$.payload"),
    }
    return _message(subject, _as_the_table(content, subject, body), body)


def _heard(subject: str) -> Json:
    """Return what the backoffice relies on of one subject of a neighbour's."""
    body = _Body()
    head: Json = {
        "type": "object",
        "required": ["id", "subject", "tenantId", "time"],
        "properties": {
            "id": {"type": "string", "pattern": "^evt_[0-9A-Za-z_-]{1,64}$"},
            "subject": {"const": subject},
            "tenantId": {"type": "string", "pattern": "^tnt_[0-9A-Za-z_-]{1,64}$"},
            "time": {"type": "string", "format": "date-time"},
        },
    }
    content = {**body.of(head, "$"), "data": body.of(_as_theirs(subject), "$.data")}
    return _message(subject, content, body)


def _as_theirs(subject: str) -> Json:
    """Return what is heard of a subject, in its producer's spelling, with what is relied on."""
    text = json.dumps(_schema(MODELS[subject]))
    for ours, either in _SPELT:
        text = text.replace(f'"{ours}', f'"{either}')
    schema: Json = json.loads(text)
    return schema | {"required": [*schema.get("required", ()), *_NEEDED.get(subject, ())]}


def _as_the_table(content: Json, subject: str, body: "_Body") -> Json:
    """Give the envelope what the table says of its subject, and the ids that its payload has, too."""
    row, head, payload = TELEMETRY[subject], content["envelope"], content["payload"]
    told = {"subject": subject, "version": row.version, "schemaUri": row.schema_uri}
    for name, value in {**told, "retentionClass": str(row.retention)}.items():
        head[name] = value
        body.rules[f"$.envelope.{name}"] = _rule({"match": "equality"})
    for name in ("sessionId", "propertyId"):
        if name in payload:
            head[name] = payload[name]
            body.rules[f"$.envelope.{name}"] = body.rules[f"$.payload.{name}"]
    return content


def _message(subject: str, content: Json, body: "_Body") -> Json:
    return {
        "type": MESSAGE,
        "description": subject,
        "pending": False,
        "contents": {"content": content, "contentType": "application/json", "encoded": False},
        "matchingRules": {"body": body.rules},
        "metadata": {"contentType": "application/json"},
    }


def _schema(model: type[WireModel]) -> Json:
    return model.model_json_schema(mode="validation")


def _rule(*matchers: Json, either: bool = False) -> Json:
    return {"combine": "OR" if either else "AND", "matchers": [*matchers]}


@dataclass(slots=True)
class _Body:
    """An example of a schema's required fields, and the rules that a message is held to instead of it."""

    rules: Json = field(default_factory=dict)

    def of(self, schema: Json, path: str, whole: Json | None = None) -> Any:
        """Return an example, and note the rules of each field of it."""
        whole = schema if whole is None else whole
        node = _resolved(schema, whole)
        if node.get("type") == "object" and "properties" in node:
            fields = {name: node["properties"][name] for name in node.get("required", ())}
            said = {name: each for name, each in fields.items() if not _may_be_nothing(each, whole)}
            return {name: self.of(each, f"{path}.{name}", whole) for name, each in said.items()}
        if node.get("type") == "array":
            self.rules[path] = _rule({"match": "type", "min": 0})
            return [self.of(node["items"], f"{path}[*]", whole)] if "items" in node else []
        return self._leaf(node, path, whole)

    def _leaf(self, node: Json, path: str, whole: Json) -> Any:
        ways = [_resolved(each, whole) for each in node.get("anyOf", (node,))]
        plain = next((each for each in ways if each.get("type") != "null"), node)
        if plain.get("type") == "object":
            self.rules[path] = _rule({"match": "type"})
            return {}
        self.rules[path] = _rule(*(_matcher(each) for each in ways), either=len(ways) > 1)
        return example(plain)


def _resolved(node: Json, whole: Json) -> Json:
    found: Json = node
    while "$ref" in found:
        found = whole["$defs"][found["$ref"].rpartition("/")[2]]
    return found


def _may_be_nothing(node: Json, whole: Json) -> bool:
    """Say whether a field holds many things or null: Pact has no rule for that, and nobody relies on it."""
    ways = [_resolved(each, whole).get("type") for each in node.get("anyOf", ())]
    return "null" in ways and bool({"object", "array"} & {*ways})


def _matcher(node: Json) -> Json:
    kind = node.get("type")
    if "const" in node:
        return {"match": "equality"}
    if "enum" in node:
        return {"match": "regex", "regex": f"^({'|'.join(map(re.escape, node['enum']))})$"}
    if kind == "null":
        return {"match": "null"}
    if str(kind) in _KINDS:
        return {"match": _KINDS[str(kind)]}
    return {"match": "regex", "regex": node["pattern"]} if "pattern" in node else {"match": "type"}


def example(node: Json) -> Any:
    """Return a value that a schema's leaf takes; raise NoExample if none is known here."""
    if "const" in node:
        return node["const"]
    if "enum" in node:
        return node["enum"][0]
    if node.get("type") in _VALUES:
        return _VALUES[node["type"]]
    form = node.get("pattern", "^2026-" if node.get("format") == "date-time" else "")
    found = next((each for each in _candidates(form) if re.search(form, each)), None)
    if found is None:
        raise NoExample(f"{form!r}: add one to what examples are chosen from")
    return found


def _candidates(form: str) -> Iterator[str]:
    prefix = re.match(r"\^([a-z]+_)", form)
    if prefix is not None:
        yield prefix[1] + _ULID
    yield from _SHOWN
