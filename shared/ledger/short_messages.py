"""Which notice an SMS tells of, by the name that its centre gave it: receipts name nothing else."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import ClassVar, Final

from shared.domain.documents import to_document
from shared.ledger.reading import read_stored
from shared.ports.documents import AlreadyExists, Create, Ref, TenantDocuments

SHORT_MESSAGES: Final = "short_messages"
KEPT_FOR: Final = timedelta(days=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortMessageSent:
    """What is kept of one."""

    schema_version: ClassVar[int] = 1

    notice: str


class ShortMessagesSent:
    """Those of one tenant, of late."""

    def __init__(self, documents: TenantDocuments) -> None:
        self._documents = documents

    async def keep(self, name: str, notice: str, now: datetime) -> None:
        """Keep what a centre called a message; one without a name is told of by no receipt."""
        if not name:
            return
        data = to_document(ShortMessageSent(notice=notice))
        try:
            await self._documents.commit([Create(_ref(name), data, now + KEPT_FOR)])
        except AlreadyExists:
            return

    async def notice_of(self, name: str) -> str | None:
        """Return which notice a message tells of; None of one that is not ours.

        Some centres answer in hexadecimal digits and tell of the same number in decimal ones.
        """
        for each in dict.fromkeys((name, *_other_ways(name))):
            if (found := await self._documents.get(_ref(each))) is not None:
                return read_stored(ShortMessageSent, found).notice
        return None


def _other_ways(name: str) -> tuple[str, ...]:
    if not name.isdecimal() or len(name) > len(str(2**64)):
        return ()
    return (f"{int(name):x}", f"{int(name):X}")


def _ref(name: str) -> Ref:
    return Ref(SHORT_MESSAGES, hashlib.sha256(name.encode()).hexdigest())
