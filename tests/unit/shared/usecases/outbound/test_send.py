"""Events on their way: a listener that takes long holds up its own, and nobody else's."""

import asyncio
from dataclasses import replace
from types import SimpleNamespace

import pytest

from shared.domain.ids import EventId, ListenerId
from shared.kernel.log import Log
from shared.ledger.listener import Listener, ListenerState
from shared.ledger.sending import SendingState, find_sending
from shared.usecases.outbound.payload import Told
from shared.usecases.outbound.send import MOST_AT_ONCE, SendOne, hear_told, send_one
from shared.usecases.outbound.services import Outbound
from shared.usecases.outbound.signing import draw_secret
from shared.vendor_kit.http import Answer
from tests.support.ledger_books import SILK

SLOW, QUICK = (ListenerId(f"lsn_01KSAMP1E0000000000000000{each}") for each in (1, 2))
EVENTS = MOST_AT_ONCE + 3


class Addresses:
    """Two addresses: one answers when it is let, the other at once."""

    def __init__(self):
        self.let, self.under_way, self.most = asyncio.Event(), 0, 0

    async def send(self, call):
        if "slow" in call.url:
            self.under_way += 1
            self.most = max(self.most, self.under_way)
            await self.let.wait()
            self.under_way -= 1
        return Answer(200, {})


@pytest.fixture
async def on(books):
    """Return what sends for a tenant with two listeners, and the sagas that it begins forgotten."""
    ports = {name: getattr(books, name) for name in ("cipher", "sagas", "entropy", "ids", "clock")}
    ports |= {"documents": books.store, "sealed": books.vault, "outward": Addresses(), "kept": {}}
    found = Outbound(SILK, SimpleNamespace(**ports, log=Log("keyfleet", books.log), sandbox=False))
    for id_, name in ((SLOW, "slow"), (QUICK, "quick")):
        made = Listener(id=id_, url=f"https://{name}.example/", events=("*",), by="usr_1", made_at=found.now)
        await replace(made, state=ListenerState.LIVE).saved(found.store)
        await draw_secret(id_, found)
    return found


async def sendings_of(on):
    """Have events told, and return what is to be sent to each listener."""
    begun = []
    for number in range(EVENTS):
        id_ = EventId(f"evt_01KSAMP1E0000000000000000{number}")
        told = Told(id_, "melmastoon.lock.credential.issued.v1", SILK, "2026-03-01T09:00:00Z", {})
        begun += await hear_told(told, on)
    kept = {each: await find_sending(each, on.store) for each in begun}
    return [[each for each in begun if kept[each].listener == at] for at in (SLOW, QUICK)]


async def test_a_listener_that_takes_long_takes_a_few_places_and_the_others_hear_meanwhile(on):
    slow, quick = await sendings_of(on)
    held = [asyncio.ensure_future(send_one(SendOne(SILK, each), on)) for each in slow]
    at_once = [await send_one(SendOne(SILK, each), on) for each in quick]
    assert at_once == [{"outcome": "done"}] * EVENTS
    on.on.outward.let.set()
    outcomes = sorted(told["outcome"] for told in await asyncio.gather(*held))
    assert outcomes == ["done"] * MOST_AT_ONCE + ["wait"] * (EVENTS - MOST_AT_ONCE)
    assert on.on.outward.most == MOST_AT_ONCE
    again = [await send_one(SendOne(SILK, each), on) for each in slow]
    assert again == [{"outcome": "done"}] * EVENTS, "the places are free again"
    assert {(await find_sending(each, on.store)).state for each in slow} == {SendingState.DELIVERED}
