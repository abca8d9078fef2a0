"""What a LockPort's caller is told of a key: as it stands, with what its holder is given."""

from collections.abc import Sequence
from typing import Final

from shared.domain.kinds import KeyCredentialKind
from shared.domain.secret import Secret
from shared.domain.states import Active, Suspended
from shared.domain.window import StayWindow
from shared.keywork.vendor_session import VendorSession
from shared.ledger.grant_record import GrantRecord
from shared.ledger.job_in_hand import JobInHand
from shared.ledger.key_record import KeyRecord
from shared.ledger.sealed_keys import SealedKey, SecretName
from shared.ports.lock_port import Artifact, ArtifactType, IssuedCredential, IssueResult
from shared.ports.secret_sources import SecretSource

ARTIFACTS: Final[dict[KeyCredentialKind, ArtifactType]] = {
    KeyCredentialKind.PIN_CODE: "pin",
    KeyCredentialKind.MOBILE_APP: "mobile_token",
    KeyCredentialKind.QR_CODE: "qr",
    KeyCredentialKind.NFC_TAG: "nfc",
    KeyCredentialKind.RFID_CARD: "rfid_card_ready_at",
}
"""How each kind's artifact is called in A §4."""


async def result_of(entry: KeyRecord, grants: Sequence[GrantRecord], desk: VendorSession) -> IssueResult:
    """Return the key, and what must be said of it."""
    core, job = entry.credential.core, in_hand_of(grants)
    kind, window = core.plan.current.kind, _window(entry)
    sealed = await desk.secrets.find(SecretName(core.id, kind, entry.secret_try))
    refs = _refs(sealed, grants) if job is None else Secret(job.job)
    state = entry.credential.state
    credential = IssuedCredential(
        key_credential_id=core.id,
        kind=kind,
        valid_from=window.start,
        valid_until=window.end,
        rooms=core.rooms if entry.amends is None else entry.amends.rooms,
        vendor=desk.vendor,
        vendor_ref=refs,
        provisional=core.provisional,
        issued_at=state.key.issued_at
        if isinstance(state, Active | Suspended)
        else entry.credential.changed_at,
        artifact=Artifact(ARTIFACTS[kind], _value(sealed, refs, desk, kind), job.encoder if job else None),
    )
    return IssueResult(credential, core.warnings)


def in_hand_of(grants: Sequence[GrantRecord]) -> JobInHand | None:
    """Return the job that the key waits for: a card that somebody is to lay on an encoder."""
    return next((kept.in_hand for kept in grants if kept.wanted and kept.in_hand is not None), None)


def _window(entry: KeyRecord) -> StayWindow:
    """Return when the key opens at all its locks, or is to."""
    state = entry.credential.state
    if entry.amends is not None:
        return entry.amends.window
    return state.key.effective if isinstance(state, Active | Suspended) else entry.credential.core.window


def _refs(sealed: SealedKey | None, grants: Sequence[GrantRecord]) -> Secret[str]:
    """Return how the vendor calls the key at each lock that it is to be at."""
    named = {} if sealed is None else sealed.refs
    here = (kept.grant.vendor_name for kept in grants if kept.wanted)
    return Secret(",".join(named[name].reveal() for name in here if name in named))


def _value(
    sealed: SealedKey | None, refs: Secret[str], desk: VendorSession, kind: KeyCredentialKind
) -> Secret[str] | None:
    """Return what the holder is given: what we drew or the vendor gave, or what its app redeems."""
    source = desk.source(kind)
    if source is SecretSource.ACCOUNT:
        return refs
    return None if sealed is None or source is SecretSource.NONE else sealed.artifact
