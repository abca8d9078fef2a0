"""What audit keeps of an event, field by field, and what it never keeps (A §17.2, §17.3).

A field is kept because its name stands here and its value is of the kind that stands beside it. A name nobody
decided about is left out, and so is a sentence where a code belongs; what was left out is listed by name.
"""

import re
from collections.abc import Mapping
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


_word = re.compile(r"[0-9A-Za-z][0-9A-Za-z_:./=+-]{0,127}").fullmatch
_LONGEST_FLOOR = 16


def _of(kind: Kind, names: str) -> dict[str, Kind]:
    return dict.fromkeys(names.split(), kind)


KEPT: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        **_of(
            Kind.WORD,
            "alert area areas attemptId attemptedAt changedAt closeReason closedAt code denyReason"
            " desktopDeviceId deviceId encoderModel encoderSessionId environment expiredAt exportId"
            " exportedAt exposureUntil externalEventId failureReason firmware holderKind ingestedAt"
            " issuedAt keyCredentialId keyCredentialIds kind lastAttemptAt lastSeenAt localId"
            " masterKeyId observedAt oldestFirmware openedAt outcome pendingAt preferredKinds"
            " processedAt propertyId reason receivedAt registeredAt replacedBy replaces reservationId"
            " revokedAt roomId setRole settledAt severity since staffUserId suspendedAt transport"
            " trigger unsuspendedAt unsuspendedBy updatedAt vendor vendorAdapterId vendorEventId"
            " webhookId",
        ),
        **_of(
            Kind.YES_NO,
            "backOfHouse cardEncoding mobileKey nfc offlineIssuance ok pin provisional qr remoteIssue"
            " remoteRevoke scopeAreas scopeFloors signatureOk vendorRevokeOk wasProvisional",
        ),
        **_of(
            Kind.NUMBER,
            "alertAtMs alertAtPct attempts batteryPct clockSkewMs errorRatePct silentForMs thresholdPct"
            " warnAtMs warnAtPct windowSize",
        ),
        **_of(
            Kind.GROUP,
            "capabilities changes delivery effective locks metadata metric scope scopes threshold warnings",
        ),
        **_of(Kind.WORD | Kind.GROUP, "from to rooms validFrom validUntil"),
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


def kept_of(data: Mapping[str, Any], subject: Subject) -> tuple[dict[str, Any], frozenset[str]]:
    """What is kept of an event's payload, and the names of what is not."""
    withheld = set[str]()
    return _group(data, subject, withheld), frozenset(withheld)


def is_word(value: Any) -> bool:
    """Say whether a value is one word of ASCII: nobody's name with its spaces, and no address of a person."""
    return type(value) is str and _word(value) is not None


_TYPES: Final[Mapping[Kind, type]] = MappingProxyType(
    {Kind.WORD: str, Kind.YES_NO: bool, Kind.NUMBER: int, Kind.GROUP: dict, Kind.FLOOR: Floor}
)
_TAKES: Final = {
    name: frozenset(_TYPES[each] for each in kind) | ({float} if Kind.NUMBER in kind else frozenset())
    for name, kind in KEPT.items()
}
"""The types that each name takes; a million events a day are held against it."""
_NOTHING: Final[frozenset[type]] = frozenset()


def _group(data: Mapping[str, Any], subject: Subject, withheld: set[str]) -> dict[str, Any]:
    kept = dict[str, Any]()
    for name, value in data.items():
        if value is None:
            continue
        if name == GUEST and value == subject.guest_id:
            kept[name] = subject.alias
        elif _is_kept(value, _TAKES.get(name, _NOTHING)):
            kept[name] = value if type(value) is str else _plain(value, subject, withheld)
        else:
            withheld.add(name)
    return kept


def _is_kept(value: Any, takes: frozenset[type]) -> bool:
    kind = type(value)
    if kind is str:
        return (str in takes and _word(value) is not None) or (
            Floor in takes and len(value) <= _LONGEST_FLOOR
        )
    return all(_is_kept(each, takes) for each in value) if kind is list else kind in takes


def _plain(value: Any, subject: Subject, withheld: set[str]) -> Any:
    if type(value) is dict:
        return _group(value, subject, withheld)
    return [_plain(each, subject, withheld) for each in value] if type(value) is list else value
