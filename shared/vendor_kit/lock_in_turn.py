"""What is the same at every vendor that is told of each lock by itself, and answers at once."""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from shared.domain.kinds import VendorCode
from shared.domain.lock_errors import LockError, LockErrorCause, VendorUnreachable
from shared.ports.lock import InHand, KeyAtLock, LockKey, Placing, Removing
from shared.ports.lock_causes import LockCause

T = TypeVar("T")


class LocksInTurn(ABC):
    """Several locks one after the other, and no jobs: where a vendor can do more, its own methods say so."""

    @property
    @abstractmethod
    def vendor(self) -> VendorCode:
        """Whose locks these are."""

    @abstractmethod
    async def place(self, key: LockKey) -> KeyAtLock | InHand:
        """See to it that the key of this name opens the lock within its window, and once."""

    @abstractmethod
    async def remove(self, key: LockKey) -> InHand | None:
        """See to it that no key of this name is at the lock."""

    async def place_all(self, keys: Sequence[LockKey]) -> Sequence[Placing]:
        """Place the shares of a key one by one, however many refuse."""
        return [await said(self.place, key) for key in keys]

    async def remove_all(self, keys: Sequence[LockKey]) -> Sequence[Removing]:
        """Remove the shares of a key one by one, however many refuse."""
        return [await said(self.remove, key) for key in keys]

    async def status(self, job: str, keys: Sequence[LockKey]) -> Sequence[KeyAtLock | Removing]:
        """Know of no job."""
        del job
        return [self._no_such_job(key) for key in keys]

    def _no_such_job(self, key: LockKey) -> LockError:
        cause = LockErrorCause(LockCause.NO_SUCH_JOB)
        return VendorUnreachable(vendor=self.vendor, device_id=key.device_id, cause=cause)


async def said(ask: Callable[[LockKey], Awaitable[T]], key: LockKey) -> T | LockError:
    """Return what a vendor says of a key at a lock, its refusal too."""
    try:
        return await ask(key)
    except LockError as refused:
        return refused
