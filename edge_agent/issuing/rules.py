"""May a desk make this key alone? One table, in the order in which a clerk should hear of it.

Every row is checked again by the cloud when the desk is back; here they keep an honest desk from a mistake.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from shared.domain.ids import CredentialId, ReservationId, RoomId, UserId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.permissions import Permission
from shared.domain.window import StayWindow
from shared.offline.arrivals import ArrivalsPack, ExpectedStay
from shared.offline.certificate import OfflineCertificate, RevocationList, why_not


@dataclass(frozen=True, slots=True, kw_only=True)
class OfflineWish:
    """What a clerk asks for; `once` names the press of the button, so that pressing twice is one wish."""

    once: str
    reservation: ReservationId
    rooms: tuple[RoomId, ...]
    kind: KeyCredentialKind
    clerk: UserId
    until: datetime | None = None
    replaces: CredentialId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PapersInHand:
    """What a desk has in hand: its certificate, what was revoked, its arrivals, its key, and the time."""

    certificate: OfflineCertificate | None
    revoked: RevocationList | None
    pack: ArrivalsPack | None
    device_key: bytes
    now: datetime
    clock_untrue: bool = False
    """The cloud told of late that the desk's clock is wrong: its cards would begin and end at wrong times."""


Check = Callable[[OfflineWish, PapersInHand], str | None]


def refusal(wish: OfflineWish, standing: PapersInHand) -> str | None:
    """Return why the key may not be made here and now, in a word; None says that it may."""
    return next((reason for check in CHECKS if (reason := check(wish, standing))), None)


def window_of(wish: OfflineWish, stay: ExpectedStay, standing: PapersInHand) -> StayWindow:
    """Return the key's window: the stay's, from now on, cut at what the certificate allows."""
    longest = standing.certificate.longest if standing.certificate else timedelta(0)
    start = max(stay.window.start, standing.now)
    end = min(stay.window.end, wish.until or stay.window.end, start + longest)
    return StayWindow(start, end, stay.window.zone)


def _certified(_: OfflineWish, standing: PapersInHand) -> str | None:
    if standing.certificate is None:
        return "no_certificate"
    return why_not(standing.certificate, standing.revoked, standing.device_key, standing.now)


def _on_time(_: OfflineWish, standing: PapersInHand) -> str | None:
    return "clock_untrue" if standing.clock_untrue else None


def _informed(_: OfflineWish, standing: PapersInHand) -> str | None:
    pack, certificate = standing.pack, standing.certificate
    if pack is None or certificate is None:
        return "no_arrivals"
    ours = (certificate.tenant, certificate.property_id, certificate.device)
    if (pack.tenant, pack.property_id, pack.device) != ours:
        return "arrivals_of_another_desk"
    if certificate.serial in pack.revoked.serials:
        return "revoked"
    return None if pack.fresh(standing.now) else "arrivals_too_old"


def _permitted(wish: OfflineWish, standing: PapersInHand) -> str | None:
    allowed = standing.pack is not None and standing.pack.may(wish.clerk, Permission.KEY_ISSUE_OFFLINE)
    return None if allowed else "not_permitted"


def _certified_kind(wish: OfflineWish, standing: PapersInHand) -> str | None:
    kinds = standing.certificate.kinds if standing.certificate else ()
    return None if wish.kind in kinds else "kind_not_certified"


def _expected(wish: OfflineWish, standing: PapersInHand) -> str | None:
    stay = standing.pack.stay(wish.reservation) if standing.pack else None
    if stay is None:
        return "stay_unknown"
    return stay.why_not() or _of_the_stay(wish, stay, standing)


def _of_the_stay(wish: OfflineWish, stay: ExpectedStay, standing: PapersInHand) -> str | None:
    if not wish.rooms or not set(wish.rooms) <= set(stay.rooms):
        return "another_room"
    ends = min(stay.window.end, wish.until or stay.window.end)
    return None if max(stay.window.start, standing.now) < ends else "stay_over"


CHECKS: Final[tuple[Check, ...]] = (_on_time, _certified, _informed, _permitted, _certified_kind, _expected)
