"""The desk's papers: its certificate and its arrivals, fetched while the line is up, proved before use.

What is kept is read and proved anew each time it is used: a file that somebody changed proves nothing. A list
of revocations is never replaced by an older one.
"""

from dataclasses import dataclass
from typing import Final

from edge_agent.cloud.line import CloudLine
from edge_agent.issuing.rules import PapersInHand
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


@dataclass(frozen=True, slots=True)
class DeskPapers:
    """Fetches, keeps and reads them."""

    line: CloudLine
    ledger: LedgerDoor
    identity: DeskIdentity
    device_key: bytes
    clock: Clock

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

    async def standing(self) -> PapersInHand:
        """Return what the desk has in hand, as it proves now."""
        return await self.ledger.run(self._standing)

    def _standing(self, ledger: DeskLedger) -> PapersInHand:
        pack = self._arrivals(ledger)
        return PapersInHand(
            certificate=self._certificate(ledger),
            revoked=None if pack is None else pack.revoked,
            pack=pack,
            device_key=self.device_key,
            now=self.clock.now(),
            clock_untrue=self.line.clock_is_untrue,
        )

    def _arrivals(self, ledger: DeskLedger) -> ArrivalsPack | None:
        kept = ledger.settings.get(ARRIVALS)
        try:
            return None if kept is None else ArrivalsPack.open(kept.encode(), self.identity.arrivals)
        except SignedRefused:
            return None

    def _certificate(self, ledger: DeskLedger) -> OfflineCertificate | None:
        kept = ledger.settings.get(CERTIFICATE)
        try:
            known = self.identity.certificates
            return None if kept is None else OfflineCertificate.open(kept.encode(), known)
        except SignedRefused:
            return None
