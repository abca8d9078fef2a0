"""What a lock's list and the ledger say of each other: a judgement, which asks nobody and writes nothing.

| the list has | the ledger has | judged |
|---|---|---|
| a grant's key: its name or number | open and agreed | right, or altered: other times, at rest |
| a code that its lock computed | open, and for longer | altered: in reach it has all its time |
| a grant's key | at rest, as agreed | lingering, unless it rests at the lock too |
| the same | in work: being made, moved, taken away | right: whoever works on it says |
| a key of the name of a grant | over | lingering |
| any other key | nothing | unknown |
| nothing | open and agreed, before the list was read and since, of a listed kind | vanished |

The grants that wait for their lock are never judged by a list: it may be older than the wish, or younger.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from shared.domain.grant_lifecycle import Resting
from shared.domain.ids import FindingId, GrantId
from shared.domain.kinds import REVOKE_PENDING_AT_LOCK
from shared.domain.secret import Secret
from shared.ledger.finding import Finding, FindingEnd, FindingKind
from shared.ledger.grant_record import GrantRecord, Wish
from shared.ports.listed_keys import KeyList, ListedKey

OURS: Final = "MM-"
"""What the name of every key begins with that we make (shared/domain/grant.py)."""
MINUTE: Final = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockView:
    """All that is known of one lock: its list, the grants there before it was read and after, and findings.

    `gone` are the grants that are over, by name; `numbers` are the vendor's numbers of open grants, as far as
    they were needed, and those of unknown keys that were found before.
    """

    now: datetime
    listed: KeyList
    before: Sequence[GrantRecord]
    after: Sequence[GrantRecord]
    gone: Mapping[str, GrantRecord] = field(default_factory=dict)
    known: Sequence[Finding] = ()
    numbers: Mapping[GrantId | FindingId, Secret[str]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Odd:
    """Something that is not as it ought to be: a listed key, a grant, or both; known before, or new."""

    kind: FindingKind
    listed: ListedKey | None = None
    kept: GrantRecord | None = None
    known: Finding | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """What is odd at a lock, what is odd no more, and how many keys the ledger expects there."""

    odd: tuple[Odd, ...]
    settled: tuple[Finding, ...]
    expected: int

    @property
    def gone(self) -> int:
        """How many of the expected keys the list does not have."""
        return sum(each.kind is FindingKind.VANISHED for each in self.odd)


def judged(view: LockView) -> Judgement:
    """Return what a lock's list and the ledger say of each other."""
    pairs = list(_paired(view))
    here = {kept.grant.id for _, kept in pairs if kept is not None}
    odd = [each for listed, kept in pairs if (each := _odd(listed, kept, view)) is not None]
    expected = [kept for kept in view.after if _expected(kept, view)]
    gone = [kept for kept in expected if kept.grant.id not in here]
    odd += [_as_known(Odd(FindingKind.VANISHED, None, kept), view) for kept in gone]
    still = {each.known.id for each in odd if each.known is not None}
    said = [each for each in view.known if each.key_kind in view.listed.kinds and each.id not in still]
    return Judgement(tuple(odd), tuple(said), len(expected))


def settlement(finding: Finding, view: LockView) -> FindingEnd:
    """Return how a finding that is odd no more was settled."""
    if finding.kind.opens:
        return FindingEnd.GONE
    wanted = any(kept.grant.id == finding.grant_id and kept.wanted for kept in view.after)
    return FindingEnd.AS_WISHED if wanted else FindingEnd.KEY_ENDED


def _expected(kept: GrantRecord, view: LockView) -> bool:
    """Say whether the list must have a key, if it is a list of such keys."""
    in_time = kept.until > view.now and kept.grant.kind in view.listed.kinds
    return in_time and agreed(kept) and kept in view.before


def agreed(kept: GrantRecord) -> bool:
    """Say whether a key stands at its lock as it is wished to be, for all that is known."""
    return kept.stands and kept.wish is Wish.OPEN


def nameless(view: LockView) -> bool:
    """Say whether the list has a key whose name tells nothing, so that numbers may have to."""
    names = {kept.grant.vendor_name for kept in view.after}
    return any(each.name not in names for each in view.listed.keys)


def _paired(view: LockView) -> Iterator[tuple[ListedKey, GrantRecord | None]]:
    by_name = {**view.gone, **{kept.grant.vendor_name: kept for kept in view.after}}
    named = {each.name for each in view.listed.keys}
    renamed = [kept for kept in view.after if kept.grant.vendor_name not in named]
    for listed in view.listed.keys:
        by_number = (kept for kept in renamed if _same(listed, view.numbers.get(kept.grant.id)))
        yield listed, by_name.get(listed.name) or next(by_number, None)


def _same(listed: ListedKey, number: Secret[str] | None) -> bool:
    return number is not None and listed.lasting and listed.vendor_ref == number


def _odd(listed: ListedKey, kept: GrantRecord | None, view: LockView) -> Odd | None:
    if kept is None:
        return _as_known(Odd(FindingKind.UNKNOWN, listed), view)
    if kept.over or (_rests(kept) and not listed.resting):
        return _as_known(Odd(FindingKind.LINGERING, listed, kept), view)
    differs = _differs(listed, kept) or _falls_short(kept, view.now)
    if agreed(kept) and kept in view.before and differs:
        return _as_known(Odd(FindingKind.ALTERED, listed, kept), view)
    return None


def _rests(kept: GrantRecord) -> bool:
    return isinstance(kept.grant.state, Resting) and kept.wish is Wish.REST


def _differs(listed: ListedKey, kept: GrantRecord) -> bool:
    """Say whether a key is at rest, or opens at another time than its lock agreed to."""
    at_lock = kept.standing
    if at_lock is None or listed.valid_until is None:
        return listed.resting
    moved = (listed.valid_from - at_lock.valid_from, listed.valid_until - at_lock.valid_until)
    return listed.resting or any(abs(each) >= MINUTE for each in moved)


def _falls_short(kept: GrantRecord, now: datetime) -> bool:
    """Say whether a key that its lock computed by itself misses part of its stay (decision 0139)."""
    at_lock = kept.standing
    if at_lock is None or all(each.code != REVOKE_PENDING_AT_LOCK for each in at_lock.warnings):
        return False
    begins_late = at_lock.valid_from - max(kept.since, now) >= MINUTE
    return begins_late or kept.until - at_lock.valid_until >= MINUTE


def _as_known(odd: Odd, view: LockView) -> Odd:
    """Return it with the finding that it is already, if it is."""
    for known in view.known:
        mine = odd.kept is not None and known.grant_id == odd.kept.grant.id
        same = odd.listed is not None and odd.kept is None and _is(odd.listed, known, view)
        if known.kind is odd.kind and (mine or same):
            return Odd(odd.kind, odd.listed, odd.kept, known)
    return odd


def _is(listed: ListedKey, known: Finding, view: LockView) -> bool:
    number = view.numbers.get(known.id)
    return number is not None and number == listed.vendor_ref and listed.kind is known.key_kind
