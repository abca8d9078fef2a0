"""Events of subjects that nothing handles yet: kept in order, and handed over when their function comes.

Pub/Sub does it with a pull subscription that becomes the function's own: infra/runbooks/lock/dead-letters.md.
"""

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from infra.local.bus.envelope import decode_payload
from infra.local.bus.routing import Routing
from infra.local.bus.rows import MESSAGE_COLUMNS, Route, StoredMessage, insert, loaded
from infra.local.storage.engine import Engine
from shared.ports.dead_letters import NO_HANDLER

AT_ONCE: Final = 500
COUNT = "SELECT count(*) FROM bus_message WHERE parked = 2"
NEXT = f"""SELECT {MESSAGE_COLUMNS} FROM bus_message
    WHERE parked = 2 AND topic = ? ORDER BY id LIMIT ?"""  # noqa: S608 - constants only
FORGET = "DELETE FROM bus_message WHERE id = ?"


def kept_notes(subscription: str, heard: Sequence[Route]) -> dict[str, str]:
    """Return what is noted of a kept message: for whom, why, what brings it on its way, and who heard it."""
    function = subscription.partition(".")[0]
    remedy = f"deploy the function {function}: it gets what was kept, in order"
    notes = {"subscription": subscription, "reason": NO_HANDLER, "remedy": remedy}
    return notes | ({"heard": " ".join(route.subscription for route in heard)} if heard else {})


def heard_by(message: StoredMessage) -> frozenset[str]:
    """Return the subscriptions that a kept message went to when it was published."""
    return frozenset(message.notes.get("heard", "").split())


class Kept:
    """What waits for functions to come."""

    def __init__(self, engine: Engine, routing: Routing) -> None:
        self._engine, self._routing = engine, routing

    def count(self) -> int:
        """Return how many messages wait."""
        return int(self._engine.read(COUNT)[0][0])

    async def hand_over(self) -> int:
        """Give each topic's messages to the subscriptions that came since, oldest first; return how many.

        A batch is one commit: after a crash the rest is still kept, and goes first again at the next start.
        """
        given = 0
        for topic in self._routing.read:
            while topic not in self._routing.kept and (page := self._engine.read(NEXT, (topic, AT_ONCE))):
                messages = [loaded(row) for row in page]
                await self._engine.write(partial(_give, [(each, self._routes(each)) for each in messages]))
                given += len(messages)
        return given

    def _routes(self, message: StoredMessage) -> tuple[Route, ...]:
        attributes, heard = decode_payload(message.payload)[1], heard_by(message)
        routes = self._routing.routes(message.topic, attributes, message.ordering_key)
        return tuple(route for route in routes if route.subscription not in heard)


def _give(parcels: Sequence[tuple[StoredMessage, Sequence[Route]]], connection: sqlite3.Connection) -> None:
    for message, routes in parcels:
        connection.execute(FORGET, (message.id,))
        insert(connection, replace(message, notes={}, parked=False, kept=False, source=None), routes)
