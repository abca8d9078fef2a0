"""Tools, one a route of the API: what a model may ask, with which fields, and the request that is made of it.

Reads alone, unless changes are allowed. What shows a PIN, a door's challenge, a key or a secret is no tool at
all: no model is shown what is told once, and is not even remembered for who asks again.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import quote, urlencode

from infra.codegen.openapi import Described, described, operation_id
from shared.domain.permissions import RULES
from shared.runtime.routes import PATH_IDS, Route

ASKED: Final = ("lock-api", "audit-api")
"""The functions whose routes are tools."""
BODY, KEY, MATCH = "body", "idempotencyKey", "ifMatch"
Json = Mapping[str, Any]


class ArgumentsRefused(ValueError):
    """Arguments that the tool does not take, in words for whoever gave them."""


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of the API."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """A route as a model is told of it."""

    function: str
    route: Route

    @property
    def name(self) -> str:
        """What it is called."""
        return operation_id(self.route)

    @property
    def reads(self) -> bool:
        """Whether it changes nothing."""
        return self.route.method == "GET"

    def told(self) -> Json:
        """Return how it is listed."""
        return {
            "name": self.name,
            "description": _description(self.route),
            "inputSchema": _schema(self.route),
            "annotations": {
                "title": self.route.summary,
                "readOnlyHint": self.reads,
                "destructiveHint": not self.reads,
                "idempotentHint": self.reads,
                "openWorldHint": False,
            },
        }

    def request(self, arguments: Json) -> Request:
        """Return the request that a call of it makes, or refuse its arguments; the API checks them too."""
        known = _schema(self.route)["properties"]
        strange = sorted(set(arguments) - set(known))
        if strange:
            raise ArgumentsRefused(f"{strange[0]!r} is no argument: there are {', '.join(known) or 'none'}")
        missing = [name for name in self.route.parameters if not isinstance(arguments.get(name), str)]
        if missing:
            raise ArgumentsRefused(f"{missing[0]} is missing: give it as text")
        named = {name: quote(arguments[name], safe="") for name in self.route.parameters}
        query = {name: arguments[name] for name in _in_query(self.route) if arguments.get(name) is not None}
        path = f"/{self.function}{self.route.path.format(**named)}" + (
            f"?{urlencode(query)}" if query else ""
        )
        if self.route.request is None:
            return Request(self.route.method, path, _headers(arguments))
        body = json.dumps(arguments.get(BODY, {})).encode()
        return Request(
            self.route.method, path, {**_headers(arguments), "content-type": "application/json"}, body
        )


def tools_of(*, changes: bool, rows: Iterable[Described] | None = None) -> Mapping[str, Tool]:
    """Return the tools by their names: those that read, and, where that is allowed, those that change."""
    asked = described() if rows is None else rows
    found = [Tool(each.function, each.route) for each in asked if each.function in ASKED]
    return {each.name: each for each in found if each.reads or (changes and each.route.remembered)}


def _description(route: Route) -> str:
    if route.permission is None:
        return f"{route.summary}. For whoever is signed in."
    fresh = " It asks for a sign-in of the last minutes." if RULES[route.permission].fresh else ""
    return f"{route.summary}. It needs the permission {route.permission}.{fresh}"


def _schema(route: Route) -> dict[str, Any]:
    fields: dict[str, Any] = dict(_in_path(route)) | _in_query(route)
    required, shared = list(route.parameters), dict[str, Any]()
    if route.request is not None:
        whole = route.request.model_json_schema(by_alias=True)
        shared = whole.pop("$defs", {})
        fields[BODY] = whole
        required += [BODY] if whole.get("required") else []
    if route.method != "GET":
        fields[MATCH] = {
            "type": "string",
            "description": "The ETag of the state that the change is meant for.",
        }
    if route.method != "GET" and route.remembered:
        fields[KEY] = {"type": "string", "description": "The change's own key: sent again, it is made once."}
    schema = {"type": "object", "properties": fields, "required": required, "additionalProperties": False}
    return schema | ({"$defs": shared} if shared else {})


def _in_path(route: Route) -> Iterator[tuple[str, Json]]:
    for name in route.parameters:
        prefix = getattr(PATH_IDS[name], "prefix", "key_")
        yield name, {"type": "string", "description": f"begins with {prefix}"}


def _in_query(route: Route) -> dict[str, Any]:
    if route.query is None:
        return {}
    found: dict[str, Any] = route.query.model_json_schema(by_alias=True).get("properties", {})
    return found


def _headers(arguments: Json) -> dict[str, str]:
    given = {"idempotency-key": arguments.get(KEY), "if-match": arguments.get(MATCH)}
    return {name: str(at) for name, at in given.items() if at is not None}
