"""What a vendor is asked, sans I/O: each a request and the reader of its answer; nothing is sent here."""

import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Generic, TypeVar

from shared.domain.secret import Secret
from shared.ports.lock import LockKey
from shared.vendor_kit.grids import Bounds, in_minutes
from shared.vendor_kit.refusals import UNEXPLAINED, Meaning

T = TypeVar("T")
Json = Any
Params = Mapping[str, Any]
READ_SECONDS: Final = 8.0
UTC_FORM: Final = "%Y-%m-%dT%H:%M:%SZ"
ANY: Final = re.compile(".+")


@dataclass(frozen=True, slots=True)
class Ask(Generic[T]):
    """One request: `nonce` makes it the same request again, should the vendor ever care."""

    method: str
    path: str
    params: Params = field(repr=False)
    read: Callable[[Json], T] = field(repr=False)
    timeout: float = READ_SECONDS
    nonce: str | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """A key as the vendor lists it; `computed` ones are known to the lock without ever being sent there.

    `rivals` are other keys of the same name; after a `hasty` computing, one may still come to be.
    """

    ref: Secret[str]
    bounds: Bounds
    secret: Secret[str] | None = None
    computed: bool = False
    frozen: bool = False
    rivals: tuple["Row", ...] = field(default=(), repr=False)
    hasty: bool = False

    @property
    def exposure_until(self) -> datetime:
        """Until when the last key of this name opens."""
        return max(row.bounds.end for row in (self, *self.rivals))


@dataclass(frozen=True, slots=True)
class NamedRow:
    """A key of whatever name, as the vendor lists it."""

    name: str = field(repr=False)
    row: Row


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A page of a list, whether another one follows, and how long the vendor says the list is."""

    rows: tuple[T, ...]
    more: bool
    total: int | None = None


@dataclass(frozen=True, slots=True)
class Addition:
    """A key to add at a lock."""

    lock: str
    name: str
    secret: Secret[str]
    bounds: Bounds
    nonce: str | None


@dataclass(frozen=True, slots=True)
class Computing:
    """How a vendor tells a code that a lock computes by itself, in whole hours of its own clock.

    `ahead` asks by how much that clock is ahead of UTC, `spent` is the refusal of a window whose code another
    was given. A code that was not used within `use_within` is dead, and none is computed for a stay that
    lasts longer than `longest`.
    """

    code: Callable[[str, str, Bounds], Ask[Row]]
    ahead: Callable[[str], Ask[timedelta]]
    spent: str
    use_within: timedelta
    longest: timedelta


@dataclass(frozen=True, slots=True)
class KindEndpoints:
    """How keys of one kind are tended; `computing` makes one that the lock need not be told of.

    `grid` is how finely the vendor keeps windows, `refs` what its numbers of keys look like. `windowed` keys
    open within their window and not outside it. Keys of a kind with `resting` and `waking` are suspended
    where they are; others are removed and placed anew. Of a card, and of an account's app key, a lock may
    have one, which a second key would take over or delete: `names_of` tells whose it is, and `taken` is the
    answer to others. Where numbers are not `lasting`, the same one may be another key's by now. `all_keys`
    lists whatever is at a lock, whoever made it. `noting` and `forgetting` tell the list alone of what
    was done at a lock by radio.
    """

    listing: Callable[[str, str, int], Ask[Page[Row]]]
    adding: Callable[[Addition], Ask[Secret[str]]]
    changing: Callable[[str, Secret[str], Bounds], Ask[None]]
    deleting: Callable[[str, Secret[str]], Ask[None]]
    computing: Computing | None = None
    resting: Callable[[Secret[str]], Ask[None]] | None = None
    waking: Callable[[Secret[str]], Ask[None]] | None = None
    names_of: Callable[[str, Secret[str], int], Ask[Page[str]]] | None = None
    taken: Meaning = UNEXPLAINED
    grid: Callable[[LockKey], Bounds] = in_minutes
    refs: re.Pattern[str] = ANY
    windowed: bool = True
    lasting: bool = True
    all_keys: Callable[[str, int], Ask[Page[NamedRow]]] | None = None
    noting: Callable[[Addition], Ask[Secret[str]]] | None = None
    forgetting: Callable[[str, Secret[str]], Ask[None]] | None = None


def text_in(told: Json, name: str) -> Secret[str]:
    """Return the text of a field that must have one."""
    text = told[name]
    if not isinstance(text, str) or not text:
        raise ValueError(name)
    return Secret(text)


def utc_to_text(at: datetime) -> str:
    """Return an instant to the second, as ISO 8601 has it."""
    return f"{at:{UTC_FORM}}"


def utc_from_text(told: str) -> datetime:
    """Return the instant that such a text tells."""
    return datetime.strptime(told, UTC_FORM).replace(tzinfo=UTC)


def number_in(told: Json, base: int = 10) -> int | None:
    """Return the number that a field tells, as a number or as text, or None where it tells none."""
    with suppress(ValueError):
        return int(str(told), base)
    return None
