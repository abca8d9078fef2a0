"""What a tenant wants of its keys: kinds in order, delays, and the few permissions that need a decision."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar, Final

from shared.domain.errors import InvalidInput
from shared.domain.instants import utc
from shared.domain.kinds import KeyCredentialKind, VendorCode

_LONGEST_DELAY_HOURS: Final = 7 * 24
_LONGEST_LEAD_HOURS: Final = 366 * 24
_EARLIEST_MINUTES: Final = 12 * 60
_LATEST_MINUTES: Final = 3 * 60
"""With a vendor's steps a key opens for less than the four hours that are taken for its exposure."""
_KINDS: Final = tuple(kind.value for kind in KeyCredentialKind)
_ONE_VENDORS: Final = re.compile(r"([a-z][a-z0-9]*)EKeys")
_SPEAKABLE: Final = re.compile(r"[a-z][A-Za-z]{0,39}")


class SharedRooms(StrEnum):
    """What becomes of a stay in a room that another guest has at its time."""

    JOINER = "joiner"
    REFUSE = "refuse"


def _check_range(field: str, value: int, low: int, high: int) -> None:
    if not low <= value <= high:
        raise InvalidInput(field, "out of range", f"Give a whole number from {low} to {high}")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyKindPolicy:
    """One tenant's or property's policy; `version` is its own count of changes, not the schema's."""

    schema_version: ClassVar[int] = 1

    preferred_kinds: tuple[KeyCredentialKind, ...] = (
        KeyCredentialKind.MOBILE_APP,
        KeyCredentialKind.PIN_CODE,
        KeyCredentialKind.RFID_CARD,
        KeyCredentialKind.QR_CODE,
        KeyCredentialKind.NFC_TAG,
    )
    no_show_suspend_after_hours: int = 0
    offline_issuance: bool = True
    """May desks issue without the cloud at all; the clerk's permission and a certificate are needed too."""
    accepts_unenforced_windows: tuple[VendorCode, ...] = ()
    """Where no lock of a vendor enforces a key's window, guests get one only if the tenant accepts that."""
    pin_digits: int = 6
    lead_time_hours: int | None = None
    """So long before arrival a key is made; at once where nobody says."""
    early_arrival_minutes: int | None = None
    late_departure_minutes: int | None = None
    """So long before and after the stay its keys open too, while nobody else has the rooms. Who says none of
    both never did; with 0 keys that were made before make way for whoever comes next."""
    shared_rooms: SharedRooms = SharedRooms.JOINER
    backup_codes: bool = False
    """Whether each set of rooms has a code in reserve, for a desk to hand out."""
    version: int = 0

    def __post_init__(self) -> None:
        if not self.preferred_kinds or len(set(self.preferred_kinds)) != len(self.preferred_kinds):
            raise InvalidInput("preferredKinds", "empty or repeated", "Give each kind once, best first")
        _check_range("noShowSuspendAfterHours", self.no_show_suspend_after_hours, 0, _LONGEST_DELAY_HOURS)
        _check_range("pinDigits", self.pin_digits, 6, 8)
        if self.lead_time_hours is not None:
            _check_range("leadTimeHours", self.lead_time_hours, 2, _LONGEST_LEAD_HOURS)
        _check_range("earlyArrivalMinutes", self.early_arrival_minutes or 0, 0, _EARLIEST_MINUTES)
        _check_range("lateDepartureMinutes", self.late_departure_minutes or 0, 0, _LATEST_MINUTES)
        _check_range("version", self.version, 0, 2**53)

    def with_settings(self, settings: Mapping[str, Any]) -> "KeyKindPolicy":
        """Lay a tenant's or property's settings over this policy; what they leave out stays."""
        changes = {}
        for name, value in settings.items():
            field, read = _SETTINGS.get(name) or _of_one_vendor(name) or _refuse_setting(name)
            changes[field] = read(name, value)
        return replace(self, **changes)

    def kinds_for(
        self, vendor: VendorCode, unenforced: Collection[KeyCredentialKind] = ()
    ) -> tuple[KeyCredentialKind, ...]:
        """Return the kinds a guest may be given on this vendor's locks, best first.

        `unenforced` are those whose window no lock of the vendor enforces.
        """
        accepted = self.accepts_unenforced(vendor)
        return tuple(kind for kind in self.preferred_kinds if accepted or kind not in unenforced)

    def accepts_unenforced(self, vendor: VendorCode) -> bool:
        """Say whether guests may have a key that no lock of this vendor ends by itself."""
        return vendor in self.accepts_unenforced_windows

    @property
    def lead_time(self) -> timedelta | None:
        """How long before arrival a key is made; None where that is at once."""
        return None if self.lead_time_hours is None else timedelta(hours=self.lead_time_hours)

    @property
    def has_leeway(self) -> bool:
        """Say whether keys open before or after their stays, or ever did."""
        return self.early_arrival_minutes is not None or self.late_departure_minutes is not None

    @property
    def early_arrival(self) -> timedelta:
        """How long before a stay its keys open."""
        return timedelta(minutes=self.early_arrival_minutes or 0)

    @property
    def late_departure(self) -> timedelta:
        """How long after a stay its keys open."""
        return timedelta(minutes=self.late_departure_minutes or 0)

    def suspends_no_show_at(self, event_time: datetime) -> datetime:
        """Return when the key of a guest who did not come is to rest."""
        return utc(event_time, "time") + timedelta(hours=self.no_show_suspend_after_hours)


