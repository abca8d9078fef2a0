"""The description of the API (OpenAPI 3.1), written from the tables of routes that answer it.

Every function that people call is in it, at its own address beside the others. What a route takes and tells
is its models'; what may go wrong is the catalogue's.
"""

import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pydantic import BaseModel
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from infra.manifest.load import Function, load_manifest
from infra.manifest.triggers import ServiceTrigger
from shared.domain.permissions import FRESH_FOR, RULES
from shared.runtime.api import TABLE
from shared.runtime.problems import CATALOGUE, PROBLEM_JSON
from shared.runtime.routes import PATH_IDS, Route

PAGE: Final = Path("schemas/openapi.json")
OWNED: Final = (str(PAGE),)
REFS: Final = "#/components/schemas/{model}"
JSON: Final = "application/json"
Json = dict[str, Any]

_ABOUT: Final = """What a hotel's desks, its property system and its partners ask of its keys.

Send `Authorization: Bearer` with a token of your identity provider, or with a service account's key. A thing
at another property, or of another tenant, is answered as if it were not there.

Send an `Idempotency-Key` with each change: the same request gets the same answer, however often it is sent.
Every answer from 400 on is a problem (RFC 9457), whose `code` is one of infra/docs/problems.md."""
_PROBLEM: Final[Json] = {
    "type": "object",
    "description": "What is wrong, where, and what to do.",
    "required": ["type", "title", "status", "code", "detail", "remedy", "requestId"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "enum": [row.code for row in CATALOGUE]},
        "detail": {"type": "string"},
        "remedy": {"type": "string"},
        "requestId": {"type": "string"},
        "errors": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["field", "problem", "remedy"],
                "properties": {name: {"type": "string"} for name in ("field", "problem", "remedy")},
            },
        },
    },
}
_HEADERS: Final[Json] = {
    "Request-Id": {"description": "What to quote when you ask us.", "schema": {"type": "string"}},
    "ETag": {"description": "Which state of the thing this is.", "schema": {"type": "string"}},
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}},
}
_KEY: Final[Json] = {
    "name": "Idempotency-Key",
    "in": "header",
    "description": "A change's own key, such as a UUID: asked for again by it, the change is made once.",
    "schema": {"type": "string", "pattern": "^[!-~]{1,255}$"},
}
_TOLD: Final[Json] = {"type": "string", "minLength": 1, "maxLength": 256}
_MATCH: Final[Json] = {
    "name": "If-Match",
    "in": "header",
    "description": "The ETag of the state that the change is meant for.",
    "schema": {"type": "string", "maxLength": 128},
}


@dataclass(frozen=True, slots=True)
class Described:
    """A route, and the function that answers it."""

    function: str
    route: Route


def described() -> tuple[Described, ...]:
    """Return every route that people may ask, function by function."""
    functions = load_manifest().functions.values()
    return tuple(
        Described(each.name, route)
        for each in functions
        if each.deployable.people and not isinstance(each.deployable.trigger, ServiceTrigger)
        for route in _routes_of(each)
    )


def _routes_of(function: Function) -> Sequence[Route]:
    entry = getattr(importlib.import_module(function.module), function.entry_point)
    load = getattr(entry, TABLE, tuple)  # what is no table is a stream or a page, and described elsewhere
    routes: Sequence[Route] = load()
    return routes


def openapi() -> Json:
    """Return the description."""
    all_routes = described()
    names, schemas = _schemas(all_routes)
    paths: dict[str, Json] = {}
    for each in all_routes:
        path = paths.setdefault(each.route.path, {"servers": [{"url": f"/{each.function}"}]})
        path[each.route.method.lower()] = _operation(each.route, names)
    return {
        "openapi": "3.1.0",
        "info": {"title": "keyfleet", "version": "1", "description": _ABOUT},
        "servers": [{"url": "/lock-api"}],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer"}},
            "headers": _HEADERS,
            "responses": _all_problems(),
            "schemas": {"Problem": _PROBLEM, **_plain(schemas)},
        },
    }


def operation_id(route: Route) -> str:
    """Return what programs call a route: as its use case, or by its address where many share one."""
    name = route.name or route.use_case.__name__
    if name != _SHARED:
        return to_camel(name)
    said = [part for part in route.path.replace("-", "/").split("/") if part.isalpha()]
    return to_camel("_".join([route.method.lower(), *said]))


_SHARED: Final = "use_case"


def _schemas(routes: Sequence[Described]) -> tuple[Mapping[type[BaseModel], Json], Json]:
    models = {model: None for each in routes for model in _models(each.route)}
    # As they are read: what an answer leaves out is not required of it either.
    wanted: list[tuple[type[BaseModel], JsonSchemaMode]] = [(model, "validation") for model in models]
    refs, whole = models_json_schema(wanted, by_alias=True, ref_template=REFS)
    named = {model: ref for (model, _), ref in refs.items() if issubclass(model, BaseModel)}
    return named, whole.get("$defs", {})


