"""Salto's PMS Industry Standard: what a hotel's software asks of Salto Space, and what it answers.

A message is its fields, each between B3 characters: `B3 field B3 ... B3`. Dates are `hhmmDDMMYY` on the
site's clock.

    CN  new guest's card: it voids the card of the guest before
    CC  copy, for a sharer: it voids nothing
    CO  checkout of a room
    LT  read the card on an encoder

There is no idempotency field. A CN sent twice voids the card that the first one made, so it is never
simply repeated: see `SaltoDesk.new_card`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from edge_agent.hardware.errors import (
    CardFaulty,
    CardMissing,
    DeviceRefused,
    HardwareError,
    LinkLost,
    NoAnswer,
    OutcomeUnknown,
)

SEPARATOR: Final = 0xB3
MOST_ROOMS: Final = 4
OPERATOR_LENGTH: Final = 24
STAMP: Final = "%H%M%d%m%y"
ENCODING: Final = "latin-1"
MEANINGS: Final[Mapping[str, tuple[type[HardwareError], str]]] = {
    "NC": (LinkLost, "the encoder does not answer"),
    "OV": (LinkLost, "the encoder is busy with another card"),
    "EO": (LinkLost, "the encoder is used by somebody else"),
    "EP": (CardMissing, "no card was laid on the encoder in time"),
    "ED": (CardMissing, "the card was taken away too early"),
    "EF": (CardFaulty, "the card is foreign or damaged"),
    "TD": (DeviceRefused, "the lock system does not know the room"),
    "EA": (DeviceRefused, "a copy for a room that is checked out"),
    "ES": (DeviceRefused, "the lock system does not read our message"),
    "OS": (DeviceRefused, "the encoder is out of service"),
    "EG": (DeviceRefused, "the lock system reports a general error"),
    "NF": (NoAnswer, "the lock system misses its database"),
}
"""Answers that are no success: the error each is, and in what words."""
UNREADABLE: Final = {"LC": "invalid", "LD": "unknown", "LM": "staff", "LR": "spare"}


def packed(fields: tuple[str, ...]) -> bytes:
    """Return a message's data."""
    if any(chr(SEPARATOR) in field for field in fields):
        raise ValueError("fields: one holds the separator")
    separator = bytes([SEPARATOR])
    return separator + separator.join(field.encode(ENCODING) for field in fields) + separator


def unpacked(data: bytes) -> tuple[str, ...]:
    """Return a message's fields."""
    separator = bytes([SEPARATOR])
    if len(data) < 2 or data[:1] != separator or data[-1:] != separator:
        raise NoAnswer("a message that is not between its separators")
    return tuple(field.decode(ENCODING) for field in data[1:-1].split(separator))


@dataclass(frozen=True, slots=True)
class CardRequest:
    """A card for a guest."""

    encoder: str
    rooms: tuple[str, ...]
    valid_from: datetime
    valid_until: datetime
    operator: str
    granted: str = ""
    denied: str = ""
    cards: int = 1

    def __post_init__(self) -> None:
        if not 0 < len(self.rooms) <= MOST_ROOMS:
            raise ValueError(f"rooms: one to {MOST_ROOMS} of them")
        if len(self.operator) > OPERATOR_LENGTH:
            raise ValueError(f"operator: over {OPERATOR_LENGTH} characters")

    def fields(self, command: str) -> tuple[str, ...]:
        """Return the fields of CN or CC."""
        rooms = (*self.rooms, *[""] * (MOST_ROOMS - len(self.rooms)))
        window = (stamp(self.valid_from), stamp(self.valid_until))
        counted = f"{command}{self.cards}"
        printed, serial = ("", "", ""), "1"
        head = (counted, self.encoder, "E", *rooms, self.granted, self.denied)
        return (*head, *window, self.operator, *printed, serial)


@dataclass(frozen=True, slots=True)
class CardContent:
    """What LT read from a card; `state` is `guest`, or why there is nothing to read."""

    state: str
    rooms: tuple[str, ...] = ()
    checked_in: bool = False
    copy: int = 0
    valid_from: datetime | None = None
    valid_until: datetime | None = None

    def serves(self, request: CardRequest) -> bool:
        """Say whether the card already does what a request asks for."""
        window = (self.valid_from, self.valid_until)
        wanted = (_minute(request.valid_from), _minute(request.valid_until))
        return self.state == "guest" and set(self.rooms) == set(request.rooms) and window == wanted


def stamp(local: datetime) -> str:
    """Return a site-local time as it is written; one with a zone would be read as another."""
    if local.tzinfo is not None:
        raise ValueError("time: give the site's wall-clock time, without a zone")
    return local.strftime(STAMP)


def checkout(room: str) -> tuple[str, ...]:
    """Return the fields of a room's checkout."""
    return ("CO", "0", room)


def read_card(encoder: str) -> tuple[str, ...]:
    """Return the fields that read the card on an encoder."""
    return ("LT", encoder, "E")


def accepted(command: str, fields: tuple[str, ...]) -> tuple[str, ...]:
    """Return an answer's fields after the command, or raise what its code says."""
    code = fields[0]
    if code in MEANINGS:
        kind, words = MEANINGS[code]
        raise kind(words, code)
    if not code.startswith(command):
        raise OutcomeUnknown("the lock system answered another question")
    return fields[1:]


def content(fields: tuple[str, ...]) -> CardContent:
    """Read the answer to LT: encoder, four rooms, CI or CO, copy number, from, to."""
    if fields[0] in UNREADABLE:
        return CardContent(UNREADABLE[fields[0]])
    rest = accepted("LT", fields)
    if len(rest) < 9:
        raise NoAnswer("the card's content is cut short")
    rooms = tuple(room for room in rest[1:5] if room)
    copy = int(rest[6]) if rest[6].isdigit() else 0
    return CardContent("guest", rooms, rest[5] == "CI", copy, _read(rest[7]), _read(rest[8]))


def _read(digits: str) -> datetime:
    try:
        return datetime.strptime(digits, STAMP)  # noqa: DTZ007 - the site's own clock, as it is on the wire
    except ValueError:
        raise NoAnswer("a date that is not written as hhmmDDMMYY") from None


def _minute(local: datetime) -> datetime:
    return local.replace(second=0, microsecond=0)
