"""What an adapter does about an account of its vendor: it alone may read one.

| asked | how it is found out | answer |
|---|---|---|
| prove | the next account lists each lock of the old one; if that is refused, some | proven, refused, later |
| | if the old one cannot be asked now, each lock that is mapped | |
| retire | the old account is refused: it is destroyed | retired, accepted, later |
| show | an open break-glass: sealed to the one who asked | shown, over |

A token that was got by another account proves nothing, so a trial begins without any.
"""

import base64
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId
from shared.domain.lock_errors import LockError
from shared.domain.secret import Secret
from shared.keywork.vendor_session import VendorSessions
from shared.ledger.account_rotation import AccountRotation, Stage, find_rotation
from shared.ledger.break_glass import find_glass
from shared.ports.lock_causes import LockCause
from shared.ports.vault import SecretMissing
from shared.usecases.accounts.deeds import Deed, saved_with
from shared.usecases.accounts.rotate import WhichAccount, turn_of
from shared.usecases.accounts.services import NEXT, AccountServices, next_account
from shared.vendor_kit.account_owners import Owner

REFUSED: Final = frozenset({LockCause.ACCOUNT_REFUSED, "account_missing", "account_shared"})
"""What says of an account that it is none of ours, or none at all; anything else may pass."""
SENT_BACK: Final = REFUSED | {"the_same", "other_locks"}
Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class TryAccount:
    """A call about an account, and what it is answered with."""

    which: WhichAccount
    body: Mapping[str, Any]
    desks: VendorSessions
    on: AccountServices

    @classmethod
    def of(cls, body: Mapping[str, Any], desks: VendorSessions, on: AccountServices) -> "TryAccount":
        """Read the call; one about another vendor is refused."""
        which = WhichAccount.of(body)
        if which.vendor != desks.vendor:
            raise InvalidInput("vendor", "another's", f"call adapter-{which.vendor}")
        return cls(which, body, desks, on)

    async def answer(self) -> Answer:
        """Do what is asked."""
        doing = DOINGS.get(str(self.body.get("do")))
        if doing is None:
            raise InvalidInput("do", "not among what can be done", f"say {', '.join(DOINGS)}")
        return await doing(self)

    @property
    def owner(self) -> Owner:
        """Whose account it is."""
        return Owner(self.which.tenant, self.which.property_id)

    async def record(self) -> AccountRotation | None:
        """Return what is kept of the account, if the call is about its present turn, by who sees to that."""
        store = self.on.documents.tenant(self.which.tenant)
        record = await find_rotation(store, self.which.vendor, self.which.property_id)
        if record is None or record.turn != turn_of(self.body):
            return None
        execution = self.body.get("execution") or record.execution
        return record if record.execution in (None, execution) else None

    async def save(self, record: AccountRotation, *deeds: Deed) -> AccountRotation:
        """Keep what became of it, and what was done."""
        return await saved_with(record, deeds, self.on.documents.tenant(self.which.tenant), self.on)

    async def mapped(self) -> frozenset[LockDeviceId]:
        """Return the property's locks of the vendor, whoever sees them."""
        premises = await self.on.hotels.premises(self.which.tenant, self.which.property_id)
        return frozenset(each.id for each in premises.of_vendor(self.which.vendor))

    async def listed(self, account: Secret[bytes]) -> frozenset[LockDeviceId] | str:
        """Return the locks that an account sees, or why it sees none."""
        try:
            port = await self.desks.on_trial(account, self.owner)
            found = await port.list_devices(self.which.property_id)
        except LockError as error:
            return error.cause.kind
        return frozenset(each.device_id for each in found)


async def prove(call: TryAccount) -> Answer:
    """Take the next account into use once the vendor knows it, and shows the same locks by it."""
    record = await call.record()
    if record is None or record.stage is Stage.RESTING:
        return {"outcome": "over"}
    if record.stage is Stage.OVERLAPPING:
        return {"outcome": "proven"}
    purpose, sealed = next_account(record.vendor), call.on.sealed_of(call.which.tenant)
    following = await sealed.find(NEXT, record.name, purpose)
    return {"outcome": "refused"} if following is None else await _tried(call, record, following)


