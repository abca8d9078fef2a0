"""What a log tells about a question: who could open, who did, who was refused, who looked at a secret.

It is read from entries alone, so it holds for a pack as it does for the log, and is worth what they are: it
knows of a key what lies among them. A key whose body was withheld or erased has no rooms here, and is told
wherever it may matter. A revoked key that a lock has not confirmed may open there until its exposure ends.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, Final

from shared.audit.entries import ACTION, FINDING, Entry
from shared.audit.text import parsed

_CREDENTIAL: Final = "melmastoon.lock.credential."
ATTEMPT: Final = "melmastoon.lock.audit.attempt.v1"
FOREVER: Final = datetime.max.replace(tzinfo=UTC)
LOOKED: Final = frozenset({"revealed", "exported"})
"""The actions by which a secret or a pack came before somebody's eyes."""


@dataclass(frozen=True, slots=True)
class Told:
    """An entry as it is read: where it stands, what its header says, and its body if that is open."""

    index: int
    header: Mapping[str, Any]
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def at(self) -> datetime:
        """When it happened at the door, or else when it was done."""
        return datetime.fromisoformat(self.data.get("attemptedAt") or self.header["at"])

    @property
    def who(self) -> str:
        """Who did it: a person of staff, a guest under their alias, or the key that was used."""
        header = self.header
        by = header.get("operator") if header.get("operator") != "saga" else None
        return str(by or header.get("staff") or header.get("guest") or header.get("key") or "")


