"""The desk's papers: its certificate and its arrivals, fetched while the line is up, proved before use.

What is kept is read anew each time it is used, and proved once for as long as it is the same, byte for byte:
a file that somebody changed proves nothing. A list of revocations is never replaced by an older one.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

from nacl.signing import VerifyKey

from edge_agent.cloud.line import CloudLine
from edge_agent.issuing.rules import Standing
from edge_agent.ledger.ledger import DeskLedger, LedgerDoor
from edge_agent.pairing.identity import DeskIdentity
from shared.offline.arrivals import ArrivalsPack
from shared.offline.certificate import OfflineCertificate
from shared.offline.signing import SignedRefused
from shared.ports.ambient import Clock

CERTIFICATE, ARRIVALS = "certificate", "arrivals"
CERTIFICATE_PATH: Final = "/edge/v1/certificate"
ARRIVALS_PATH: Final = "/edge/v1/arrivals"
PATIENCE: Final = 30.0
P = TypeVar("P", ArrivalsPack, OfflineCertificate)


@dataclass(frozen=True, slots=True)
class DeskPapers:
    """Fetches, keeps and reads them."""

    line: CloudLine
    ledger: LedgerDoor
    identity: DeskIdentity
    device_key: bytes
    clock: Clock
    _proved: dict[str, tuple[str, Any]] = field(default_factory=dict)

    async def fetch_arrivals(self) -> ArrivalsPack:
        """Fetch the arrivals; raise SignedRefused for those of somebody else, or from before what we have."""
        text = str((await self.line.ask(ARRIVALS_PATH, {}, PATIENCE))["arrivals"])
        pack = ArrivalsPack.open(text.encode(), self.identity.arrivals)
        ours = (self.identity.tenant, self.identity.property_id, self.identity.device)
        if (pack.tenant, pack.property_id, pack.device) != ours:
            raise SignedRefused("another_desk")
        known = await self.ledger.run(self._arrivals)
        if known is not None and (known.issued > pack.issued or known.revoked.number > pack.revoked.number):
            raise SignedRefused("older")
        await self.ledger.run(lambda it: it.settings.put(arrivals=text))
        return pack

    async def fetch_certificate(self) -> OfflineCertificate:
        """Fetch the certificate; raise SignedRefused for one of another device."""
        text = str((await self.line.ask(CERTIFICATE_PATH, {}, PATIENCE))["certificate"])
        found = OfflineCertificate.open(text.encode(), self.identity.certificates)
        if found.device_key != self.device_key or found.device != self.identity.device:
            raise SignedRefused("another_device")
        await self.ledger.run(lambda it: it.settings.put(certificate=text))
        return found

    async def standing(self) -> Standing:
        """Return what the desk has in hand, as it proves now."""
        return await self.ledger.run(self._standing)

    def _standing(self, ledger: DeskLedger) -> Standing:
        pack = self._arrivals(ledger)
        return Standing(
            certificate=self._certificate(ledger),
            revoked=None if pack is None else pack.revoked,
            pack=pack,
            device_key=self.device_key,
            now=self.clock.now(),
            clock_untrue=self.line.clock_is_untrue,
        )

    def _arrivals(self, ledger: DeskLedger) -> ArrivalsPack | None:
        return self._read(ledger, ARRIVALS, ArrivalsPack.open, self.identity.arrivals)

    def _certificate(self, ledger: DeskLedger) -> OfflineCertificate | None:
        return self._read(ledger, CERTIFICATE, OfflineCertificate.open, self.identity.certificates)

    def _read(
        self,
        ledger: DeskLedger,
        name: str,
        prove: Callable[[bytes, Iterable[VerifyKey]], P],
        keys: Iterable[VerifyKey],
    ) -> P | None:
        """Return a paper that is kept, if it proves; an agent asks each second, and it changes each day."""
        kept = ledger.settings.get(name)
        if kept is None:
            return None
        known: tuple[str, P | None] | None = self._proved.get(name)
        if known is None or known[0] != kept:
            known = self._proved[name] = kept, _proof(prove, kept, keys)
        return known[1]


def _proof(
    prove: Callable[[bytes, Iterable[VerifyKey]], P], kept: str, keys: Iterable[VerifyKey]
) -> P | None:
    try:
        return prove(kept.encode(), keys)
    except SignedRefused:
        return None
