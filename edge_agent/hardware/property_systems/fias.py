"""FIAS records: a two-letter type and two-letter fields between bars, as hotel software sends them to a
key system.

KR  make a key      KT N new (cancels the room's earlier keys), D duplicate, O one-shot
KD  delete keys     of a room and a reservation number (G#)
KM  change a key    a new room (the old one in RO) or a new departure; only that reservation's keys
KZ  read a key      the clerk lays a card on an encoder
KA  our answer      WS and KC come back as they were asked, AS says how it went
LS LD LR LA LE      the link: start, description, record layout, alive, end
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import StrEnum
from typing import Final, Self

BAR: Final = "|"
RECORDS: Final = frozenset({"KR", "KD", "KM", "KZ", "KA", "LS", "LD", "LR", "LA", "LE"})
ENCODING: Final = "latin-1"


class RecordRefused(ValueError):
    """A record that cannot be read; it names the field and never its value."""


class KeyType(StrEnum):
    """What a key request asks for."""

    NEW = "N"
    DUPLICATE = "D"
    ONE_SHOT = "O"


class AnswerStatus(StrEnum):
    """How a request went."""

    OK = "OK"
    BUSY = "BY"
    RETRY = "RY"
    UNKNOWN_ROOM = "UR"
    DENIED = "DN"
    NO_GUEST = "NG"
    NIGHT_AUDIT = "NA"


@dataclass(frozen=True, slots=True)
class Record:
    """One record: its type, and its fields in order."""

    type: str
    fields: tuple[tuple[str, str], ...] = ()

    @classmethod
    def parse(cls, data: bytes) -> Self:
        """Read a record; fields of types we do not know are kept, records of types we do not know refused."""
        kind, *rest = data.decode(ENCODING).split(BAR)
        if kind not in RECORDS:
            raise RecordRefused("type: no record of a key system")
        if rest and rest[-1] == "":
            rest.pop()
        if any(len(field) < 2 for field in rest):
            raise RecordRefused("fields: each begins with the two letters of its name")
        return cls(kind, tuple((field[:2], field[2:]) for field in rest))

    @classmethod
    def of(cls, kind: str, **fields: str) -> Self:
        """Return a record; `G_` stands for the field G#."""
        named = ((name.replace("_", "#"), value) for name, value in fields.items())
        return cls(kind, tuple((name, value) for name, value in named))

    def __bytes__(self) -> bytes:
        fields = "".join(f"{name}{value}{BAR}" for name, value in self.fields)
        return f"{self.type}{BAR}{fields}".encode(ENCODING)

    def __repr__(self) -> str:
        return f"Record({self.type}, {' '.join(name for name, _ in self.fields)})"

    @property
    def values(self) -> Mapping[str, str]:
        """The fields by name."""
        return dict(self.fields)

    def need(self, name: str) -> str:
        """Return a field that has to be there."""
        value = self.values.get(name)
        if not value:
            raise RecordRefused(f"{name}: missing from {self.type}")
        return value


@dataclass(frozen=True, slots=True)
class KeyRequest:
    """What a KR, KM, KD or KZ asks for."""

    record: str
    encoder: str
    station: str
    room: str = ""
    reservation: str = ""
    key_type: KeyType = KeyType.NEW
    old_room: str = ""
    more_rooms: tuple[str, ...] = ()
    areas: tuple[bool, ...] = ()
    arrival: date | None = None
    departure: date | None = None
    leaves_at: time | None = None
    copies: int = 1

    def answer(self, status: AnswerStatus) -> Record:
        """Return the answer; it never holds what stands on the card."""
        fields = {"WS": self.station, "KC": self.encoder, "AS": status.value}
        if self.reservation:
            fields["G_"] = self.reservation
        return Record.of("KA", **{name: value for name, value in fields.items() if value})


_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "KR": ("KC", "RN"),
    "KM": ("KC", "RN", "G#"),
    "KD": ("RN", "G#"),
    "KZ": ("KC",),
}


def key_request(record: Record) -> KeyRequest:
    """Read a request for a key."""
    if record.type not in _NEEDED:
        raise RecordRefused(f"type: {record.type} asks for no key")
    for name in _NEEDED[record.type]:
        record.need(name)
    values = record.values
    return KeyRequest(
        record=record.type,
        encoder=values.get("KC", ""),
        station=values.get("WS", ""),
        room=values.get("RN", ""),
        reservation=values.get("G#", ""),
        key_type=_key_type(values.get("KT", "N")),
        old_room=values.get("RO", ""),
        more_rooms=tuple(room for room in values.get("SI", "").split(";") if room),
        areas=tuple(position != "0" for position in values.get("KO", "")),
        arrival=_date("GA", values.get("GA", "")),
        departure=_date("GD", values.get("GD", "")),
        leaves_at=_time(values.get("DT", "")),
        copies=_count(values.get("K#", "1")),
    )


def _key_type(letter: str) -> KeyType:
    try:
        return KeyType(letter)
    except ValueError:
        raise RecordRefused("KT: not N, D or O") from None


def _date(name: str, digits: str) -> date | None:
    # The century is ours: a stay of the last one is a mistake.
    return _moment(name, f"20{digits}", "%Y%m%d").date() if digits else None


def _time(digits: str) -> time | None:
    return _moment("DT", digits, "%H:%M").time() if digits else None


def _moment(name: str, digits: str, form: str) -> datetime:
    try:
        return datetime.strptime(digits, form)  # noqa: DTZ007 - a property's own calendar has no zone
    except ValueError:
        raise RecordRefused(f"{name}: not written as {form}") from None


def _count(digits: str) -> int:
    if not digits.isascii() or not digits.isdigit() or not 1 <= int(digits) <= 99:
        raise RecordRefused("K#: not a number from 1 to 99")
    return int(digits)
