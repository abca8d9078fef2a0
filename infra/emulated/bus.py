"""The bus on Google's emulator: it keeps and fans out; what it leaves out is added where it pushes.

| Pub/Sub | its emulator | here |
|---|---|---|
| proves who pushes | sends no token | the token of `pubsub-push` is added |
| lets through what a filter wants | ignores filters | what is not wanted is acknowledged unseen |
| sets aside what is never taken | drops it, where there is an order | counted, and set aside |
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final

from infra.emulated.parked_messages import ParkedMessages
from infra.emulated.topics import Administrator
from infra.local.bus.filters import compile_filter
from infra.local.bus.routing import RoutedBus, Routing
from infra.local.bus.specs import SubscriptionSpec, TopicSpec
from infra.local.delivery.parts import DeliveryParts
from shared.ports.bus import EventBus, Message
from shared.ports.dead_letters import GOOGLE, PULLED, REASON
from shared.runtime.delivery import Delivery, decode_push

EAR: Final = "shelf-"
REMEMBERED: Final = 10_000
AT_ONCE: Final = 8
Push = Callable[[SubscriptionSpec, bytes], Awaitable[int]]


class EmulatorsForgot(Exception):
    """What the emulators kept of this home is gone: they keep it no longer than anybody uses them."""


class _NothingKept:
    def count(self) -> int:
        """Return how many messages wait for functions to come: they wait in the emulator, uncounted."""
        return 0


class EmulatedBus(RoutedBus):
    """Pub/Sub's emulator as the fleet publishes to it, is pushed from it, and looks at it."""

    def __init__(
        self,
        port: EventBus,
        topics: Sequence[TopicSpec],
        subscriptions: Sequence[SubscriptionSpec],
        push: Push,
        parked: ParkedMessages,
        means: DeliveryParts,
    ) -> None:
        self._port, self._push, self._means = port, push, means
        super().__init__(Routing(topics, subscriptions))
        self._topics = topics
        self._wants = {spec.name: compile_filter(spec.filter) for spec in subscriptions}
        self.dead_letters, self.kept = parked, _NothingKept()
        self._waiting: OrderedDict[str, set[str]] = OrderedDict()
        self._attempts: Counter[tuple[str, str]] = Counter()
        self._settled: OrderedDict[tuple[str, str], None] = OrderedDict()

    async def open(self, administrator: Administrator, address: str, *, known: bool) -> None:
        """Have every topic and subscription; a home that is known must find what it left."""
        if known and await administrator.is_new():
            raise EmulatorsForgot
        room = asyncio.Semaphore(AT_ONCE)  # the emulator answers one call after the other anyway
        await asyncio.gather(*(_in(room, administrator.create_topic(topic.name)) for topic in self._topics))
        await asyncio.gather(*(_in(room, each) for each in self._subscribed(administrator, address)))

    def _subscribed(self, administrator: Administrator, address: str) -> list[Awaitable[None]]:
        pushed = [
            administrator.subscribe(spec, f"{address}{spec.name}", "")
            for spec in self._routing.subscriptions.values()
        ]
        ears = [
            administrator.subscribe(_Ear(EAR + source, topic), f"{address}{EAR}{source}", "")
            for source, topic in PULLED.items()
        ]
        kept = [administrator.keep(topic.kept_for, topic.name) for topic in self._topics if topic.kept_for]
        pulled = [administrator.keep(source, topic) for source, topic in PULLED.items()]
        return [*kept, *pulled, *pushed, *ears]

    async def deliver_kept(self) -> None:
        """Nothing is handed over: a subscription that kept is the function's own from its start on."""

    def start(self) -> None:
        """The emulator pushes by itself."""

    async def stop(self) -> None:
        """What is pushed meanwhile finds nobody, and is pushed again."""

    async def publish(self, topic: str, messages: Sequence[Message]) -> tuple[str, ...]:
        """Publish, and remember whom it waits for."""
        self._means.counters["publishes"] += len(messages)
        ids = await self._port.publish(topic, messages)
        for identity, message in zip(ids, messages, strict=True):
            wanted = self.listeners(topic, message)
            self._waiting[identity] = {name for name in wanted if (name, identity) not in self._settled}
        while len(self._waiting) > REMEMBERED:
            self._waiting.popitem(last=False)
        return tuple(ids)

    def backlog(self) -> Mapping[str, int]:
        """Return how many deliveries are known to wait for each subscription."""
        waiting = (name for names in self._waiting.values() for name in names)
        refused = (name for name, _ in self._attempts)
        return dict(Counter(waiting) | Counter(refused))

    def delivers(self, message: str) -> bool:
        """Say whether a message still waits for one of its subscriptions."""
        return bool(self._waiting.get(message))

    async def pushed(self, name: str, body: bytes) -> int:
        """Take what the emulator pushes to where it belongs, and return how that answered."""
        delivery = decode_push(body)
        if name.startswith(EAR):
            self.dead_letters.put(PULLED[name.removeprefix(EAR)], delivery, self._means.clock.now())
            return 204
        spec = self._routing.subscriptions.get(name)
        if spec is None:
            return 404
        status = await self._push(spec, body) if self._wants[name](delivery.attributes) else 204
        return await self._answered(spec, delivery, status)

    async def _answered(self, spec: SubscriptionSpec, delivery: Delivery, status: int) -> int:
        about = (spec.name, delivery.message_id)
        if not 200 <= status < 300:
            self._attempts[about] += 1
            if not spec.max_attempts or self._attempts[about] < spec.max_attempts:
                return status
            await self._set_aside(spec, delivery, status)
        self._settle(about)
        return 204

    async def _set_aside(self, spec: SubscriptionSpec, delivery: Delivery, status: int) -> None:
        notes = {
            f"{GOOGLE}Subscription": spec.name,
            f"{GOOGLE}DeliveryCount": str(self._attempts[spec.name, delivery.message_id]),
            f"{GOOGLE}TopicPublishTime": self._means.clock.now().isoformat(),
            REASON: f"answered {status}",
        }
        letter = Message(delivery.data, {**delivery.attributes, **notes}, delivery.ordering_key)
        await self._port.publish(spec.dead_letter_topic or "", [letter])

    def _settle(self, about: tuple[str, str]) -> None:
        name, identity = about
        self._means.counters["acks"] += 1
        self._attempts.pop(about, None)
        self._waiting.get(identity, set[str]()).discard(name)
        self._settled[about] = None
        while len(self._settled) > REMEMBERED:
            self._settled.popitem(last=False)


class _Ear:
    """A subscription of the control plane's own, beside the one that keeps."""

    ordered, filter = False, ""

    def __init__(self, name: str, topic: str) -> None:
        self.name, self.topic = name, topic


async def _in(room: asyncio.Semaphore, call: Awaitable[Any]) -> None:
    async with room:
        await call
