"""Somebody was at the door: what was left there opens it no more, whatever its vendor says."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Self

from shared.domain.errors import InvalidInput
from shared.domain.grant_lifecycle import Removed, Residual
from shared.domain.ids import GrantId, TenantId, UserId
from shared.domain.lifecycle import name_of
from shared.keywork.attempt import AttemptContext
from shared.keywork.decide_settle import conclude_settling
from shared.keywork.errand import Errand, SettleAttempt
from shared.keywork.services import Services, retry_on_conflict
from shared.ledger.grant_record import GRANTS, GrantRecord, grant_from
from shared.ledger.ledger import Ledger
from shared.ledger.sealed_keys import SealedKeys
from shared.ports.documents import DocumentStore, Ref, TenantDocuments
from shared.ports.vault import Cipher


@dataclass(frozen=True, slots=True)
class CloseResidue:
    """Which residue is to be closed, and who saw to it."""

    tenant: TenantId
    grant: GrantId
    by: UserId

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        return cls(
            TenantId.parse(body.get("tenant"), "tenant"),
            GrantId.parse(body.get("grant"), "grant"),
            UserId.parse(body.get("by"), "by"),
        )


@dataclass(frozen=True, slots=True)
class Vault:
    """Where the secrets of keys are, to be destroyed with their last grant."""

    sealed: DocumentStore
    cipher: Cipher


async def close_residue(command: CloseResidue, vault: Vault, services: Services) -> dict[str, Any]:
    """Close a residue, and say how it stands now; one that is over already is left as it is."""
    ledger = await services.ledger(command.tenant)
    kept = await retry_on_conflict(lambda: _closed(command, ledger, vault, services))
    state = kept.grant.state
    proof = state.proof.value if isinstance(state, Removed) else None
    return {"grant": kept.grant.id, "keyCredentialId": kept.grant.credential_id, "proof": proof}


async def check_residue(grant: GrantId, documents: TenantDocuments, now: datetime) -> None:
    """Refuse what cannot be closed now, before anybody is asked to close it."""
    found = await documents.get(Ref(GRANTS, grant))
    if found is not None:
        _check(grant_from(found), now)


async def _closed(command: CloseResidue, ledger: Ledger, vault: Vault, services: Services) -> GrantRecord:
    kept = await _found(command, ledger)
    if kept.over:
        return kept
    _check(kept, services.now)
    entry = await ledger.entry(kept.grant.credential_id)
    assert entry is not None  # noqa: S101 - a grant is written with its key, and neither is ever deleted
    task = AttemptContext(entry, ledger, services, kept.grant.vendor)
    secrets = SealedKeys(vault.sealed.tenant(entry.credential.tenant), vault.cipher, kept.grant.vendor)
    closing = Errand(kept, closed_by=command.by)
    await conclude_settling(SettleAttempt(task, await task.grants(), (closing,), secrets=secrets))
    services.log.info("a residue was closed", grantId=command.grant, by=command.by, keyCredentialId=entry.id)
    return await _found(command, ledger)


async def _found(command: CloseResidue, ledger: Ledger) -> GrantRecord:
    kept = await ledger.grant(command.grant)
    if kept is None:
        raise InvalidInput("grant", "no such grant", "name one that keyfleet residue list shows")
    return kept


def _check(kept: GrantRecord, now: datetime) -> None:
    """Refuse what nobody's eyes can prove: a saga still asks for it, or a call may still place it again."""
    if not isinstance(kept.grant.state, Residual):
        state = name_of(type(kept.grant.state))
        raise InvalidInput(
            "grant", f"{state}, not residual", "end the stay, or wait until its saga stops asking"
        )
    if kept.busy(now):
        until = f"{kept.busy_until:%H:%M:%S} UTC"
        raise InvalidInput("grant", "a call may still place it", f"look at the door again after {until}")
