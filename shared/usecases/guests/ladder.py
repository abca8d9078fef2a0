"""The ladder: which way to a guest is next. Pure; the first row that applies counts (A §10.1, §10.2).

What time does to the ways:

| a way | becomes |
|---|---|
| push, sent and without a receipt by its time (60 s) | undelivered |
| SMS, sent and without a status by its time (10 min) | unconfirmed |
| claimed by somebody who died, tries left | waiting; else failed |
| SMS held back, mail failed, bounced or impossible, push not on its way and not delivered | waiting |

What is to be done then:

| the notice | act |
|---|---|
| a way waits and is due | send it: mail first, for it is always sent |
| a way waits, is claimed, or is out and may yet be heard of | wait for the next of them |
| a push or an SMS was delivered, or a mail was taken and has not bounced | over: reached |
| an SMS is unconfirmed, and the guest comes in over a day | wait until a day before |
| else | over: unreached; somebody at the desk must tell the guest |

A mail may bounce for hours and days: that opens the notice again. A PIN goes by mail and SMS at once.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.ledger.message_settings import MessageSettings
from shared.ledger.notices import Notice, Outcome, Way, WayState
from shared.messages.kinds import RULES, Channel, MessageKind

MOST_TRIES: Final = 4
CLAIMED_FOR: Final = timedelta(minutes=2)
"""A provider is called for less long."""
STATUS_WITHIN: Final = timedelta(minutes=10)
RETRIED_AFTER: Final = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))
NEAR: Final = timedelta(hours=24)
WAKES_WITHIN: Final = timedelta(hours=12)
"""A guest who comes so soon is told by night too."""
_SETTLED: Final = frozenset(
    {
        WayState.DELIVERED,
        WayState.UNDELIVERED,
        WayState.UNCONFIRMED,
        WayState.FAILED,
        WayState.SKIPPED,
        WayState.HELD,
    }
)
_DEAD: Final = frozenset({WayState.UNDELIVERED, WayState.FAILED, WayState.SKIPPED})
_AT_ONCE: Final = frozenset({MessageKind.PIN_CODE_DELIVERED, MessageKind.PIN_CODE_CHANGED})
_URGENT: Final = frozenset({MessageKind.PIN_CODE_CHANGED, MessageKind.KEY_RESTS})


@dataclass(frozen=True, slots=True)
class Send:
    """Send it on this way, now."""

    channel: Channel


@dataclass(frozen=True, slots=True)
class Wait:
    """Look again then, unless something is heard before."""

    until: datetime


@dataclass(frozen=True, slots=True)
class End:
    """Nothing more is to be done."""

    outcome: Outcome


Act = Send | Wait | End


def planned(
    kind: MessageKind, settings: MessageSettings, arrives: datetime, zone: str, now: datetime
) -> Mapping[str, Way]:
    """Return the ways of a new notice: mail at once, telephones when they may ring."""
    channels = RULES[kind].channels
    wakes = kind in _URGENT or arrives <= now + WAKES_WITHIN
    rings = now if wakes else settings.quiet_ends(now, zone) or now
    ways = {}
    if Channel.EMAIL in channels:
        ways["email"] = Way(state=WayState.WAITING, due=now)
    if Channel.PUSH in channels and settings.push:
        ways["push"] = Way(state=WayState.WAITING, due=rings)
    if Channel.SMS in channels and settings.sms:
        held = WayState.WAITING if kind in _AT_ONCE else WayState.HELD
        ways["sms"] = Way(state=held, due=rings)
    return ways


def advanced(notice: Notice, now: datetime) -> Notice:
    """Return a notice as time has left it."""
    for channel, way in notice.ways.items():
        if way.due is not None and way.due <= now and (late := _LATE.get((channel, way.state))):
            notice = notice.on_way(channel, state=late, reason=way.reason or "nothing_heard", due=None)
        elif way.state is WayState.CLAIMED and way.due is not None and way.due <= now:
            again = way.tries < MOST_TRIES
            notice = notice.on_way(
                channel,
                state=WayState.WAITING if again else WayState.FAILED,
                due=now if again else None,
                reason="broke_off",
            )
    if _falls_back(notice):
        rings = notice.ways[Channel.SMS].due or now
        notice = notice.on_way(Channel.SMS, state=WayState.WAITING, due=max(rings, now))
    return notice


_LATE: Final = {
    (Channel.PUSH, WayState.SENT): WayState.UNDELIVERED,
    (Channel.SMS, WayState.SENT): WayState.UNCONFIRMED,
}


def _falls_back(notice: Notice) -> bool:
    """Say whether an SMS that was held back is wanted."""
    sms, email, push = notice.sms, notice.email, notice.push
    if sms is None or sms.state is not WayState.HELD:
        return False
    no_push = push is None or push.state in _DEAD
    return no_push and (email is None or email.state in _DEAD)


def next_act(notice: Notice, now: datetime) -> Act:
    """Return what is to be done about a notice that time has been heeded in."""
    ways = notice.ways
    due = [channel for channel, way in ways.items() if _is_due(way, now)]
    if due:
        return Send(due[0])
    awaited = [way.due for way in ways.values() if way.state not in _SETTLED and way.due is not None]
    if awaited:
        return Wait(min(awaited))
    if reached(notice):
        return End(Outcome.REACHED)
    if notice.sms is not None and notice.sms.state is WayState.UNCONFIRMED and notice.arrives > now + NEAR:
        return Wait(notice.arrives - NEAR)
    return End(Outcome.UNREACHED)


def _is_due(way: Way, now: datetime) -> bool:
    return way.state is WayState.WAITING and way.due is not None and way.due <= now


def reached(notice: Notice) -> bool:
    """Say whether a notice came to its guest, as far as anybody told."""
    taken = notice.email is not None and notice.email.state is WayState.SENT
    return taken or any(way.state is WayState.DELIVERED for way in notice.ways.values())


def claimed(notice: Notice, channel: Channel, now: datetime) -> Notice:
    """Return a notice whose provider is about to be called."""
    way = notice.ways[channel]
    after = now + CLAIMED_FOR
    return replace(
        notice.on_way(
            channel, state=WayState.CLAIMED, due=after, tries=way.tries + 1, since=way.since or now
        ),
        due=after,
    )


def put_off(way: Way, reason: str, after: timedelta | None, now: datetime) -> Way:
    """Return a way that is to be tried again, or that was tried often enough."""
    if way.tries >= MOST_TRIES:
        return replace(way, state=WayState.FAILED, due=None, reason=reason)
    rest = max(RETRIED_AFTER[min(way.tries, len(RETRIED_AFTER)) - 1], after or timedelta(0))
    return replace(way, state=WayState.WAITING, due=now + rest, reason=reason)
