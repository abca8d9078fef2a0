"""One request to the platform: read, perhaps struck by a fault, answered, noted."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl

import orjson

from infra.simulators.ttlock.access import admit
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.errors import ConnectionCut, Refused, refusal
from infra.simulators.ttlock.faults import EFFECTS, Effect, FaultRule, effect_of
from infra.simulators.ttlock.journal import Entry, masked
from infra.simulators.ttlock.operation import Operation
from infra.simulators.ttlock.table import OPERATIONS

FORM = "application/x-www-form-urlencoded"
MISUSE = "(no operation)"
HARMLESS = EFFECTS["slow"]


@dataclass(frozen=True, slots=True)
class Request:
    """What arrived."""

    method: str
    path: str
    query: bytes
    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes back."""

    status: int
    body: bytes
    content_type: str = "application/json;charset=UTF-8"


async def serve(cloud: Cloud, request: Request) -> Reply:
    """Answer a request; raise ConnectionCut where a fault says so."""
    misuse, fields = _misuse(request), _fields(request)
    if misuse or fields is None:
        return _misused(cloud, request, misuse or 400)
    return await _exchange(cloud, OPERATIONS[request.path], fields)


def _misuse(request: Request) -> int | None:
    operation = OPERATIONS.get(request.path)
    if operation is None:
        return 404
    if request.method != operation.method:
        return 405
    media_type = request.content_type.partition(";")[0].strip().lower()
    return 415 if request.method == "POST" and media_type != FORM else None


def _misused(cloud: Cloud, request: Request, status: int) -> Reply:
    entry = Entry(
        at=cloud.now(),
        method=request.method,
        path=request.path,
        operation=MISUSE,
        fields={},
        status=status,
        errcode=0,
        fault=None,
        executed=False,
    )
    cloud.journal.write(entry)
    return _plain(status)


async def _exchange(cloud: Cloud, operation: Operation, fields: Mapping[str, str]) -> Reply:
    await cloud.latency.at_the_cloud()
    rule = cloud.faults.strike(operation.name)
    effect = effect_of(rule.fault) if rule else HARMLESS
    if rule and rule.seconds and not effect.cut:
        await cloud.latency.sleep(rule.seconds)
    answer = await _answer(cloud, operation, fields, effect)
    _note(cloud, operation, fields, rule, answer)
    if effect.cut:
        await _cut(cloud, rule)
    if effect.status is not None:
        return _turned_away(operation, effect.status)
    body = orjson.dumps(answer)
    return Reply(200, body[: len(body) // 2] if effect.halved else body)


async def _answer(
    cloud: Cloud, operation: Operation, fields: Mapping[str, str], effect: Effect
) -> Mapping[str, Any]:
    if not effect.executes:
        return refusal(effect.errcode) if effect.errcode is not None else {}
    try:
        return await operation.answer(cloud, admit(cloud, operation, fields))
    except Refused as refused:
        return refusal(refused.errcode)


async def _cut(cloud: Cloud, rule: FaultRule | None) -> None:
    if rule and rule.seconds:
        await cloud.latency.sleep(rule.seconds)
    raise ConnectionCut("a fault rule cut the connection")


def _note(
    cloud: Cloud,
    operation: Operation,
    fields: Mapping[str, str],
    rule: FaultRule | None,
    answer: Mapping[str, Any],
) -> None:
    effect = effect_of(rule.fault) if rule else HARMLESS
    errcode = int(answer.get("errcode", 0))
    entry = Entry(
        at=cloud.now(),
        method=operation.method,
        path=operation.path,
        operation=operation.name,
        fields=masked(fields),
        status=None if effect.cut else effect.status or 200,
        errcode=errcode,
        fault=rule.fault if rule else None,
        executed=effect.executes and not errcode,
    )
    cloud.journal.write(entry)


def _fields(request: Request) -> dict[str, str] | None:
    raw = request.query if request.method == "GET" else request.body
    try:
        return dict(parse_qsl(raw.decode("ascii"), keep_blank_values=True, errors="strict"))
    except ValueError:
        return None


def _turned_away(operation: Operation, status: int) -> Reply:
    """Return what comes from before the platform: a gateway's JSON of its own, or a broken server's page."""
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _plain(status)
    error = {"status": status, "error": HTTPStatus(status).phrase, "path": operation.path}
    return Reply(status, orjson.dumps(error))


def _plain(status: int) -> Reply:
    return Reply(status, f"<html><body><h1>{status}</h1></body></html>".encode(), "text/html")
