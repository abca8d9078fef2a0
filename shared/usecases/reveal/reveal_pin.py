"""A member of staff sees one PIN, for a reason that is noted before the digits leave us.

1. The key is one that opens: of others there is nothing to see.
2. The look is counted. Whoever looks too often is refused, and somebody is called.
3. It is noted in one commit with its event, which goes into the audit log: who, of which stay, why.
4. Only then is the secret opened. A crash between the two leaves a look noted that nobody had.

Nothing of the PIN is written down, logged, or kept for a request that comes again. Decision 0095.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Annotated, ClassVar, Final

from shared.domain.core import Guest
from shared.domain.ids import CredentialId, TenantId, UserId
from shared.domain.instants import Moment
from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret
from shared.domain.states import Active
from shared.domain.stored import UNSTORED
from shared.keywork.services import retry_on_conflict
from shared.ledger.key_record import KeyRecord, key_record_from, ref_of
from shared.ledger.reading import read_record
from shared.ledger.sealed_keys import SealedKeys, SecretName
from shared.ports.documents import Ref, TenantDocuments
from shared.streams.record import Record
from shared.usecases.audit.disclosures import Disclosure, note
from shared.usecases.audit.questions import STAY, Asked
from shared.usecases.audit.services import AuditServices

REVEALS: Final = "pin_reveals"
WITHIN: Final = timedelta(hours=1)
MOST: Final = 10
"""So many a clerk on a busy evening needs, and somebody who collects codes does not."""


class NothingToSee(Exception):
    """A key that opens nothing by a PIN now, in our own words."""


class LookedTooOften(Exception):
    """Somebody who has seen as many PINs as one may within an hour."""


@dataclass(frozen=True, slots=True)
class RevealPin:
    """Which key's PIN, on whose word, and why."""

    tenant: TenantId
    key: CredentialId
    by: UserId
    reason: str


@dataclass(frozen=True, slots=True)
class Revealed:
    """A PIN, and the note of the look."""

    pin: Secret[str]
    record: KeyRecord
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Looks(Record):
    """When somebody looked within the last hour."""

    schema_version: ClassVar[int] = 1

    by: Annotated[str, UNSTORED] = ""
    times: tuple[Moment, ...] = ()

    @property
    def ref(self) -> Ref:
        """Where they are kept: one document for each who looks."""
        return Ref(REVEALS, self.by)

    @property
    def kept_until(self) -> datetime:
        """When they count no more, and a while."""
        return self.times[-1] + 2 * WITHIN

    def after(self, now: datetime) -> "Looks":
        """Return them with one look more."""
        return replace(self, times=(*(each for each in self.times if each > now - WITHIN), now))


async def reveal_pin(command: RevealPin, on: AuditServices) -> Revealed:
    """Note a look, and return what it sees."""
    documents = on.documents.tenant(command.tenant)
    record, name = await _opens(command, documents, on.now)
    await retry_on_conflict(lambda: _counted(command, documents, on))
    holder = record.credential.core.holder
    assert isinstance(holder, Guest)  # noqa: S101 - only a guest's key is found to open by a PIN
    asked = Asked(command.tenant, STAY, holder.reservation_id)
    noted = await note(Disclosure(asked, command.by, "reveal", command.reason), on)
    vendor = record.credential.core.plan.current.vendor
    sealed = SealedKeys(on.sealed.tenant(command.tenant), on.cipher, vendor)
    pin = await sealed.artifact(name)
    if pin is None:
        raise NothingToSee("its secret is gone: its vendor may have it no more")
    about = {"keyCredentialId": command.key, "by": command.by, "reason": command.reason}
    on.log.warning("a PIN was shown to a member of staff", disclosure=noted, **about)
    return Revealed(pin, record, noted)


async def _opens(
    command: RevealPin, documents: TenantDocuments, now: datetime
) -> tuple[KeyRecord, SecretName]:
    found = await documents.get(ref_of(command.key))
    record = None if found is None else key_record_from(found)
    state = None if record is None else record.credential.state
    if record is None or not isinstance(state, Active) or record.credential.core.window.end <= now:
        raise NothingToSee("the key opens nothing now, or its stay is over")
    if state.key.kind is not KeyCredentialKind.PIN_CODE or not isinstance(
        record.credential.core.holder, Guest
    ):
        raise NothingToSee("it is no guest's PIN")
    return record, SecretName(record.id, state.key.kind, record.secret_try)


async def _counted(command: RevealPin, documents: TenantDocuments, on: AuditServices) -> None:
    """Count a look under its looker's own document, or refuse it: of two at once, both are counted."""
    looks = Looks(by=command.by)
    found = await documents.get(looks.ref)
    if found is not None:
        looks = replace(read_record(Looks, found), by=command.by)
    after = looks.after(on.now)
    if len(after.times) > MOST:
        raise LookedTooOften(f"more than {MOST} within an hour")
    await after.saved(documents)
    if len(after.times) == MOST:
        about = {"by": command.by, "within": str(WITHIN)}
        on.log.alert("somebody looks at many PINs", runbook="lock/pin-reveals", looks=MOST, **about)
