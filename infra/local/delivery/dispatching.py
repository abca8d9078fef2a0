"""What the bus and the queues do alike: their dispatchers start, stop, and say when nothing is left to do."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence

from infra.local.delivery.alarm import Alarm
from infra.local.delivery.instants import micros
from infra.local.delivery.keeping import Keeping
from infra.local.delivery.parts import DeliveryParts


class Dispatching(ABC):
    """One subscription or queue at work: what waits is sent, from its start until it is stopped."""

    def __init__(self, means: DeliveryParts) -> None:
        self._means = means
        self._alarm = Alarm(self.wake)
        self._running = False
        self._inherited = 0
        self._quiet = asyncio.Event()

    @abstractmethod
    def start(self) -> None:
        """Begin with what an earlier process left."""

    @abstractmethod
    def wake(self) -> None:
        """Send what is ready, as far as there is room."""

    @property
    @abstractmethod
    def _under_way(self) -> Collection["asyncio.Task[None]"]: ...

    async def stop(self) -> None:
        """Send nothing new and give up what is under way; it is sent again at the next start."""
        self._running = False
        self._alarm.cancel()
        under_way: Sequence[asyncio.Task[None]] = list(self._under_way)
        for each in under_way:
            each.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        self._quiet.set()

    async def idle(self) -> None:
        """Wait until nothing is under way or due now."""
        await self._quiet.wait()

    @property
    def quiet(self) -> bool:
        """Whether nothing is under way or due now."""
        return self._quiet.is_set()

    @property
    def _loop_now(self) -> float:
        return asyncio.get_running_loop().time()

    @property
    def _stored_now(self) -> int:
        return micros(self._means.clock.now())


class Dispatched:
    """All subscriptions of a bus, or all queues: they work together, over what one keeper writes down."""

    _dispatchers: Mapping[str, Dispatching]
    _keeping: Keeping

    def start(self) -> None:
        """Begin to send, first of all what an earlier process left."""
        for dispatcher in self._dispatchers.values():
            dispatcher.start()

    async def stop(self) -> None:
        """Send no more; what did not succeed is sent at the next start."""
        for dispatcher in self._dispatchers.values():
            await dispatcher.stop()

    async def idle(self) -> None:
        """Wait until nothing is under way or due now."""
        while not self._keeping.quiet or any(not each.quiet for each in self._dispatchers.values()):
            await self._keeping.idle()
            for dispatcher in self._dispatchers.values():
                await dispatcher.idle()
