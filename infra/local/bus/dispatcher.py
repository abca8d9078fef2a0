"""One subscription at work: push, believe the answer, retry, and set aside what never succeeds."""

import asyncio
import contextlib
import sqlite3
from collections.abc import Callable, Collection, Coroutine
from functools import partial
from typing import Any

from infra.local.bus.backlog import Backlog, Delivery
from infra.local.bus.chaos import Chaos
from infra.local.bus.envelope import push_body
from infra.local.bus.fresh import Fresh
from infra.local.bus.rows import MESSAGE_COLUMNS, StoredMessage, loaded, settle
from infra.local.bus.specs import SubscriptionSpec
from infra.local.delivery.attempt import Outcome, attempt
from infra.local.delivery.backoff import jittered
from infra.local.delivery.dispatching import Dispatching
from infra.local.delivery.parts import DeliveryParts
from shared.ports.documents import StorageFull
from shared.ports.vault import SealBroken

ACKS = frozenset({102, 200, 201, 202, 204})
READ_MESSAGE = f"SELECT {MESSAGE_COLUMNS} FROM bus_message WHERE id = ?"  # noqa: S608 - constants only
NOTE_ATTEMPTS = "UPDATE bus_delivery SET attempts = ? WHERE seq = ?"
NOTE_DUE = "UPDATE bus_delivery SET due = ? WHERE seq = ?"
LAST_DELIVERY = "SELECT seq FROM sqlite_sequence WHERE name = 'bus_delivery'"


class MessageLost(Exception):
    """A delivery without a message: nothing was pushed, and what it said cannot be told."""


SetAside = Callable[[SubscriptionSpec, Delivery, StoredMessage], Coroutine[Any, Any, None]]


