"""What is noted of relays, such as gateways: one document a property, with each lock's relay."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.instants import instant_from_text, instant_to_text
from shared.ports.documents import AlreadyExists, Create, Document, Ref, StaleVersion, TenantDocuments, Update

COLLECTION: Final = "vendor_gateways"
SCHEMA_VERSION: Final = 2
TRIES: Final = 3
MOST_KNOWN: Final = 2048
GOOD_FOR: Final = timedelta(days=7)
"""Relays hang on walls. One that moves is noticed by what the vendor then refuses."""
NONE_GOOD_FOR: Final = timedelta(hours=1)
"""A lock without a relay may only have lost it for a while."""


@dataclass(frozen=True, slots=True)
class Reach:
    """The relay a lock is spoken to through, if there is one, its signal, and when we were told."""

    relay: str | None
    signal: int
    told_at: datetime

    @property
    def lasts(self) -> timedelta:
        """For how long this is believed."""
        return NONE_GOOD_FOR if self.relay is None else GOOD_FOR

    def says_no_more_than(self, known: "Reach | None") -> bool:
        """Say whether it is hardly worth writing down beside what is noted."""
        if known is None or known.relay != self.relay:
            return False
        return self.told_at - known.told_at < self.lasts / 2


Reaches = Mapping[str, Reach]


def latest(known: Reaches) -> dict[str, Reach]:
    """Return what was told last, where more is known than any hotel has locks."""
    if len(known) <= MOST_KNOWN:
        return dict(known)
    by_age = sorted(known, key=lambda lock: known[lock].told_at)
    return {lock: known[lock] for lock in by_age[-MOST_KNOWN:]}


class RelayNotes:
    """One property's notes."""

    def __init__(self, documents: TenantDocuments, vendor: str, property_id: str) -> None:
        self.vendor, self.property_id = vendor, property_id
        self._documents, self._ref = documents, Ref(COLLECTION, f"{vendor}-{property_id}")

    async def read(self) -> Reaches:
        """Return what is noted."""
        return _read(await self._documents.get(self._ref))

    async def keep(self, told: Reaches) -> None:
        """Note what is new, beside what others noted meanwhile; who is overtaken too often lets it be."""
        for _ in range(TRIES):
            found = await self._documents.get(self._ref)
            noted = _read(found)
            news = {lock: told[lock] for lock in told if not told[lock].says_no_more_than(noted.get(lock))}
            if not news:
                return
            with suppress(AlreadyExists, StaleVersion):
                await self._documents.commit([self._write({**noted, **news}, found)])
                return

    def _write(self, noted: Reaches, over: Document | None) -> Create | Update:
        locks = {lock: _plain(noted[lock]) for lock in sorted(noted)}
        data = {"schema_version": SCHEMA_VERSION, "locks": locks}
        return Create(self._ref, data) if over is None else Update(self._ref, data, over.version)


def _read(found: Document | None) -> Reaches:
    # Version 1 had no times: what it noted is as good as unknown.
    plain = {} if found is None else found.data.get("locks", {})
    return {lock: _reach(each) for lock, each in plain.items()}


def _plain(reach: Reach) -> dict[str, Any]:
    return {"gateway": reach.relay, "signal": reach.signal, "told_at": instant_to_text(reach.told_at)}


def _reach(plain: Mapping[str, Any]) -> Reach:
    return Reach(plain["gateway"], plain["signal"], instant_from_text(plain["told_at"], "told_at"))
