"""What one message says of one key: checked when it comes in, cleaned before it goes anywhere."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from shared.domain.colour import OURS, is_legible
from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.messages.bidi import clean
from shared.messages.kinds import Channel

_PIN: Final = re.compile(r"[0-9]{4,12}")
_LINK: Final = re.compile(
    r"(https://[A-Za-z0-9.-]+|http://127\.0\.0\.1)(:[0-9]{1,5})?/[A-Za-z0-9._~/-]*[A-Za-z0-9]"
)
LONGEST_HOTEL: Final[Mapping[Channel, int]] = {Channel.PUSH: 40, Channel.EMAIL: 80, Channel.SMS: 24}
LONGEST_LINK: Final = 200
_LONGEST_PHONE, _LONGEST_ROOM, _MOST_ROOMS = 24, 40, 50
_GROUPS: Final[Mapping[int, tuple[int, ...]]] = {
    4: (4,),
    5: (5,),
    6: (3, 3),
    7: (3, 4),
    8: (4, 4),
    9: (3, 3, 3),
    10: (3, 3, 4),
    11: (4, 4, 3),
    12: (4, 4, 4),
}


@dataclass(frozen=True, slots=True)
class Particulars:
    """A hotel, its doors, when the key works, and the secrets that open it; `link` leads to the key page."""

    hotel: str
    phone: str
    rooms: tuple[str, ...]
    window: StayWindow
    link: Secret[str] | None = None
    pin: Secret[str] | None = None
    colour: str = OURS

    def __post_init__(self) -> None:
        _must("hotel", bool(clean(self.hotel, 80)), "no name", "Give the hotel's name")
        _must("phone", bool(clean(self.phone, 24)), "no number", "Give the front desk's number")
        _must(
            "rooms", 0 < len(self.rooms) <= _MOST_ROOMS, "none, or too many", "Give 1 to 50 labels of doors"
        )
        _must("colour", is_legible(self.colour), "none that can be read", "Give a dark one, as #rrggbb")
        if self.pin is not None:
            remedy = "Give 4 to 12 digits of 0 to 9"
            _must("pin", bool(_PIN.fullmatch(self.pin.reveal())), "not a PIN", remedy)
        if self.link is not None:
            link = self.link.reveal()
            sound = len(link) <= LONGEST_LINK and bool(_LINK.fullmatch(link))
            _must("link", sound, "not a link that a letter can hold", "Give https:// and a plain path")

    def hotel_for(self, channel: Channel) -> str:
        """Return the hotel's name, cut to what a channel has room for."""
        return clean(self.hotel, LONGEST_HOTEL[channel])

    @property
    def clean_phone(self) -> str:
        """The front desk's number."""
        return clean(self.phone, _LONGEST_PHONE)

    @property
    def clean_rooms(self) -> tuple[str, ...]:
        """The labels of the doors."""
        return tuple(clean(room, _LONGEST_ROOM) for room in self.rooms)


def grouped(pin: str) -> str:
    """Write a PIN in groups that can be kept in mind between page and keypad."""
    groups, at = [], 0
    for size in _GROUPS[len(pin)]:
        groups.append(pin[at : at + size])
        at += size
    return " ".join(groups)


def _must(field: str, holds: bool, problem: str, remedy: str) -> None:
    if not holds:
        raise InvalidInput(field, problem, remedy)