def _plain(schema: Any) -> Any:
    """Return a schema without titles that repeat a name, and defaults that stand for nothing."""
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    said = {name: each for name, each in schema.items() if not _says_nothing(name, each)}
    return {name: _plain(each) for name, each in said.items()}


def _says_nothing(name: str, value: Any) -> bool:
    return (name == "default" and value is None) or (name == "title" and isinstance(value, str))


def _models(route: Route) -> Iterator[type[BaseModel]]:
    yield route.answer
    if route.request is not None:
        yield route.request


def _operation(route: Route, names: Mapping[type[BaseModel], Json]) -> Json:
    told: Json = {
        "operationId": operation_id(route),
        "summary": route.summary,
        "description": _description(route),
        "tags": [_tag(route)],
        "parameters": [*_in_path(route), *_in_query(route), *_in_headers(route)],
        "responses": {**_success(route, names), **_problems(route)},
    }
    if route.permission is not None:
        told["x-permission"] = str(route.permission)
    if route.request is not None:
        told["requestBody"] = {"required": True, "content": {JSON: {"schema": names[route.request]}}}
    return told


def _description(route: Route) -> str:
    if route.permission is None:
        return "For whoever is signed in."
    rule = RULES[route.permission]
    fresh = f" Asks for a sign-in of the last {FRESH_FOR.seconds // 60} minutes." if rule.fresh else ""
    programs = " Programs may be given it." if rule.integrators else ""
    return f"Needs `{route.permission}`.{fresh}{programs}"


def _tag(route: Route) -> str:
    return route.path.split("/")[3]


def _in_path(route: Route) -> Iterator[Json]:
    for name in route.parameters:
        kind = PATH_IDS[name]
        prefix, body = getattr(kind, "prefix", "key_"), getattr(kind, "body", None)
        pattern = f"^{prefix}{body.pattern}$" if body is not None else "^(key|prov_keycred)_[0-9A-Z]{26}$"
        yield {"name": name, "in": "path", "required": True, "schema": {"type": "string", "pattern": pattern}}


def _in_query(route: Route) -> Iterator[Json]:
    if route.query is None:
        return
    schema = route.query.model_json_schema(by_alias=True)
    for name, field in schema.get("properties", {}).items():
        said = {"description": field.pop("description")} if "description" in field else {}
        required = name in schema.get("required", ())
        yield {"name": name, "in": "query", **said, "required": required, "schema": _plain(field)}


def _in_headers(route: Route) -> Iterator[Json]:
    for name, what in route.headers.items():
        yield {"name": name, "in": "header", "required": True, "description": what, "schema": _TOLD}
    if route.method == ASKS:
        return
    if route.remembered:
        yield _KEY
    yield _MATCH | ({"required": True} if route.guarded else {})


def _success(route: Route, names: Mapping[type[BaseModel], Json]) -> Json:
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in ("Request-Id", "ETag")}
    answer = {"description": route.summary, "headers": headers}
    found = {str(route.status): answer | {"content": {JSON: {"schema": names[route.answer]}}}}
    not_changed = {"304": {"description": "It is as If-None-Match says.", "headers": headers}}
    return found | (not_changed if route.method == ASKS else {})


def _problems(route: Route) -> Json:
    """Return what may go wrong: what only a change can meet is not told of a question."""
    statuses = sorted({row.status for row in CATALOGUE})
    wanted = [each for each in statuses if route.method != ASKS or each not in _OF_CHANGES]
    return {str(each): {"$ref": f"#/components/responses/Problem{each}"} for each in wanted}


def _all_problems() -> Json:
    rows: dict[int, list[str]] = {}
    for row in CATALOGUE:
        rows.setdefault(row.status, []).append(f"`{row.code}`: {row.meaning}")
    return {f"Problem{status}": _problem("\n\n".join(said)) for status, said in sorted(rows.items())}


ASKS: Final = "GET"
_OF_CHANGES: Final = frozenset({409, 412, 415, 422, 428})


def _problem(said: str) -> Json:
    headers = {name: {"$ref": f"#/components/headers/{name}"} for name in ("Request-Id", "Retry-After")}
    schema = {"$ref": REFS.format(model="Problem")}
    return {"description": said, "headers": headers, "content": {PROBLEM_JSON: {"schema": schema}}}


def generate() -> dict[Path, str]:
    """Return the description as a file."""
    return {PAGE: json.dumps(openapi(), indent=1, sort_keys=False, ensure_ascii=False) + "\n"}