DEFAULT_POLICY: Final = KeyKindPolicy()


def _kinds(field: str, value: Any) -> tuple[KeyCredentialKind, ...]:
    if not isinstance(value, list | tuple) or any(kind not in _KINDS for kind in value):
        raise InvalidInput(field, "not a list of kinds", f"Give kinds out of {', '.join(KeyCredentialKind)}")
    return tuple(KeyCredentialKind(kind) for kind in value)


def _whole_number(field: str, value: Any) -> int:
    if type(value) is not int:
        raise InvalidInput(field, "not a whole number", "Give a whole number")
    return value


def _vendors(field: str, value: Any) -> tuple[VendorCode, ...]:
    if not isinstance(value, list | tuple):
        raise InvalidInput(field, "not a list of vendor codes", "Give codes such as those of the locks")
    return tuple(dict.fromkeys(VendorCode(code) for code in value))


def _sharing(field: str, value: Any) -> SharedRooms:
    if value not in tuple(SharedRooms):
        raise InvalidInput(field, "not what may become of them", f"Give one of {', '.join(SharedRooms)}")
    return SharedRooms(value)


def _truth(field: str, value: Any) -> bool:
    if type(value) is not bool:
        raise InvalidInput(field, "not true or false", "Give true or false")
    return value


_SETTINGS: Final[Mapping[str, tuple[str, Callable[[str, Any], Any]]]] = {
    "preferredKinds": ("preferred_kinds", _kinds),
    "noShowSuspendAfterHours": ("no_show_suspend_after_hours", _whole_number),
    "offlineIssuance": ("offline_issuance", _truth),
    "acceptsUnenforcedWindows": ("accepts_unenforced_windows", _vendors),
    "pinDigits": ("pin_digits", _whole_number),
    "backupCodes": ("backup_codes", _truth),
    "sharedRooms": ("shared_rooms", _sharing),
    "leadTimeHours": ("lead_time_hours", _whole_number),
    "earlyArrivalMinutes": ("early_arrival_minutes", _whole_number),
    "lateDepartureMinutes": ("late_departure_minutes", _whole_number),
    "version": ("version", _whole_number),
}


def _of_one_vendor(name: str) -> tuple[str, Callable[[str, Any], Any]] | None:
    """Return how a setting of the first release is read, which accepted one vendor's eKeys by name."""
    match = _ONE_VENDORS.fullmatch(name)
    if match is None:
        return None
    code = match[1]
    return "accepts_unenforced_windows", lambda field, value: (VendorCode(code),) * _truth(field, value)


def _refuse_setting(name: str) -> tuple[str, Callable[[str, Any], Any]]:
    # A sender chose this name; what no setting could be called is not repeated.
    field = name if _SPEAKABLE.fullmatch(name) else "keyKindPolicy"
    raise InvalidInput(field, "not a setting of the key policy", f"Give one of {', '.join(_SETTINGS)}")
