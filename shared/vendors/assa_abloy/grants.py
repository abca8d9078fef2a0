"""A grant at Vostio, brought to its door."""

from dataclasses import dataclass

from shared.domain.secret import Secret
from shared.vendor_kit.asks import Row
from shared.vendor_kit.key_sync import KeySync
from shared.vendor_kit.rate import Urgency


@dataclass(frozen=True, slots=True)
class GrantSync(KeySync):
    """What Vostio's idempotency adds: a repeated key may be answered with a grant that is no more."""

    async def _add(self, secret: Secret[str], nonce: str | None = None) -> Row:
        row = await KeySync._add(self, secret, nonce)  # noqa: SLF001 - the step this one refines
        if nonce is None or not self.key.intent_predates or await self._stands(row):
            return row
        return await KeySync._add(self, secret)  # noqa: SLF001 - likewise

    async def _stands(self, row: Row) -> bool:
        """Say whether a grant is listed: what an earlier call made may have been deleted since."""
        return any(each.ref == row.ref for each in await self._namesakes(Urgency.ISSUE))