async def _tried(call: TryAccount, record: AccountRotation, following: Secret[bytes]) -> Answer:
    used = await call.desks.accounts(call.owner)
    if record.old is not None and used.version > record.old and used.value.reveal() == following.reveal():
        return await _taken(call, record, used.version)  # died between taking it and saying so
    why = await _not_good(call, used.value, following)
    if why is None:
        noted = await call.save(replace(record, old=used.version))
        return await _taken(call, noted, await call.desks.use(following, call.owner))
    if why != record.refused:
        await call.save(replace(record, refused=why), Deed.of_rotation("account_refused", record, why))
    if why not in SENT_BACK:
        return {"outcome": "later", "because": why}
    await _send_back(call, record, following)
    call.on.log.warning("an account that was brought is refused", vendor=record.vendor, because=why)
    return {"outcome": "refused", "because": why}


async def _send_back(call: TryAccount, record: AccountRotation, following: Secret[bytes]) -> None:
    """Destroy an account that is not good; one that was brought in its place meanwhile is tried next."""
    sealed = call.on.sealed_of(call.which.tenant)
    kept = await sealed.find(NEXT, record.name, next_account(record.vendor))
    if kept is not None and kept.reveal() == following.reveal():
        await sealed.forget(NEXT, record.name)


async def _taken(call: TryAccount, record: AccountRotation, version: int) -> Answer:
    taken = record.taken(version, call.on.now)
    await call.save(taken, Deed.of_rotation("account_taken", taken))
    await call.on.sealed_of(call.which.tenant).forget(NEXT, record.name)
    call.on.log.warning("another account is used", vendor=record.vendor, property=record.property_id)
    return {"outcome": "proven"}


async def _not_good(call: TryAccount, used: Secret[bytes], following: Secret[bytes]) -> str | None:
    """Return why the next account is none, or None."""
    if used.reveal() == following.reveal():
        return "the_same"
    seen, before = await call.listed(following), await call.listed(used)
    if isinstance(seen, str):
        return seen
    if isinstance(before, frozenset):
        return None if before <= seen else "other_locks"
    if before in REFUSED:
        return None if seen else "other_locks"
    return None if seen and await call.mapped() <= seen else before


async def retire(call: TryAccount) -> Answer:
    """Destroy the old account once its vendor refuses it."""
    record = await call.record()
    if record is None or record.stage is not Stage.OVERLAPPING or record.old is None:
        return {"outcome": "over"}
    try:
        old = await call.desks.accounts(call.owner, record.old)
    except SecretMissing:
        old = None  # died between destroying it and saying so
    if old is not None:
        said = await call.listed(old.value)
        if isinstance(said, frozenset):
            return {"outcome": "accepted"}
        if said not in REFUSED:
            return {"outcome": "later", "because": said}
        await call.desks.destroy(record.old, call.owner)
    over, deeds = record.over(call.on.now), [Deed.of_rotation("account_retired", record)]
    if over.stage is not Stage.RESTING:  # what is used now was shown to somebody
        deeds.append(Deed.of_rotation("rotation_begun", over))
    await call.save(over, *deeds)
    call.on.log.warning("an old account is gone", vendor=record.vendor, property=record.property_id)
    return {"outcome": "retired"}


async def show(call: TryAccount) -> Answer:
    """Seal the account to the person for whom two others have broken the glass."""
    from nacl.public import PublicKey, SealedBox

    glass = await find_glass(call.on.documents.tenant(call.which.tenant), str(call.body.get("glass")))
    about = (call.which.vendor, call.which.property_id)
    if glass is None or not glass.shows(call.on.now) or (glass.vendor, glass.property_id) != about:
        return {"outcome": "over"}
    account = (await call.desks.accounts(call.owner)).value
    box = SealedBox(PublicKey(base64.b64decode(glass.seal_to))).encrypt(account.reveal())
    await glass.keep_box(box, call.on.sealed.tenant(call.which.tenant))
    return {"outcome": "shown"}


DOINGS: Final[Mapping[str, Callable[[TryAccount], Awaitable[Answer]]]] = {
    "prove": prove,
    "retire": retire,
    "show": show,
}
