"""One request to the platform: read, perhaps struck by a fault, answered, noted."""

from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, Protocol, TypeVar

import orjson

from infra.simulators.kit.cloud import SimulatedCloud
from infra.simulators.kit.errors import Code, ConnectionCut, Refused
from infra.simulators.kit.faults import EFFECTS, Effect, FaultRule, effect_of
from infra.simulators.kit.journal import Entry, masked
from infra.simulators.kit.operation import Answer, Operation, Operations, Reply, Request

C = TypeVar("C", bound=SimulatedCloud)
C_contra = TypeVar("C_contra", bound=SimulatedCloud, contravariant=True)
Fields = Mapping[str, Any]
MISUSE = "(no operation)"
HARMLESS = EFFECTS["slow"]


class Dialect(Protocol[C_contra]):
    """How a vendor reads what it is asked, and words its answers."""

    secrets: frozenset[str]
    """The names of fields that the journal masks."""
    of_every_call: frozenset[str]
    """The names of fields that tell nothing about a call."""
    code: type[Code]
    """What the vendor's error codes are."""

    def fields(self, request: Request) -> Fields | HTTPStatus:
        """Return what a request says, or the status of one that is not of the protocol."""

    def admitted(self, cloud: C_contra, operation: Any, fields: Fields) -> Any:
        """Return the call of a caller who may make it; others are refused."""

    def done(self, answer: Answer) -> Reply:
        """Return the reply to a call that was carried out."""

    def refused(self, code: Code) -> Reply:
        """Return the reply to a call that was not."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a call: a reply, or a refusal's, and the vendor's code for it."""

    reply: Reply
    code: Code = 0


class Platform(Generic[C]):
    """A vendor's operations, asked in its dialect."""

    def __init__(self, operations: Operations[C], dialect: Dialect[C]) -> None:
        self.operations, self._dialect = operations, dialect

    @property
    def of_every_call(self) -> frozenset[str]:
        """The names of fields that tell nothing about a call."""
        return self._dialect.of_every_call

    def knows_code(self, code: Code) -> bool:
        """Say whether the vendor could refuse with such a code."""
        return isinstance(code, self._dialect.code)

    async def serve(self, cloud: C, request: Request) -> Reply:
        """Answer a request; raise ConnectionCut where a fault says so."""
        found = self.operations.find(request)
        if isinstance(found, HTTPStatus):
            return _misused(cloud, request, found)
        fields = self._dialect.fields(request)
        if isinstance(fields, HTTPStatus):
            return _misused(cloud, request, fields)
        operation, parts = found
        return await self._exchange(cloud, operation, {**fields, **parts} if parts else fields)

    async def _exchange(self, cloud: C, operation: Operation[C], fields: Fields) -> Reply:
        await cloud.latency.at_the_cloud()
        rule = cloud.faults.strike(operation.name)
        effect = effect_of(rule.fault) if rule else HARMLESS
        if rule and rule.seconds and not effect.cut:
            await cloud.latency.sleep(rule.seconds)
        outcome = await self._outcome(cloud, operation, fields, effect)
        self._note(cloud, operation, fields, rule, outcome)
        if effect.cut:
            await _cut(cloud, rule)
        if effect.status is not None:
            return turned_away(operation, effect.status)
        body = outcome.reply.body
        whole = outcome.reply
        return Reply(whole.status, body[: len(body) // 2], whole.content_type) if effect.halved else whole

    async def _outcome(self, cloud: C, operation: Operation[C], fields: Fields, effect: Effect) -> Outcome:
        if not effect.executes:
            code = effect.errcode or 0
            return Outcome(self._dialect.refused(code), code)
        try:
            call = self._dialect.admitted(cloud, operation, fields)
            return Outcome(self._dialect.done(await operation.answer(cloud, call)))
        except Refused as refused:
            return Outcome(self._dialect.refused(refused.code), refused.code)

    def _note(
        self, cloud: C, operation: Operation[C], fields: Fields, rule: FaultRule | None, outcome: Outcome
    ) -> None:
        effect = effect_of(rule.fault) if rule else HARMLESS
        entry = Entry(
            at=cloud.now(),
            method=operation.method,
            path=operation.path,
            operation=operation.name,
            fields=masked(fields, self._dialect.secrets),
            status=None if effect.cut else effect.status or outcome.reply.status,
            errcode=outcome.code,
            fault=rule.fault if rule else None,
            executed=effect.executes and not outcome.code,
        )
        cloud.journal.write(entry)


def turned_away(operation: Operation[C], status: int) -> Reply:
    """Return what comes from before the platform: a gateway's JSON of its own, or a broken server's page."""
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return _page(status)
    error = {"status": status, "error": HTTPStatus(status).phrase, "path": operation.path}
    return Reply(status, orjson.dumps(error))


def _misused(cloud: SimulatedCloud, request: Request, status: int) -> Reply:
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
    return _page(status)


async def _cut(cloud: SimulatedCloud, rule: FaultRule | None) -> None:
    if rule and rule.seconds:
        await cloud.latency.sleep(rule.seconds)
    raise ConnectionCut("a fault rule cut the connection")


def _page(status: int) -> Reply:
    return Reply(status, f"<html><body><h1>{status}</h1></body></html>".encode(), "text/html")
