"""What is to go from a lock goes, and is noted as gone; what would not go is asked again by the next walk."""

from collections.abc import Sequence
from dataclasses import replace

from shared.domain.lock_errors import KeyRevokeFailed, LockError
from shared.keywork.lock_key import lock_key
from shared.keywork.services import Services
from shared.keywork.vault import secret_of
from shared.keywork.vendor_session import VendorSession
from shared.ledger.finding import Finding, FindingEnd
from shared.ledger.finding_refs import FindingRefs
from shared.ledger.grant_record import GrantRecord
from shared.ledger.ledger import Ledger
from shared.ports.listed_keys import ListsKeys
from shared.ports.lock_causes import IN_LINE, deferred_by_us
from shared.usecases.reconcile.note_odd import FindingAtLock

ZONE = "UTC"


async def take_away(
    found: Sequence[FindingAtLock],
    desk: VendorSession,
    ledger: Ledger,
    refs: FindingRefs,
    services: Services,
) -> None:
    """Remove what is to go, one key after another, and save each as it came out."""
    for each in found:
        if each.finding.over or each.listed is None or not each.finding.to_be_removed(services.now):
            continue
        finding = await _taken(each, desk, ledger, services)
        await ledger.documents.commit([finding.write()])
        if finding.over:
            await refs.forget(finding.id)


async def _taken(each: FindingAtLock, desk: VendorSession, ledger: Ledger, services: Services) -> Finding:
    try:
        if not await _removed(each, desk, ledger):
            return each.finding
    except LockError as error:
        if not deferred_by_us(error):
            _alarm(each.finding, error, services)
        return replace(each.finding, cause=error.cause.kind)
    services.log.info("a key was removed that was not to be there", finding=each.finding.id)
    return each.finding.ended(FindingEnd.REMOVED, services.now)


async def _removed(each: FindingAtLock, desk: VendorSession, ledger: Ledger) -> bool:
    """Remove a key of nobody's by its number; ours by its name, unless its grant has changed by now."""
    assert each.listed is not None  # noqa: S101 - what no list has need not go
    if each.kept is None:
        assert isinstance(desk.port, ListsKeys)  # noqa: S101 - who listed it can remove it
        await desk.port.remove_listed(each.finding.device_id, each.listed)
        return True
    kept = await ledger.grant(each.kept.grant.id)
    if kept is None or kept.version != each.kept.version:
        return False  # whoever changed it works on it
    await _ours(kept, desk)
    return True


async def _ours(kept: GrantRecord, desk: VendorSession) -> None:
    sealed = await desk.secrets.find(secret_of(kept))
    key = lock_key(kept, kept.window(ZONE), sealed)
    await (desk.port.remove(key) if kept.over else desk.port.suspend(key))


def _alarm(finding: Finding, error: LockError, services: Services) -> None:
    """Say once that a lock keeps what should be gone."""
    if finding.cause in (None, *IN_LINE):
        services.log.alert(
            KeyRevokeFailed.code,
            runbook="lock/findings",
            finding=finding.id,
            keyCredentialId=finding.credential_id,
            deviceId=finding.device_id,
            cause=error.cause.kind,
        )
