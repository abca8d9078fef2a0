"""FIAS from the other end: what is asked of a lock system that takes such records, and what it answers.

KR  a card: KT N ends the cards of the room's earlier guests, KT D joins them
KM  another room or another end, for the cards of one reservation alone
KD  no card of a reservation opens a room any more
KA  the answer; what is asked is never asked again by itself, for a second N would end the first one's card
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from edge_agent.hardware.errors import (
    DeviceRefused,
    HardwareError,
    LinkLost,
    NoAnswer,
    OutcomeUnknown,
)
from edge_agent.hardware.property_systems.fias import BAR, AnswerStatus, KeyRequest, Record, RecordRefused

REFUSALS: Final[Mapping[AnswerStatus, tuple[type[HardwareError], str]]] = {
    AnswerStatus.BUSY: (LinkLost, "the encoder is busy"),
    AnswerStatus.RETRY: (NoAnswer, "the lock system asks to be asked again"),
    AnswerStatus.NIGHT_AUDIT: (NoAnswer, "the lock system is closed for the night audit"),
    AnswerStatus.UNKNOWN_ROOM: (DeviceRefused, "the lock system does not know the room"),
    AnswerStatus.DENIED: (DeviceRefused, "the lock system denies the request"),
    AnswerStatus.NO_GUEST: (DeviceRefused, "the lock system knows no such guest in the room"),
}
"""Answers that are no success: the error each is, and in what words."""
NEEDED: Final[Mapping[str, tuple[str, ...]]] = {
    "KR": ("KC", "RN"),
    "KM": ("KC", "RN", "G#"),
    "KD": ("RN", "G#"),
    "KZ": ("KC",),
}


def ordered(request: KeyRequest) -> Record:
    """Return a request as a record: the very one that the other end reads it from."""
    record = Record(request.record, tuple((name, value) for name, value in _fields(request) if value))
    for name in NEEDED.get(request.record, ()):
        record.need(name)
    if any(BAR in value for _, value in record.fields):
        raise RecordRefused("fields: one holds a bar, which ends a field")
    return record


def accepted(request: KeyRequest, answer: Record) -> None:
    """Read the answer to a request, or raise what it says; one to another question is none."""
    values = answer.values
    asked = (request.station, request.encoder, request.reservation)
    if answer.type != "KA" or tuple(values.get(name, "") for name in ("WS", "KC", "G#")) != asked:
        raise OutcomeUnknown("the lock system answered another question")
    try:
        status = AnswerStatus(values.get("AS", ""))
    except ValueError:
        raise OutcomeUnknown("the lock system's answer says nothing that we know") from None
    if status is not AnswerStatus.OK:
        kind, words = REFUSALS[status]
        raise kind(words, status.value)


def _fields(request: KeyRequest) -> Iterator[tuple[str, str]]:
    yield "WS", request.station
    yield "KC", request.encoder
    yield "RN", request.room
    yield from ((name, written(request)) for name, written in _OF[request.record].items())
    yield "G#", request.reservation


def _stay(request: KeyRequest) -> str:
    return "" if request.departure is None else f"{request.departure:%y%m%d}"


_ENDS: Final[Mapping[str, Callable[[KeyRequest], str]]] = {
    "GD": _stay,
    "DT": lambda request: "" if request.leaves_at is None else f"{request.leaves_at:%H:%M}",
}
_OF: Final[Mapping[str, Mapping[str, Callable[[KeyRequest], str]]]] = {
    "KR": {
        "KT": lambda request: request.key_type.value,
        "K#": lambda request: "" if request.copies == 1 else str(request.copies),
        "SI": lambda request: ";".join(request.more_rooms),
        "KO": lambda request: "".join("1" if each else "0" for each in request.areas),
        "GA": lambda request: "" if request.arrival is None else f"{request.arrival:%y%m%d}",
        **_ENDS,
    },
    "KM": {"RO": lambda request: request.old_room, **_ENDS},
    "KD": {},
    "KZ": {},
}
"""What each record says beside where it is asked and of whom."""
