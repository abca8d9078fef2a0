"""Why a door refused a guest: all that is known to speak for it, the surest and first to be mended on top.

| looked at | causes |
|---|---|
| what was told of the stay | set aside, unknown, refused, over, a change that changed nothing |
| the stay | another door, held, too early, too late |
| the key | failed, not made yet, a change that its lock has not heard |
| what was found at the lock | the key is gone, or all are; it stands otherwise |
| how the lock is | no battery, frozen, silent, wrong clock, another lock at the door |

Each says what the desk can do, and what the guest can be told. Where none is found, the code was mistyped, or
the lock must be asked anew: the answer says when it was compared and looked at last.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from shared.domain.device_health import Level
from shared.domain.premises import LockDevice
from shared.domain.reactions import Action
from shared.domain.states import Active, Failed
from shared.domain.window import zone_named
from shared.ledger.booking_notes import BookingEventNote, BookingOutcome
from shared.ledger.course import OVER
from shared.ledger.device_record import DeviceRecord
from shared.ledger.finding import Finding, FindingKind
from shared.ledger.grant_record import GrantRecord
from shared.ledger.hotel_directory import HotelSetup
from shared.ledger.key_record import KeyRecord
from shared.ledger.reservation import Reservation
from shared.ledger.stay import Stay
from shared.ports.lock_causes import LockCause
from shared.queries.refusal_texts import sentences

REMEDIES: Final[Mapping[str, tuple[str, str]]] = {
    "set_aside": ("Mend what its problem says, and replay it: keyfleet dead-letter list", "desk"),
    "unknown_stay": ("Ask who booked it; book it at the desk, and its key follows", "desk"),
    "refused": ("Correct the rooms or dates, and tell the stay anew", "desk"),
    "stay_over": ("If the guest is to stay, confirm the booking again, with a higher version", "desk"),
    "change_ignored": ("Tell the change again, with a higher version or the present time", "desk"),
    "other_door": ("Bring the guest to their own door", "other_door"),
    "held": ("See to what holds the stay, then release it: keyfleet release", "desk"),
    "too_early": ("Wait, or begin the stay earlier: the key follows with the same code", "early"),
    "too_late": ("Extend the stay, or check the guest out", "over"),
    "key_failed": ("Make a key by hand at the desk, or try again: keyfleet retry", "desk"),
    "key_waiting": ("Open for the guest; ask the vendor again now: keyfleet ask-again", "desk"),
    "change_not_at_lock": ("Open for the guest; see that the lock's gateway is there", "desk"),
    "key_gone": ("Place it again: keyfleet finding place; ask who deleted it", "desk"),
    "lock_emptied": ("The lock was reset: compare it, and have all its keys placed again", "desk"),
    "key_altered": ("Place it again as it is to be: keyfleet finding place", "desk"),
    "no_battery": ("Open with the emergency supply or the mechanical key; change the battery", "desk"),
    "lock_frozen": (
        "Unfreeze it in the vendor's app, which says who froze it; open by hand until then",
        "desk",
    ),
    "lock_silent": ("See that the lock and its gateway have power; open by hand", "desk"),
    "lock_clock": ("Set the lock's clock in the vendor's app; open by hand until then", "desk"),
    "lock_swapped": ("Map the lock that hangs there now; open by hand until then", "desk"),
    "nothing_found": ("Have the code typed slowly; compare the lock now: keyfleet reconcile", "again"),
}
"""What a desk does about each cause, and which sentence the guest is told; the first to be seen to first."""
ORDER: Final = tuple(REMEDIES)
MANY_GONE: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One guest at one door, and all that is known of either; `letters` say why messages were set aside."""

    now: datetime
    door: LockDevice
    setup: HotelSetup
    stay: Reservation | None
    letters: Sequence[str] = ()
    keys: Sequence[KeyRecord] = ()
    grants: Sequence[GrantRecord] = ()
    findings: Sequence[Finding] = ()
    health: DeviceRecord | None = None
    gone_lately: int = 0
    """How many keys the lock had lost when it was compared within the hour; they are placed again."""

    @property
    def booked(self) -> Stay | None:
        """The stay as it was booked, while it goes on."""
        return None if self.stay is None or self.stay.status in OVER else self.stay.stay

    def here(self, kept: GrantRecord) -> bool:
        """Say whether a grant is one of this stay's keys, at this door."""
        mine = {key.id for key in self.keys}
        return kept.grant.credential_id in mine and kept.grant.device_id == self.door.id


def causes(case: Refusal) -> list[dict[str, Any]]:
    """Return every cause that is known, in the order in which it helps to see to them."""
    found = [*_of_events(case), *_of_stay(case), *_of_key(case), *_at_lock(case), *_of_lock(case)]
    if not found:
        found = [("nothing_found", "all that is known says that the key opens")]
    found.sort(key=lambda each: ORDER.index(each[0]))
    return [_told(code, because, case) for code, because in found]


def _told(code: str, because: str, case: Refusal) -> dict[str, Any]:
    remedy, sentence = REMEDIES[code]
    return {"cause": code, "because": because, "remedy": remedy, "guest": sentences(sentence, _said(case))}