@dataclass(frozen=True, slots=True)
class Access:
    """A time in which a key could open its doors."""

    key: str
    holder: str
    rooms: tuple[str, ...]
    since: datetime
    until: datetime
    starts: datetime = FOREVER
    """When its window begins, which a rest does not change."""
    device: str = ""
    """The one lock that it may still open, where the others let go of it."""
    stay: str = ""
    """Whose it was then: a key may go on as that of its guest's next stay. Not known of a body withheld."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked: a time, and the doors, keys or people it is about; nothing of a kind means any."""

    since: datetime
    until: datetime
    rooms: frozenset[str] = frozenset()
    devices: frozenset[str] = frozenset()
    """The locks on the doors of those rooms; a door event names its lock alone."""
    keys: frozenset[str] = frozenset()
    people: frozenset[str] = frozenset()
    stay: str = ""

    def concerns(self, told: Told, near: frozenset[str]) -> bool:
        """Whether an entry is part of the answer; `near` are the keys that ever opened these doors."""
        header = told.header
        keys = {header.get("key"), header["stream"]}
        people = {header.get(name) for name in ("operator", "staff", "guest")}
        at_a_lock = self.devices and "device" in header
        door = header["device"] in self.devices if at_a_lock else bool(near & keys)
        asked_of_doors = bool(self.rooms or self.devices)
        ours = (not self.keys or bool(self.keys & keys)) and (not self.people or bool(self.people & people))
        return self.since <= told.at <= self.until and ours and (door or not asked_of_doors)

    def opens(self, access: Access) -> bool:
        """Whether a key is for the doors that are asked about; of an unknown one it has to be assumed."""
        rooms = not self.rooms or not access.rooms or bool(self.rooms & {*access.rooms})
        return rooms and (not self.devices or not access.device or access.device in self.devices)

    def concerns_access(self, access: Access) -> bool:
        """Whether a key could open these doors within the time."""
        in_time = access.since <= self.until and access.until >= self.since
        ours = (not self.keys or access.key in self.keys) and (
            not self.people or access.holder in self.people
        )
        theirs = not (self.stay and access.stay) or access.stay == self.stay
        return in_time and ours and theirs and self.opens(access)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The answer to a question."""

    question: Question
    could: tuple[Access, ...]
    opened: tuple[Told, ...]
    refused: tuple[Told, ...]
    looked: tuple[Told, ...]
    done: tuple[Told, ...]
    findings: tuple[Told, ...]


def read(entries: Mapping[int, Entry]) -> list[Told]:
    """Entries as they are read, in the order of the log."""
    return [
        Told(index, parsed(entry.header), json.loads(entry.body)["data"] if entry.body else {})
        for index, entry in sorted(entries.items())
    ]


def evidence(question: Question, told: Iterable[Told]) -> Evidence:
    """The answer that entries give to a question."""
    rows = list(told)
    actions = [each for each in rows if each.header["kind"] == ACTION]
    known = accesses(actions)
    near = frozenset(each.key for each in known if question.opens(each))
    ours = [each for each in actions if question.concerns(each, near)]
    tried = [each for each in ours if each.header["type"] == ATTEMPT]
    looked = [each for each in ours if each.header.get("action") in LOOKED]
    return Evidence(
        question,
        tuple(each for each in known if question.concerns_access(each)),
        tuple(each for each in tried if each.header.get("outcome") == "granted"),
        tuple(each for each in tried if each.header.get("outcome") == "denied"),
        tuple(looked),
        tuple(each for each in ours if each not in tried and each not in looked),
        tuple(each for each in rows if each.header["kind"] == FINDING),
    )


def accesses(actions: Iterable[Told]) -> list[Access]:
    """The times in which each key could open, from what was done to it."""
    past, standing = list[Access](), dict[str, Access]()
    for each in actions:
        change = _CHANGES.get(each.header["type"].removeprefix(_CREDENTIAL))
        if change is not None:
            key = each.header["stream"]
            ended, now = change(standing.get(key), each)
            past += ended
            standing |= {key: now} if now else {}
    return [each for each in (*past, *standing.values()) if each.since < each.until]


Change = Callable[[Access | None, Told], tuple[list[Access], Access | None]]


def _issued(_: Access | None, told: Told) -> tuple[list[Access], Access]:
    header, data = told.header, told.data
    window = data.get("effective") or data
    starts = _instant(window.get("validFrom"), told.at)
    holder = str(header.get("staff") or header.get("guest") or "")
    until, rooms = _instant(window.get("validUntil"), FOREVER), tuple(sorted(data.get("rooms", ())))
    since, stay = max(told.at, starts), str(data.get("reservationId") or "")
    return [], Access(header["stream"], holder, rooms, since, until, starts, stay=stay)


def _updated(last: Access | None, told: Told) -> tuple[list[Access], Access | None]:
    if last is None:
        return [], None
    changes = told.data.get("changes", {})
    effective = told.data.get("effective", {})
    until = effective.get("validUntil") or changes.get("validUntil", {}).get("to")
    start = effective.get("validFrom") or changes.get("validFrom", {}).get("to")
    rooms = changes.get("rooms", {}).get("to")
    starts = _instant(start, last.starts)
    now = replace(last, since=max(told.at, starts), until=_instant(until, last.until), starts=starts)
    now = replace(now, rooms=last.rooms if rooms is None else tuple(sorted(rooms)))
    now = replace(now, stay=changes.get("reservationId", {}).get("to", last.stay))
    return _ended(last, told), now


def _stopped(last: Access | None, told: Told) -> tuple[list[Access], Access | None]:
    if last is None:
        return [], None
    return _ended(last, told), replace(last, since=FOREVER)


def _resumed(last: Access | None, told: Told) -> tuple[list[Access], Access | None]:
    return [], last and replace(last, since=max(told.at, last.starts))


def _revoked(last: Access | None, told: Told) -> tuple[list[Access], Access | None]:
    """A revocation that the locks have not confirmed takes nothing away yet: the settlement does."""
    confirmed = told.data.get("metadata", {}).get("vendorRevokeOk", False)
    return _stopped(last, told) if confirmed else ([], last)


def _settled(last: Access | None, told: Told) -> tuple[list[Access], Access | None]:
    """A lock that did not let go may open until its exposure ends, or for ever if it has none."""
    if last is None:
        return [], None
    ended, now = _stopped(last, told)
    left = [lock for lock in told.data.get("locks", ()) if not lock["ok"]]
    exposed = replace(last, since=told.at)
    return ended + [
        replace(exposed, until=_instant(lock.get("exposureUntil"), FOREVER), device=lock["deviceId"])
        for lock in left
    ], now


def _ended(last: Access, told: Told) -> list[Access]:
    return [replace(last, until=min(last.until, told.at))]


def _instant(text: str | None, otherwise: datetime) -> datetime:
    return datetime.fromisoformat(text) if text else otherwise


_CHANGES: Final[Mapping[str, Change]] = MappingProxyType(
    {
        "issued.v1": _issued,
        "updated.v1": _updated,
        "suspended.v1": _stopped,
        "unsuspended.v1": _resumed,
        "revoked.v1": _revoked,
        "revoke_settled.v1": _settled,
    }
)