class Dispatcher(Dispatching):
    """Pushes what one subscription has waiting, in parallel across keys and in order within each."""

    def __init__(
        self, spec: SubscriptionSpec, means: DeliveryParts, chaos: Chaos, set_aside: SetAside, fresh: Fresh
    ) -> None:
        super().__init__(means)
        self._spec, self._chaos, self._set_aside = spec, chaos, set_aside
        self._fresh = fresh
        self._path = f"projects/{means.project}/subscriptions/{spec.name}"
        self._backlog = self._fresh_backlog()
        self._pushing: dict[int, asyncio.Task[None]] = {}

    def start(self) -> None:
        """Begin with what an earlier process left."""
        rows = self._means.engine.read(LAST_DELIVERY)
        self._inherited = rows[0][0] if rows else 0
        self._backlog = self._fresh_backlog()
        self._running = True
        self.wake()

    @property
    def _under_way(self) -> Collection["asyncio.Task[None]"]:
        return self._pushing.values()

    def look_again(self) -> None:
        """Take note that something was published."""
        self._backlog.look_again()
        self.wake()

    def wake(self) -> None:
        """Push what is ready, as far as there is room."""
        if not self._running:
            return
        try:
            self._begin_ready()
        except sqlite3.Error as error:
            _report("the backlog could not be read", error)
            self._quiet.clear()
            self._alarm.set(self._loop_now + self._spec.min_backoff)
        else:
            self._plan()

    def _fresh_backlog(self) -> Backlog:
        return Backlog(self._means.engine, self._spec.name, self._spec.max_backoff)

    def _begin_ready(self) -> None:
        now = self._loop_now, self._stored_now
        while len(self._pushing) < self._spec.max_outstanding and (delivery := self._backlog.take(*now)):
            self._begin(delivery)

    def _begin(self, delivery: Delivery) -> None:
        push = asyncio.get_running_loop().create_task(self._deliver(delivery))
        self._pushing[delivery.seq] = push
        push.add_done_callback(partial(self._ended, delivery))

    def _plan(self) -> None:
        due = self._backlog.next_due
        if due is not None:
            self._alarm.set(due)
        full = len(self._pushing) >= self._spec.max_outstanding
        if self._backlog.unread and not full:
            # A page held only messages behind blocked heads: read on, but let others have the loop first.
            asyncio.get_running_loop().call_soon(self.wake)
        if self._pushing or not self._backlog.idle or (due is not None and due <= self._loop_now):
            self._quiet.clear()
        else:
            self._quiet.set()

    def _ended(self, delivery: Delivery, push: "asyncio.Task[None]") -> None:
        del self._pushing[delivery.seq]
        if not push.cancelled() and (error := push.exception()) is not None:
            # Our own mistake must not cost the message, nor block its key until a restart.
            _report("a push failed", error)
            self._retry(delivery)
        self.wake()

    async def _deliver(self, delivery: Delivery) -> None:
        # Where the next of its key cannot be read, this comes again, and must not push what is settled.
        if not delivery.settled:
            await self._try(delivery)
        if delivery.settled:
            # One pushed before it was told that it is kept left its copy here: a guest's name, for good.
            self._fresh.take(self._spec.name, delivery.message)
            self._backlog.finish(delivery, self._loop_now, self._stored_now)

    async def _try(self, delivery: Delivery) -> None:
        message = self._fresh.take(self._spec.name, delivery.message) or self._read(delivery)
        if message is None:
            self._drop(delivery)
        elif self._exhausted(delivery):
            await self._give_up(delivery, message)
        else:
            try:
                await self._push_once(delivery, message)
            except SealBroken:  # its key was lost with the key file, and that was accepted
                self._drop(delivery)

    async def _push_once(self, delivery: Delivery, message: StoredMessage) -> None:
        outcome = await self._attempt(delivery, message)
        delivery.reason = outcome.reason
        if outcome.status in ACKS:
            self._ack(delivery)
        elif self._exhausted(delivery):
            await self._give_up(delivery, message)
        else:
            self._retry(delivery)

    def _read(self, delivery: Delivery) -> StoredMessage | None:
        rows = self._means.engine.read(READ_MESSAGE, (delivery.message,))
        return loaded(rows[0]) if rows else None

    def _drop(self, delivery: Delivery) -> None:
        """Let go of a delivery whose message a salvage could not save: its key must not wait for ever."""
        lost = f"message {delivery.message} for {self._spec.name}"
        _report("a delivery has lost its message", MessageLost(lost))
        self._means.counters["messages-lost"] += 1
        self._settle(delivery)

    def _exhausted(self, delivery: Delivery) -> bool:
        return self._spec.max_attempts is not None and delivery.attempts >= self._spec.max_attempts

    async def _attempt(self, delivery: Delivery, message: StoredMessage) -> Outcome:
        before = delivery.attempts
        try:
            await self._count_attempt(delivery)
            return await self._push(delivery, message)
        except asyncio.CancelledError:  # we stopped; the receiver did not fail
            self._means.engine.write_soon(partial(_execute, NOTE_ATTEMPTS, before, delivery.seq))
            raise

    async def _count_attempt(self, delivery: Delivery) -> None:
        """Count before pushing: a message that kills the process must reach its dead letter all the same.

        The first attempt of this process may be counted lazily. Whatever was tried before, or was left by an
        earlier process, which it may have killed within those 50 ms, is counted on the disk first.
        """
        delivery.attempts += 1
        note = partial(_execute, NOTE_ATTEMPTS, delivery.attempts, delivery.seq)
        if delivery.attempts == 1 and delivery.seq > self._inherited:
            self._means.engine.write_soon(note)
            return
        with contextlib.suppress(StorageFull):
            await self._means.engine.write(note)

    async def _push(self, delivery: Delivery, message: StoredMessage) -> Outcome:
        told = delivery.attempts if self._spec.max_attempts is not None else None
        body = push_body(message, self._means.payloads.open, self._path, told)
        await asyncio.sleep(self._chaos.delay())
        outcome = await self._post(body)
        for _ in range(self._chaos.copies() - 1):
            outcome = await self._post(body)
        return outcome

    async def _post(self, body: bytes) -> Outcome:
        self._means.faults.reach("before-push")
        self._means.counters["pushes"] += 1
        outcome = await attempt(self._means.transport, self._means.tokens, self._spec.target, {}, body)
        self._means.faults.reach("after-push")
        return outcome

    def _ack(self, delivery: Delivery) -> None:
        self._means.faults.reach("before-ack")
        self._means.counters["acks"] += 1
        self._settle(delivery)
        self._means.faults.reach("after-ack")

    def _settle(self, delivery: Delivery) -> None:
        self._means.engine.write_soon(partial(settle, seq=delivery.seq, message=delivery.message))
        delivery.settled = True

    def _retry(self, delivery: Delivery) -> None:
        self._means.counters["nacks"] += 1
        spec = self._spec
        wait = jittered(spec.min_backoff, spec.max_backoff, max(1, delivery.attempts), self._means.entropy)
        due = self._stored_now + int(wait * 1e6)
        self._means.engine.write_soon(partial(_execute, NOTE_DUE, due, delivery.seq))
        self._backlog.rest(delivery, self._loop_now + wait)

    async def _give_up(self, delivery: Delivery, message: StoredMessage) -> None:
        try:
            await self._set_aside(self._spec, delivery, message)
        except StorageFull:
            self._retry(delivery)
            return
        self._means.counters["dead-letters"] += 1
        delivery.settled = True


def _report(message: str, error: BaseException) -> None:
    asyncio.get_running_loop().call_exception_handler({"message": message, "exception": error})


def _execute(sql: str, value: int, seq: int, connection: sqlite3.Connection) -> None:
    connection.execute(sql, (value, seq))
