"""Events become sendings, once for each listener that hears them; a sending is tried until it comes through.

1. A try is claimed by compare-and-set before the address is called: of two who come at once, one calls.
2. The address is judged, resolved, and that very address is called; a redirect is a refusal, not a way on.
3. What came back is saved: of an answer the status alone. Who dies in between is followed once it is due.
4. A listener at which tries fail rests, longer and longer, and with it all that waits for it: so a thousand
   events for an address that is down cost no more calls than one. After days it is disabled, and people hear.
"""

import contextlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, Self

from shared.domain.ids import TenantId
from shared.ledger.listener import Listener, ListenerState, find_listener, listeners_of
from shared.ledger.sending import Sending, SendingState, Try, find_sending, sending_id
from shared.ports.documents import AlreadyExists, StaleVersion
from shared.usecases.outbound.payload import CHALLENGE, Told
from shared.usecases.outbound.services import Outbound
from shared.usecases.outbound.signing import secrets_of
from shared.vendor_kit.http import Call, CallFault, ConnectionFailed, TimedOut
from shared.vendor_kit.standard_webhooks import ID, SIGNATURE, TIMESTAMP, signature

PATIENCE_SECONDS: Final = 15.0
LONGEST_SLEEP: Final = timedelta(minutes=1)
"""A longer wait is parked: the sweeper begins another execution when it is due."""
MOST_AT_ONCE: Final = 4
"""Calls at one listener, of sixteen that a process has under way: a slow one holds up its own alone."""
CROWDED_SECONDS: Final = 5
_UNDER_WAY: Final = "calls_at_listeners"
GONE: Final = 410
_PROBLEMS: Final[Mapping[type[CallFault], str]] = {ConnectionFailed: "unreachable", TimedOut: "too slow"}


@dataclass(frozen=True, slots=True)
class SendOne:
    """Which sending of whom."""

    tenant: TenantId
    sending: str

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        return cls(TenantId.parse(body.get("tenant"), "tenant"), str(body.get("sending", "")))


async def hear_told(told: Told, on: Outbound) -> list[str]:
    """Write an event down for each listener that hears it, and begin to send it; return what is begun."""
    begun = list[str]()
    for listener in await listeners_of(on.store):
        if not listener.hears(told.subject, told.property_id):
            continue
        sending = _to(listener, told, on)
        with contextlib.suppress(AlreadyExists):  # handed over twice: whoever came first begins it
            await on.store.commit([sending.write()])
            await on.begin(sending.id)
            begun.append(sending.id)
    return begun


async def send_one(command: SendOne, on: Outbound) -> dict[str, Any]:
    """Try a sending that is due, and say when to look again."""
    sending = await find_sending(command.sending, on.store)
    if sending is None or sending.state is not SendingState.WAITING:
        return {"outcome": "done"}
    if sending.claimed_until is not None and sending.claimed_until > on.now:
        return {"outcome": "parked"}  # somebody sends it; if they die, the sweeper follows
    listener = await find_listener(sending.listener, on.store)
    if listener is None or not _takes(listener, sending):
        await replace(sending, state=SendingState.GIVEN_UP, due=None).saved(on.store)
        return {"outcome": "done"}
    rests = listener.rests_until
    if rests is not None and rests > on.now:
        return _wait(await replace(sending, due=max(rests, sending.due or rests)).saved(on.store), on)
    return await _tried_in_turn(sending, listener, on)


async def _tried_in_turn(sending: Sending, listener: Listener, on: Outbound) -> dict[str, Any]:
    with _place_at(listener, on) as free:
        if not free:
            return {"outcome": "wait", "after_seconds": CROWDED_SECONDS}
        try:
            claimed = await sending.claimed(on.now).saved(on.store)
        except StaleVersion:
            return {"outcome": "parked"}  # somebody else was faster
        return _wait(await _tried(claimed, listener, on), on)


@contextlib.contextmanager
def _place_at(listener: Listener, on: Outbound) -> Iterator[bool]:
    """Say whether one more call may be under way at a listener, and hold its place while it is."""
    under_way: Counter[str] = on.on.kept.setdefault(_UNDER_WAY, Counter())
    free = under_way[listener.id] < MOST_AT_ONCE
    under_way[listener.id] += free
    try:
        yield free
    finally:
        under_way[listener.id] -= free
        under_way += Counter()  # lets go of those at which nothing is under way


async def _tried(sending: Sending, listener: Listener, on: Outbound) -> Sending:
    tried = await _called(sending, listener, on)
    if tried.status is not None and 200 <= tried.status < 300:
        await _reached(listener, on)
        return await sending.delivered(tried).saved(on.store)
    after = await _failed(listener, tried, on)
    return await sending.refused(tried, after.rests_until).saved(on.store)


async def _called(sending: Sending, listener: Listener, on: Outbound) -> Try:
    began = on.now
    try:
        answer = await on.on.outward.send(await _signed(sending, listener, on))
    except CallFault as fault:
        return Try(began, _since(began, on), problem=_PROBLEMS.get(type(fault), "broken off"))
    return Try(began, _since(began, on), status=answer.status)


async def _signed(sending: Sending, listener: Listener, on: Outbound) -> Call:
    seconds, body = int(on.now.timestamp()), sending.body.encode()
    secrets = await secrets_of(listener.id, on)
    by_each = [signature(secret, sending.event, seconds, body) for secret in secrets]
    headers = {
        "content-type": "application/json",
        "user-agent": "keyfleet-webhooks/1",
        ID: str(sending.event),
        TIMESTAMP: str(seconds),
        SIGNATURE: " ".join(each for each in by_each if each is not None),
    }
    return Call("POST", listener.url, headers, body, timeout=PATIENCE_SECONDS)


async def _reached(listener: Listener, on: Outbound) -> None:
    if listener.failures:
        with contextlib.suppress(StaleVersion):  # somebody else notes how it fares
            await listener.reached().saved(on.store)


async def _failed(listener: Listener, tried: Try, on: Outbound) -> Listener:
    """Note that a listener could not be reached; of many who find that at once, one counts."""
    after = listener.not_reached(on.now)
    if tried.status == GONE or after.spent:
        after = after.disabled("it says that it is gone" if tried.status == GONE else "unreachable for days")
    try:
        kept = await after.saved(on.store)
    except StaleVersion:
        return after
    if kept.state is ListenerState.DISABLED:
        on.on.log.alert(
            "events are sent to an address no more",
            runbook="lock/listener-disabled",
            tenantId=on.tenant,
            listener=listener.id,
            reason=kept.because,
            remedy="mend what listens there, then enable it and send again what it missed",
        )
    return kept


def _to(listener: Listener, told: Told, on: Outbound) -> Sending:
    return Sending(
        id=sending_id(listener.id, told.id),
        listener=listener.id,
        event=told.id,
        subject=told.subject,
        body=told.payload(),
        made_at=on.now,
        due=on.now + LONGEST_SLEEP,
    )


def _takes(listener: Listener, sending: Sending) -> bool:
    proving = sending.subject == CHALLENGE and listener.state is ListenerState.UNPROVEN
    return proving or listener.state is ListenerState.LIVE


def _wait(sending: Sending, on: Outbound) -> dict[str, Any]:
    if sending.state is not SendingState.WAITING or sending.due is None:
        return {"outcome": "done"}
    wait = sending.due - on.now
    if wait > LONGEST_SLEEP:
        return {"outcome": "parked"}
    return {"outcome": "wait", "after_seconds": max(1, int(wait.total_seconds() + 0.999))}


def _since(began: Any, on: Outbound) -> int:
    return max(0, int((on.now - began).total_seconds() * 1000))
