"""What audit keeps of an event, field by field, and what it never keeps (A §17.2, §17.3).

A field is kept because its name stands here and its value is of the kind that stands beside it. A name nobody
decided about is left out, and so is a sentence where a code belongs; what was left out is listed by name.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import Flag, auto
from types import MappingProxyType
from typing import Any, Final

from shared.audit.subjects import Subject


class Kind(Flag):
    """What a value may be for its field to be kept."""

    WORD = auto()
    """An id, a code, an instant, a version: one word of ASCII."""
    YES_NO = auto()
    NUMBER = auto()
    GROUP = auto()
    FLOOR = auto()
    """What the hotel calls a floor: a few characters of its own set-up."""


class Floor(str):
    """The mark, in the table below, of a text that may hold spaces."""

    __slots__ = ()


_WORD: Final = "[0-9A-Za-z][0-9A-Za-z_:./=+-]{0,127}+"
"""Nothing that ends a word can be part of one: what was read is never given back to be read again."""
_word = re.compile(_WORD).fullmatch
_words = re.compile(rf"{_WORD}(?:\n{_WORD})*+").fullmatch
_LONGEST_FLOOR = 16


def _of(kind: Kind, names: str) -> dict[str, Kind]:
    return dict.fromkeys(names.split(), kind)


KEPT: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        **_of(
            Kind.WORD,
            "alert approvers area areas attemptId attemptedAt breakGlassId changedAt closeReason"
            " closedAt code deed deedId denyReason desktopDeviceId deviceId encoderModel"
            " encoderSessionId environment expiredAt exportId exportedAt exposureUntil"
            " externalEventId failureReason firmware handledAt holderKind incident ingestedAt"
            " issuedAt keyCredentialId keyCredentialIds kind lastAttemptAt lastSeenAt localId"
            " masterKeyId observedAt oldestFirmware openedAt outcome pendingAt preferredKinds"
            " processedAt propertyId reason receivedAt registeredAt replacedBy replaces"
            " revokedAt roomId setRole settledAt severity since staffUserId"
            " suspendedAt transport trigger unsuspendedAt unsuspendedBy updatedAt vendor"
            " vendorAdapterId vendorEventId webhookId",
        ),
        **_of(
            Kind.YES_NO,
            "backOfHouse cardEncoding mobileKey nfc offlineIssuance ok pin provisional qr remoteIssue"
            " remoteRevoke scopeAreas scopeFloors signatureOk vendorRevokeOk wasProvisional",
        ),
        **_of(
            Kind.NUMBER,
            "alertAtMs alertAtPct attempts batteryPct clockSkewMs errorRatePct silentForMs thresholdPct"
            " turn warnAtMs warnAtPct windowSize",
        ),
        **_of(
            Kind.GROUP,
            "capabilities changes delivery effective locks metadata metric scope scopes threshold warnings",
        ),
        **_of(Kind.WORD | Kind.GROUP, "from reservationId to rooms validFrom validUntil"),
        **_of(Kind.FLOOR, "floor floors"),
    }
)
GUEST: Final = "guestId"
"""The one field that is kept as an alias."""
NEVER_KEPT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "artifact": "it refers to what opens a door",
        "deepLink": "it leads to what opens a door",
        "detail": "free text",
        "idempotencyKey": "a hash of ids that can be guessed",
        "label": "words of staff, which may name a person",
        "opaqueRef": "whoever holds it may exchange it for a key",
        "type": "a word of vendors beside their secrets; the subject says what the entry is about",
        "vendorMessage": "free text, of a vendor",
    }
)
"""What the events say and audit does not, and why."""


@dataclass(slots=True)
class Sifted:
    """What was kept of an event's payload, the names of what was not, and whether a fraction was."""

    subject: Subject
    data: dict[str, Any] = field(default_factory=dict)
    withheld: set[str] = field(default_factory=set)
    fractions: bool = False


def kept_of(data: Mapping[str, Any], subject: Subject) -> Sifted:
    """What is kept of an event's payload, and what is to be known of it."""
    sifted = Sifted(subject)
    sifted.data = _group(data, sifted)
    return sifted


def is_word(value: Any) -> bool:
    """Say whether a value is one word of ASCII: nobody's name with its spaces, and no address of a person."""
    return type(value) is str and _word(value) is not None


def are_words(values: Collection[Any]) -> bool:
    """Say whether some values are all words: in one look, for most of a million events hold nothing else."""
    try:
        text = "\n".join(values)
    except TypeError:
        return False
    return _words(text) is not None and text.count("\n") == len(values) - 1


_TYPES: Final[Mapping[Kind, type]] = MappingProxyType(
    {Kind.WORD: str, Kind.YES_NO: bool, Kind.NUMBER: int, Kind.GROUP: dict, Kind.FLOOR: Floor}
)
_TAKES: Final = {
    name: frozenset(_TYPES[each] for each in kind) | ({float} if Kind.NUMBER in kind else frozenset())
    for name, kind in KEPT.items()
}
"""The types that each name takes; a million events a day are held against it."""
_WORDS: Final = frozenset(name for name, takes in _TAKES.items() if str in takes)
"""What most of the fields are: one look tells that such a value is kept."""
_PLAINLY: Final = frozenset({bool, int})
"""What is kept as it is where its name takes it."""
_NOTHING: Final[frozenset[type]] = frozenset()


def _group(data: Mapping[str, Any], into: Sifted) -> dict[str, Any]:
    kept: dict[str, Any] = {
        name: value for name, value in data.items() if type(value) is str and name in _WORDS
    }
    if not are_words(kept.values()):
        kept = {}  # one of them is none, so each is looked at
    for name in data.keys() - kept.keys():
        value = data[name]
        if name == GUEST and value is not None and value == into.subject.guest_id:
            kept[name] = into.subject.alias
        elif type(value) in _PLAINLY and type(value) in _TAKES.get(name, _NOTHING):
            kept[name] = value
        elif value is not None:
            _look_at(name, value, kept, into)
    return kept


def _look_at(name: str, value: Any, kept: dict[str, Any], into: Sifted) -> None:
    takes = _TAKES.get(name, _NOTHING)
    if type(value) is list and str in takes and are_words(value):
        kept[name] = value
    elif _is_kept(value, takes):
        kept[name] = _plain(value, into)
    else:
        into.withheld.add(name)


def _is_kept(value: Any, takes: frozenset[type]) -> bool:
    kind = type(value)
    if kind is str:
        return (str in takes and _word(value) is not None) or (
            Floor in takes and len(value) <= _LONGEST_FLOOR
        )
    if kind is list:
        return (str in takes and are_words(value)) or all(_is_kept(each, takes) for each in value)
    return kind in takes


def _plain(value: Any, into: Sifted) -> Any:
    kind = type(value)
    if kind is dict:
        return _group(value, into)
    if kind is list:
        return [_plain(each, into) for each in value]
    into.fractions |= kind is float
    return value
