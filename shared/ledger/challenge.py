"""A challenge: a code of some minutes for one lock, typed at a door to prove that this lock hangs there.

The code itself is sealed in the other database, for its vendor's adapter alone; here is what all may know.
"""

import base64
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final

from shared.domain.grant import name_at_vendor
from shared.domain.ids import LockDeviceId, PropertyId, UserId
from shared.domain.instants import Moment, milliseconds
from shared.domain.kinds import VendorCode
from shared.domain.secret import Secret
from shared.domain.stored import Json, Stored
from shared.ledger.reading import read_record
from shared.ports.documents import Create, Delete, Document, Ref, TenantDocuments
from shared.ports.vault import Cipher, SealContext
from shared.streams.record import Record

CHALLENGES: Final = "challenges"
CODES: Final = "challenge_codes"
LASTS: Final = timedelta(minutes=10)
"""Time to walk to the door; at many vendors a shorter window is rounded up to this anyway."""
KEPT_FOR: Final = timedelta(days=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Challenge(Record):
    """Which lock is challenged, on whose word, until when, and how far that came; `pin` is a blind index.

    `former`: turns that this one took the place of, whose codes nobody knows to be at the lock, or not there.
    """

    schema_version: ClassVar[int] = 1
    INDEXED: ClassVar[tuple[str, ...]] = ("rank",)

    device_id: LockDeviceId
    property_id: PropertyId
    vendor: VendorCode
    turn: str
    by: UserId
    asked_at: Moment
    until: Moment
    placed: bool = False
    over: bool = False
    cause: Annotated[str | None, Stored(omitted=True)] = None
    pin: Annotated[str | None, Stored(omitted=True)] = None
    former: Annotated[tuple[str, ...], Stored(omitted=True)] = ()

    def indexed(self) -> dict[str, Json]:
        """Return what the index by codes reads."""
        return {} if self.pin is None else {"rank": milliseconds(self.until)}

    @property
    def name(self) -> str:
        """What the code is called at the vendor: as every key of ours, by what it was asked for."""
        return self.name_of(self.turn)

    def name_of(self, turn: str) -> str:
        """Return what a turn's code is called at the vendor."""
        return name_at_vendor(f"challenge|{self.device_id}|{turn}")

    @property
    def ref(self) -> Ref:
        """Where it is kept."""
        return Ref(CHALLENGES, str(self.device_id))

    @property
    def kept_until(self) -> datetime:
        """When it is forgotten."""
        return self.until + KEPT_FOR


async def challenge_of(device: LockDeviceId, store: TenantDocuments) -> Challenge | None:
    """Return the last challenge of a lock."""
    found = await store.get(Ref(CHALLENGES, str(device)))
    return None if found is None else challenge_from(found)


def challenge_from(found: Document) -> Challenge:
    """Read a challenge."""
    return read_record(Challenge, found)


@dataclass(frozen=True, slots=True)
class ChallengeCodes:
    """One tenant's codes, sealed for the adapters of their locks."""

    sealed: TenantDocuments
    cipher: Cipher

    async def keep(self, challenge: Challenge, code: Secret[str]) -> None:
        """Keep a challenge's code until some time after it is over, beside that of whoever asks just now."""
        shut = await self.cipher.seal(self._context(challenge), Secret(code.reveal().encode()))
        data = {"code": base64.b64encode(shut).decode()}
        await self.sealed.commit([Create(self._ref(challenge), data, challenge.until + KEPT_FOR)])

    async def find(self, challenge: Challenge) -> Secret[str] | None:
        """Return a challenge's code; None once it is forgotten."""
        found = await self.sealed.get(self._ref(challenge))
        if found is None:
            return None
        opened = await self.cipher.open(self._context(challenge), base64.b64decode(found.data["code"]))
        return Secret(opened.reveal().decode())

    async def forget(self, challenge: Challenge) -> None:
        """Forget a code for ever; one that is gone already is success."""
        found = await self.sealed.get(self._ref(challenge))
        if found is not None:
            await self.sealed.commit([Delete(found.ref, found.version)])

    def _ref(self, challenge: Challenge) -> Ref:
        return Ref(CODES, f"{challenge.device_id}.{challenge.turn}")

    def _context(self, challenge: Challenge) -> SealContext:
        purpose = f"guest-artifact-{challenge.vendor}"
        return SealContext(
            purpose, self.sealed.tenant, f"{CODES}/{challenge.device_id}.{challenge.turn}", "code"
        )
