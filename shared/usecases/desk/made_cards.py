"""A desk's own card or PIN, noted where the cloud's own are: at its doors, and sealed."""

from collections.abc import Sequence
from typing import Final

from shared.domain.grant import name_at_vendor
from shared.domain.kinds import VendorCode
from shared.domain.premises import LockDevice
from shared.domain.secret import Secret
from shared.keywork.vault import KEPT_AFTER_STAY
from shared.ledger.grant_record import GrantRecord
from shared.ledger.key_record import KeyRecord
from shared.ledger.sealed_keys import SealedKey, SealedKeys, SecretName
from shared.ports.documents import Write
from shared.usecases.desk.desk_facts import CARDS, MadeAlone
from shared.usecases.desk.desks import KnownDesk
from shared.usecases.desk.services import DeskServices
from shared.vendor_kit.desk_jobs import DeskJobs
from shared.vendor_kit.written_cards import WrittenCard

PIN: Final = "pin:"


def noted(
    made: MadeAlone, entry: KeyRecord, doors: Sequence[LockDevice], desk: KnownDesk, on: DeskServices
) -> list[Write]:
    """Return what notes a card at the doors that it opens, so that the next guest's ends it there."""
    if made.kind not in CARDS:
        return []
    name = name_at_vendor(f"{entry.id}|{made.kind}|{entry.secret_try}")
    jobs = DeskJobs(desk.store, on.keys.clock, made.vendor, desk.record.property_id)
    card = WrittenCard(str(made.local), name, made.end, made.issued_at, made.number)
    return [*jobs.note(card, [door.vendor_device for door in doors])]


async def sealed(
    made: MadeAlone, entry: KeyRecord, grants: Sequence[GrantRecord], desk: KnownDesk, on: DeskServices
) -> None:
    """Keep what the desk told of the key for whoever may open it; one that is kept already stands."""
    secrets = SealedKeys(on.sealed.tenant(desk.tenant), on.cipher, VendorCode(made.vendor))
    told = made.reference.reveal()
    pin = Secret(told.removeprefix(PIN)) if told.startswith(PIN) else None
    refs = {kept.grant.vendor_name: made.reference for kept in grants}
    name = SecretName(entry.id, made.kind, entry.secret_try)
    await secrets.keep(SealedKey(name, pin, made.end + KEPT_AFTER_STAY, refs))
