"""From the platform to what the commands on keys work with."""

from shared.domain.kinds import VendorCode
from shared.keywork.services import Services
from shared.keywork.trouble_line import TroubleLine
from shared.keywork.vendor_session import VendorSessions
from shared.runtime.platform import Platform
from shared.streams.heard import HeardBus
from shared.vendor_kit.binding import AdapterPorts, OpenVendor


def services_of(on: Platform) -> Services:
    """Return what the commands work with."""
    line: TroubleLine = on.kept.setdefault("trouble line", TroubleLine())
    bus = HeardBus(on.bus, on.hotels)
    return Services(on.hotels, bus, on.sagas, on.ids, on.clock, on.entropy, on.log, line)


def desks_of(on: Platform, vendor: VendorCode, opener: OpenVendor, build: str = "") -> VendorSessions:
    """Return one vendor's desks, which stay open between requests of one build."""
    name = f"desks:{vendor}{build}"
    if name not in on.kept:
        on.kept[name] = VendorSessions(vendor, opener, on.hotels, on.secrets, _means(on))
    desks: VendorSessions = on.kept[name]
    return desks


def _means(on: Platform) -> AdapterPorts:
    return AdapterPorts(
        http=on.http,
        clock=on.clock,
        entropy=on.entropy,
        leases=on.leases,
        documents=on.documents,
        sealed=on.sealed,
        cipher=on.cipher,
        guards=on.guards,
    )
