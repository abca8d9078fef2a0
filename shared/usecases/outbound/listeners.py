"""Listeners of a tenant: added, proven, given another secret, taken on again, removed, on a person's word.

A new address is sent a challenge, and events only once its owner has said what that was: nobody has events
sent to somebody who never asked. The first listener marks the tenant, and removing the last unmarks it: no
other tenant's events are handed over for this (`shared/streams/heard.py`). The mark is written with each of
them: of two who add and remove at once one tries again, and no listener is left behind that nobody tells.
"""

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from shared.domain.errors import InvalidInput
from shared.domain.ids import EventId, ListenerId, PropertyId
from shared.domain.kinds import Actor
from shared.domain.secret import Secret
from shared.events.catalogue import subjects
from shared.events.subject import Direction
from shared.ledger.admission import HEARD, RECORD
from shared.ledger.listener import MOST_LISTENERS, Listener, ListenerState, find_listener, listeners_of
from shared.ledger.sending import Sending, find_sending, sending_id
from shared.ports.documents import Delete, Document, Update, Write
from shared.usecases.outbound.payload import challenge_of
from shared.usecases.outbound.services import Outbound
from shared.usecases.outbound.signing import draw_secret, forget_secrets
from shared.vendor_kit.http import LOOPBACK, checked_address

LONGEST_URL: Final = 1000
CHALLENGE_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class ListenerWanted:
    """Where events are to go, and which."""

    url: str
    events: tuple[str, ...]
    properties: tuple[PropertyId, ...]
    by: Actor

    def check(self, *, sandbox: bool) -> None:
        """Refuse an address that is not the public network's, and events that there are not."""
        check_url(self.url, sandbox=sandbox)
        told = [row.name for row in subjects(Direction.PRODUCED)]
        for each in self.events:
            begins = each.removesuffix("*")
            if not any(name.startswith(begins) if begins != each else name == each for name in told):
                raise InvalidInput(
                    "events", "not among what we tell", "see schemas/asyncapi.json for them all"
                )


def check_url(url: str, *, sandbox: bool) -> None:
    """Refuse what is no https address of a named public host; where a name leads is judged at each call."""
    printed = len(url) <= LONGEST_URL and url.isascii() and url.isprintable()
    if not printed or "#" in url or " " in url or "\\" in url:
        raise InvalidInput("url", "no address", "give https://host/path")
    try:
        parts = urlsplit(url)
        checked_address(f"{parts.scheme}://{parts.netloc}")
    except ValueError:  # what is no URL, or an address that is none of a public host's
        raise InvalidInput(
            "url", "no https address of a named public host", "give https://host/path"
        ) from None
    if parts.hostname in LOOPBACK and not sandbox:
        raise InvalidInput("url", "on this machine", "give an address that the public network knows")


async def add_listener(wanted: ListenerWanted, on: Outbound) -> tuple[Listener, Secret[str]]:
    """Add a listener, send it a challenge, and return it with its secret, which is shown once."""
    record, known = await on.store.get(RECORD), await listeners_of(on.store)
    if len(known) >= MOST_LISTENERS:
        raise InvalidInput("listeners", f"{MOST_LISTENERS} already", "remove one that nobody needs")
    id_ = ListenerId.mint(on.on.ids.ulid())
    challenge = on.on.entropy.token(CHALLENGE_BYTES).hex()
    made = Listener(
        id=id_,
        url=wanted.url,
        events=wanted.events,
        properties=wanted.properties,
        by=wanted.by,
        made_at=on.now,
        challenge=_digest(challenge),
    )
    secret = await draw_secret(id_, on)
    sending = _challenging(made, challenge, on)
    versions = await on.store.commit([made.write(), sending.write(), *_marked(record, heard=True)])
    on.on.hotels.forget(on.tenant)  # here at once, at other processes within seconds
    await on.begin(sending.id)
    return made.as_found(versions[0]), secret


async def prove_listener(listener: Listener, challenge: str, on: Outbound) -> Listener:
    """Have events go to a listener whose owner says what it was sent."""
    if not listener.challenge:
        return listener
    if not hmac.compare_digest(_digest(challenge), listener.challenge):
        raise InvalidInput("challenge", "not what was sent", "read it from what arrived at the address")
    return await replace(listener, challenge="").live().saved(on.store)


async def enable_listener(listener: Listener, on: Outbound) -> Listener:
    """Have events go to a listener again, from now on; what it missed is sent by `resend`."""
    if listener.state is ListenerState.UNPROVEN:
        raise InvalidInput("listener", "not proven", "say the challenge that it was sent")
    return await listener.live().saved(on.store)


async def remove_listener(listener: Listener, on: Outbound) -> None:
    """Remove a listener, and destroy what its events were signed with."""
    record = await on.store.get(RECORD)
    others = [each for each in await listeners_of(on.store) if each.id != listener.id]
    gone: list[Write] = [Delete(listener.ref, listener.version or "")]
    await on.store.commit([*gone, *_marked(record, heard=bool(others))])
    on.on.hotels.forget(on.tenant)
    await forget_secrets(listener.id, on)


async def resend(sending: Sending, on: Outbound) -> Sending:
    """Send an event once more, the same bytes under the same id."""
    listener = await find_listener(sending.listener, on.store)
    if listener is None or listener.state is ListenerState.DISABLED:
        raise InvalidInput("listener", "gone, or disabled", "enable it first")
    again = await sending.again(on.now).saved(on.store)
    await on.begin(again.id)
    return again


async def sending_to(listener: ListenerId, name: str, on: Outbound) -> Sending | None:
    """Return an event on its way to a listener, or None."""
    found = await find_sending(name, on.store)
    return found if found is not None and found.listener == listener else None


def _challenging(listener: Listener, challenge: str, on: Outbound) -> Sending:
    event = EventId.mint(on.on.ids.ulid())
    told = challenge_of(event, on.tenant, challenge, on.now)
    return Sending(
        id=sending_id(listener.id, event),
        listener=listener.id,
        event=event,
        subject=told.subject,
        body=told.payload(),
        made_at=on.now,
        due=on.now,
    )


def _marked(record: Document | None, *, heard: bool) -> Iterator[Write]:
    """Return what marks a tenant, which was read before its listeners were: whoever was faster is seen."""
    if record is not None:
        yield Update(record.ref, {**record.data, HEARD: heard}, record.version)


def _digest(challenge: str) -> str:
    return hashlib.sha256(challenge.encode()).hexdigest()
