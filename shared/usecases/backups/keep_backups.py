"""Each set of rooms has a backup code, where the policy wants that: made beforehand, and renewed in time.

| the policy | its key | then |
|---|---|---|
| wants backup codes | there is none, or it is over | another is requested; six hours after one failed |
| | ends within two weeks, or is of rooms that the lock led to | another is requested, and this one ends |
| | lives | nothing |
| wants none | lives | it ends |

A set of rooms is what lies behind one lock that is not everybody's. Nobody holds the code, and nobody is told
it, until a desk hands it out (`hand_out_backup`). Decision 0146.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Final

from shared.domain.core import CredentialCore
from shared.domain.credential import KeyCredential
from shared.domain.errors import InvalidInput
from shared.domain.ids import KeyCredentialId
from shared.domain.kinds import ClaimKey, KeyCredentialKind, RevokeReason
from shared.domain.plan import Choice, IssuePlan
from shared.domain.premises import LockDevice
from shared.domain.states import Failed, Revoked
from shared.domain.window import StayWindow
from shared.events.idempotency import claim_key
from shared.keywork.orders import Order, end_key
from shared.keywork.services import Services, retry_on_conflict
from shared.keywork.start import begin_work
from shared.ledger.backup_code import KEEPER, BackupCode, backup_code_from, ref_of
from shared.ledger.delays import STARTED_WITHIN
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.key_record import KeyRecord, Saga, Work
from shared.ledger.ledger import Change, Ledger
from shared.ports.documents import DocumentStore
from shared.usecases.stays.rest_keys import unprompted
from shared.usecases.stays.split_stay import split_stay
from shared.usecases.upkeep.plan_quota import houses

LASTS: Final = timedelta(days=90)
RENEWED_BEFORE: Final = timedelta(days=14)
ANEW_AFTER: Final = timedelta(hours=6)
PIN: Final = KeyCredentialKind.PIN_CODE


async def keep_backups(documents: DocumentStore, cell: str, services: Services) -> int:
    """Bring every hotel's backup codes to what its policy wants, and return how many were changed."""
    changed = 0
    for store, setup in await houses(documents, cell, services):
        ledger = await services.ledger(store.tenant)
        async for door in _sets_of_rooms(setup, ledger):
            changed += await _kept(Keeping(setup, door, ledger, services))
    return changed


async def _kept(keeping: "Keeping") -> bool:
    try:
        return await retry_on_conflict(keeping.keep)
    except Exception as error:  # noqa: BLE001 - one that is broken must not keep the others from being made
        about = {"tenant": keeping.ledger.documents.tenant, "deviceId": keeping.door.id}
        keeping.services.log.failure("a backup code could not be kept", error, **about)
        return False


async def _sets_of_rooms(setup: HotelSetup, ledger: Ledger) -> AsyncIterator[LockDevice]:
    """Yield the locks of whose rooms there is a backup code, or is to be."""
    for door in setup.devices:
        own = door.rooms and (set(door.rooms) != setup.rooms or len(setup.rooms) == 1)
        wanted = setup.policy.backup_codes and own and door.capabilities.supports(PIN)
        if wanted or (own and await ledger.documents.get(ref_of(door.id)) is not None):
            yield door


@dataclass(frozen=True, slots=True)
class Keeping:
    """The backup code of one set of rooms, being brought to what it is to be."""

    setup: HotelSetup
    door: LockDevice
    ledger: Ledger
    services: Services

    async def record(self) -> BackupCode:
        """Return what is kept of it, if only which rooms it is for."""
        found = await self.ledger.documents.get(ref_of(self.door.id))
        if found is not None:
            return replace(backup_code_from(found), rooms=self.door.rooms)
        return BackupCode(device=self.door.id, property_id=self.door.property_id, rooms=self.door.rooms)

    async def keep(self) -> bool:
        """Request or end the code, if need be; return whether there was need."""
        record = await self.record()
        entry = None if record.key is None else await self.ledger.entry(record.key)
        living = entry is not None and not isinstance(entry.credential.state, Revoked | Failed)
        if not self._due(record, entry, living=living):
            return False
        order = Order(unprompted(self.services), self.services.now)
        new = self.requested(record, order) if self.setup.policy.backup_codes else None
        ended = None
        if entry is not None and living:
            ended = end_key(entry, await self.ledger.grants(entry), RevokeReason.REPLACED, order)
        kept = record.with_key(None if new is None else new.entry.id, self.services.now)
        for saved in await self.ledger.save_all([each for each in (ended, new) if each], kept.write()):
            await begin_work(saved, self.ledger, self.services)
        return True

    def _due(self, record: BackupCode, entry: KeyRecord | None, *, living: bool) -> bool:
        now = self.services.now
        if not self.setup.policy.backup_codes:
            return record.key is not None
        if entry is not None and living:
            return entry.credential.core.window.end <= now + RENEWED_BEFORE or not self.is_of(entry)
        failed = entry is not None and isinstance(entry.credential.state, Failed)
        return not failed or record.made_at is None or now >= record.made_at + ANEW_AFTER

    def is_of(self, entry: KeyRecord) -> bool:
        """Say whether a code is of the rooms to which the lock leads now: it may have been mapped anew."""
        return set(entry.credential.core.rooms) == set(self.door.rooms)

    def requested(self, record: BackupCode, order: Order) -> Change | None:
        """Return what writes the next code down; None where its locks can have none."""
        plan = self._plan(record)
        if plan is None:
            return None
        claim = ClaimKey(claim_key("issue-master", shift_id=f"backup-{record.device}-{record.made}"))
        core = CredentialCore(
            id=KeyCredentialId.mint(self.services.ids.ulid()),
            tenant=self.ledger.documents.tenant,
            property_id=record.property_id,
            holder=KEEPER,
            rooms=self.door.rooms,
            window=StayWindow(order.at, order.at + LASTS, self.setup.property.zone),
            plan=plan,
            claim=claim,
        )
        credential, facts = KeyCredential.request(core, at=order.at, by=order.by)
        saga = Saga(kind=Work.ISSUE, claim=claim)
        return Change(KeyRecord(credential, saga, order.cause, due=order.at + STARTED_WITHIN), facts)

    def _plan(self, record: BackupCode) -> IssuePlan | None:
        try:
            shares = split_stay(record.rooms, self.setup, (PIN,))
        except InvalidInput:
            return None  # the rooms have no lock any more
        own = [each for each in shares if each.vendor == self.door.vendor and PIN in each.kinds]
        return IssuePlan((Choice(self.door.vendor, PIN),)) if own else None
