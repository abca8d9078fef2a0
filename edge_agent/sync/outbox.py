"""The desk's outbox, pushed row by row: resumed where it ended, and wiped of what had to travel once.

The cloud counts our rows, and says up to which it has heard. What it says of a key is kept in the commit that
marks its rows, so that no crash leaves a reference behind that nobody needs any more. A key that the cloud
has ended is ended here too.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from edge_agent.cloud.line import CloudLine
from edge_agent.issuing.desk import OfflineDesk
from edge_agent.ledger.chain import OutboxRow
from edge_agent.ledger.ledger import DeskLedger, LedgerDoor
from shared.domain.kinds import RevokeReason
from shared.domain.states import Active
from shared.offline.certificate import OfflineCertificate

PATH: Final = "/sync/v1/push"
AT_ONCE: Final = 20
PATIENCE: Final = 60.0
OVER: Final = frozenset({"revoked", "failed"})


@dataclass(frozen=True, slots=True)
class OutboxPost:
    """Carries the outbox."""

    line: CloudLine
    ledger: LedgerDoor
    desk: OfflineDesk

    async def push(self, certificate: OfflineCertificate | None = None) -> int:
        """Tell the cloud all that it has not heard; return how many rows it heard."""
        count = 0
        while rows := await self.ledger.run(lambda it: it.unsent(AT_ONCE)):
            told = await self.line.ask(PATH, {"rows": [*map(_told, rows)]}, PATIENCE)
            upto, keys = int(told["heard"]), told["keys"]
            if upto < rows[0].sequence:
                return count
            ids = {key: one["keyCredentialId"] for key, one in keys.items() if one["keyCredentialId"]}
            await self.ledger.run(partial(_heard, upto=upto, keys=ids))
            count += sum(row.sequence <= upto for row in rows)
            await self._end([key for key, one in keys.items() if one["state"] in OVER], certificate)
        return count

    async def _end(self, keys: list[str], certificate: OfflineCertificate | None) -> None:
        """End keys here that are over in the cloud: their stay was cancelled, or is another by now."""
        for key_id in keys:
            key = await self.ledger.run(partial(DeskLedger.key, key_id=key_id))
            if key is not None and isinstance(key.state, Active) and certificate is not None:
                await self.desk.revoke(key_id, RevokeReason.REPLACED, certificate, None)


def _heard(ledger: DeskLedger, upto: int, keys: Mapping[str, str]) -> None:
    ledger.heard(upto, keys)


def _told(row: OutboxRow) -> dict[str, Any]:
    told = {
        "sequence": row.sequence,
        "at": row.at,
        "subject": row.subject,
        "keyId": row.key_id,
        "body": row.body.decode(),
        "commitment": base64.b64encode(row.commitment).decode(),
        "hash": base64.b64encode(row.hash).decode(),
    }
    if row.secret is None or row.salt is None:
        return told
    hidden = {"salt": row.salt.reveal(), "secret": row.secret.reveal()}
    return {**told, **{name: base64.b64encode(value).decode() for name, value in hidden.items()}}