def _said(case: Refusal) -> dict[str, str]:
    stay, wall = case.booked, zone_named(case.setup.property.zone)
    if stay is None:
        return {"from": "", "until": "", "rooms": ""}
    times = {"from": stay.start, "until": stay.end}
    told = {name: f"{at.astimezone(wall):%Y-%m-%d %H:%M}" for name, at in times.items()}
    return {**told, "rooms": ", ".join(each.removeprefix("rmu_") for each in stay.rooms)}


Found = Iterator[tuple[str, str]]


def _of_events(case: Refusal) -> Found:
    if case.letters:
        yield "set_aside", f"a message about the stay was set aside: {case.letters[0]}"
    elif case.stay is None:
        yield "unknown_stay", "nobody told of such a stay"
    if case.stay is None:
        return
    if case.stay.refused:
        yield "refused", _why(case.stay.heard, BookingOutcome.REFUSED) or "as it is, it can have no key"
    if case.stay.status in OVER:
        because = _why(case.stay.heard, BookingOutcome.IGNORED)
        yield (
            "stay_over",
            f"the stay is {case.stay.status.value.replace('_', ' ')}{because and f'; {because}'}",
        )
    elif changed := _why([each for each in case.stay.heard if each.action is Action.AMEND], *_NO_CHANGE):
        yield "change_ignored", changed


_NO_CHANGE: Final = (BookingOutcome.IGNORED, BookingOutcome.REFUSED)


def _why(heard: Sequence[BookingEventNote], *outcomes: BookingOutcome) -> str:
    """Return what is said of the last event with one of these outcomes, if there is one."""
    for each in reversed(heard):
        if each.outcome in outcomes:
            return (
                f"{each.subject.split('.')[-2]} was {each.outcome.value}: {each.because or 'no reason kept'}"
            )
    return ""


def _of_stay(case: Refusal) -> Found:
    stay = case.booked
    if stay is None or case.stay is None:
        return
    if case.door not in case.setup.doors(stay.rooms, stay.scope):
        yield "other_door", "the door is none of the stay's"
    if case.stay.holds:
        yield "held", f"held for {', '.join(sorted(case.stay.holds)).replace('_', ' ')}"
    if any(_opens(key, case.now) for key in case.keys):
        return  # over the turn of two stays, one key is for both
    if case.now < stay.start:
        yield "too_early", "the stay has not begun"
    if case.now >= stay.end:
        yield "too_late", "the stay's time is over"


def _opens(key: KeyRecord, now: datetime) -> bool:
    """Say whether it is a key's time, and no change is to make it another."""
    window, settled = key.credential.core.window, key.amends is None or key.then is not None
    return isinstance(key.credential.state, Active) and settled and window.start <= now < window.end


def _of_key(case: Refusal) -> Found:
    if case.booked is None:
        return
    for key in case.keys:
        state = key.credential.state
        if isinstance(state, Failed):
            yield "key_failed", f"no key could be made: {state.reason.value.replace('_', ' ')}"
        elif key.to_be_made:
            yield "key_waiting", f"the key is yet to be made{_last_said(case)}"
        elif key.amends is not None:
            yield (
                "change_not_at_lock",
                f"the stay was changed, and not every lock has heard{_last_said(case)}",
            )
    if not case.keys and case.stay is not None and not case.stay.refused:
        yield "key_failed", "the stay has no key"


def _last_said(case: Refusal) -> str:
    calls = [call for kept in case.grants if case.here(kept) for call in kept.calls if call.answer]
    last = max(calls, key=lambda call: call.at, default=None)
    return "" if last is None else f": its vendor said {str(last.answer).replace('_', ' ')}"


def _at_lock(case: Refusal) -> Found:
    mine = {key.id for key in case.keys}
    gone = [each for each in case.findings if each.kind is FindingKind.VANISHED]
    lost = [each for each in gone if each.credential_id in mine]
    if lost and len(gone) >= MANY_GONE:
        yield "lock_emptied", f"{len(gone)} keys are gone from the lock at once"
    elif lost:
        yield "key_gone", "the lock was compared, and has the key no more"
    elif case.gone_lately:
        code = "lock_emptied" if case.gone_lately >= MANY_GONE else "key_gone"
        yield code, f"the lock had lost {case.gone_lately} of its keys; they are placed again: try once more"
    if any(each.kind is FindingKind.ALTERED and each.credential_id in mine for each in case.findings):
        yield "key_altered", "the key stands at the lock at other times, or at rest"


def _of_lock(case: Refusal) -> Found:
    it = case.health
    if it is None:
        return
    condition = it.condition
    if condition.battery_level:
        word = "low" if condition.battery_level == Level.WARNING else "critical"
        yield "no_battery", f"its battery is {word}, {condition.battery} percent"
    if condition.refusal == LockCause.LOCK_FROZEN:
        yield "lock_frozen", "it was asked, and said that it is frozen: it opens to nobody"
    elif condition.silent_since is not None or it.missing_since is not None:
        yield "lock_silent", "its vendor does not hear it"
    elif condition.refusal is not None:
        yield "lock_silent", "it was asked, and did not answer: its battery may be empty"
    if condition.skew_level and condition.skew_ms is not None:
        yield "lock_clock", f"its clock is {condition.skew_ms // 60_000} minutes off"
    if it.swapped_at is not None:
        yield "lock_swapped", "another lock answers under its name"
