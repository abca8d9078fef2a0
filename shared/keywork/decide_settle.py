"""What comes of a round of settling a key: a pure decision, made from what the locks said, then saved once.

| after the round | the key | the work |
|---|---|---|
| a lock was missed | | goes on at once with the others |
| something is owed that may yet be done | told what has become true | asks again, after a rest that grows |
| what is owed is all in a vendor's hand | told what has become true | parked until its end |
| what is to open stands; something is left behind by the change | amended | goes on with what is left |
| nothing is owed | settled, amended or woken | done |
| a lock would not let go, or will not open as it is to | residual, said to people | asked again each hour |
| only such are left whose time is over by their locks' clocks | settled | asked again each day |

Once a vendor was asked in vain for more than a minute, a rest is parked.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

from shared.domain.commands import Amend, Command, Unsuspend
from shared.domain.credential import KeyCredential
from shared.domain.facts import Fact
from shared.domain.grant_lifecycle import Residual
from shared.domain.ids import LockDeviceId
from shared.domain.instants import milliseconds
from shared.domain.kinds import merge_warnings
from shared.domain.lock_errors import KeyRevokeFailed
from shared.domain.states import Active, LockSettlement, Revoked, Suspended
from shared.domain.window import StayWindow
from shared.keywork.attempt import AttemptContext
from shared.keywork.decision import Decision, carry_out
from shared.keywork.desired import hopeful, job_of, left_behind, opening, pin_refused, waiting
from shared.keywork.errand import NONE, SettleAttempt, waits_too_long
from shared.keywork.manual_task import alarm, reservation_of
from shared.keywork.vault import secret_of
from shared.keywork.verdicts import DONE, Outcome, Verdict, after_rest, ask, parked
from shared.ledger.delays import (
    LAPSED_EVERY,
    LONGEST_WAIT,
    MOST_TRIES,
    RESIDUE_EVERY,
    STEP_LEASE,
    delay_after,
)
from shared.ledger.grant_record import CLOCK_MARGIN, YES, GrantRecord, Wish
from shared.ledger.key_record import KeyRecord, Saga
from shared.ledger.ledger import Change
from shared.ports.ambient import Entropy
from shared.ports.lock_causes import left_alone
from shared.vendor_kit.calm.urgency import is_in_bulk

Settled = list[tuple[GrantRecord, GrantRecord]]
OF_A_CIRCUITS_REST: Final = (0.5, 1.0)
"""Whoever closes a door comes by now and then: many in step would all find the circuit open but one."""


async def conclude_settling(it: SettleAttempt) -> Verdict:
    """Save what came of a round, and say what is next."""
    settled = it.settled()
    standing = _standing(it, settled)
    _alarm(it, settled)
    _alarm_in_vain(it, standing)
    decision = decide(it, settled, standing, it.task.services.entropy)
    return replace(await carry_out(decision, it.task, it.secrets), error=next(iter(it.errors), None))


def _standing(it: SettleAttempt, settled: Settled) -> tuple[GrantRecord, ...]:
    """Return all grants as they are now."""
    known = {kept.grant.id: kept for kept in (*it.grants, *(new for _, new in settled))}
    return tuple(known.values())


def decide(
    it: SettleAttempt, settled: Settled, standing: tuple[GrantRecord, ...], entropy: Entropy
) -> Decision:
    """Return what a round comes to; it asks nobody and writes nothing."""
    vain, now = it.in_vain(), it.task.now
    entry = replace(it.task.entry, saga=it.saga)
    if vain:
        entry = replace(entry, saga=replace(entry.saga, tries=MOST_TRIES))
    changed = {new.grant.id: new for old, new in settled if new is not old}
    owed = [kept for kept in standing if hopeful(kept) and kept.grant.id not in vain]
    gone: list[GrantRecord] = []
    if not any(kept in owed for kept in opening(standing)) and not it.missed:
        # What a change gains stands or will not: what it leaves behind goes, for others live there.
        gone = [kept.withdrawn(now) for kept in left_behind(standing)]
        changed |= {kept.grant.id: kept for kept in gone}
        owed += gone
    entry, facts = _fulfilled(entry, standing, now)
    if owed or it.missed:
        later = _Later(it, Change(entry, facts, tuple(changed.values())), owed, at_once=bool(gone))
        return later.decision(entropy)
    return _over(it, Change(entry, facts, tuple(changed.values())), standing, in_vain=bool(vain))


@dataclass(frozen=True, slots=True)
class _Later:
    """What is still owed after a round; `at_once`: at some of these locks nobody could be asked before."""

    it: SettleAttempt
    change: Change
    owed: Sequence[GrantRecord]
    at_once: bool

    def decision(self, entropy: Entropy) -> Decision:
        """Return who goes on, and when."""
        it, task, now = self.it, self.it.task, self.it.task.now
        ready = [kept for kept in self.owed if not waiting(kept, now)]
        if not (ready or it.missed):
            ends = [job.until for kept in self.owed if (job := job_of(kept)) is not None]
            entry, verdict = parked(self.change.entry, min(ends), now)
            return Decision(replace(self.change, entry=entry), verdict)
        ours = [kept for kept in ready if kept.grant.vendor == task.vendor]
        if not (ours or it.missed):
            entry = self.change.entry.due_in(STEP_LEASE, now)
            return Decision(replace(self.change, entry=entry), ask(ready[0].grant.vendor))
        entry = replace(self.change.entry, saga=self._saga(now))
        entry, verdict = after_rest(entry, task.vendor, self._wait(ours, entropy), now)
        return Decision(replace(self.change, entry=entry), verdict)

    def _saga(self, now: datetime) -> Saga:
        """Return the work: how long executions rest for it depends on whether its vendor is in trouble."""
        saga = self.change.entry.saga
        if self.it.missed:
            return saga
        # Of many that go at once none parks for itself: one execution waits for all of them.
        in_trouble = self.it.failed_in_earnest and not is_in_bulk()
        return saga.asked_in_vain(now) if in_trouble else saga.in_our_line()

    def _wait(self, ours: Sequence[GrantRecord], entropy: Entropy) -> timedelta:
        """Return how long until it is worth asking again: after an error longer each time."""
        it = self.it
        if it.missed:
            return NONE
        if it.failed:
            share = entropy.uniform(*OF_A_CIRCUITS_REST) if left_alone(it.errors) else 1
            return max(delay_after(max(1, it.tries), entropy), min(it.asked_for, LONGEST_WAIT) * share)
        now = it.task.now
        busy = [kept.busy_until - now for kept in ours if kept.busy_until is not None]
        return NONE if self.at_once else max([NONE, *busy])


def _over(it: SettleAttempt, change: Change, standing: tuple[GrantRecord, ...], *, in_vain: bool) -> Decision:
    """End the work: with what still opens, if anything does, and a day on which to ask again."""
    residual = [kept for kept in standing if isinstance(kept.grant.state, Residual)]
    opening = [kept for kept in residual if not kept.lapsed(it.task.now)]
    credential, facts = _settlement(change.entry.credential, standing, it)
    due = _due(residual, it.task, in_vain=in_vain)
    if in_vain and pin_refused(change.entry, standing) and change.entry.revival.looked is None:
        due = it.task.now  # whoever comes by replaces the key, or has it asked for hourly
    entry = replace(change.entry, credential=credential, due=due)
    verdict = Verdict(Outcome.FAILED) if opening or in_vain else DONE
    spent = {secret_of(kept) for kept in standing} if all(kept.over for kept in standing) else set()
    told = Change(entry, (*change.facts, *facts), change.grants)
    return Decision(told, verdict, ends=True, spent=tuple(sorted(spent, key=str)))


def _fulfilled(
    entry: KeyRecord, standing: Sequence[GrantRecord], now: datetime
) -> tuple[KeyRecord, tuple[Fact, ...]]:
    """Say that a key is woken or amended, once it opens wherever it is to open, and when."""
    if opening(standing) or not any(kept.wish is Wish.OPEN and not kept.over for kept in standing):
        return entry, ()
    facts: tuple[Fact, ...] = ()
    for command in _commands(entry, standing, now):
        credential, told = entry.credential.apply(command)
        entry, facts = replace(entry, credential=credential), (*facts, *told)
    return (replace(entry, amends=None) if isinstance(entry.credential.state, Active) else entry), facts


def _commands(entry: KeyRecord, standing: Sequence[GrantRecord], now: datetime) -> list[Command]:
    commands: list[Command] = []
    state, amends = entry.credential.state, entry.amends
    if isinstance(state, Suspended) and not entry.holds:
        commands.append(Unsuspend(at=now, by=entry.ordered_by))
    # What was woken, or placed again, may open at other times than before, though nobody moved it: it was
    # made anew. Then that is told as a change is.
    window = entry.credential.core.window if amends is None else amends.window
    effective = _effective(standing, window)
    if commands or (isinstance(state, Active) and (amends is not None or _moved(state, effective))):
        at_locks = [
            kept.standing for kept in standing if kept.wish is Wish.OPEN and kept.standing is not None
        ]
        commands.append(
            Amend(
                at=now,
                rooms=None if amends is None else amends.rooms,
                window=None if amends is None else window,
                scope=None if amends is None else amends.scope,
                effective=effective,
                warnings=merge_warnings(*(each.warnings for each in at_locks)),
            )
        )
    return commands


def _moved(state: Active, effective: StayWindow | None) -> bool:
    """Say whether the locks open at other times than was told; grants know them by the millisecond."""
    told = state.key.effective
    return effective is not None and any(
        milliseconds(now) != milliseconds(before)
        for now, before in ((effective.start, told.start), (effective.end, told.end))
    )


def _effective(standing: Sequence[GrantRecord], window: StayWindow) -> StayWindow | None:
    """Return when all the locks open; None if they never all do."""
    at_locks = [kept.standing for kept in standing if kept.wish is Wish.OPEN and kept.standing is not None]
    start = max((each.valid_from for each in at_locks), default=window.start)
    end = min((each.valid_until for each in at_locks), default=window.end)
    return StayWindow(start, end, window.zone) if start < end else None


def _settlement(
    credential: KeyCredential, standing: tuple[GrantRecord, ...], it: SettleAttempt
) -> tuple[KeyCredential, tuple[Fact, ...]]:
    if not isinstance(credential.state, Revoked) or not standing:
        return credential, ()
    devices = dict.fromkeys(kept.grant.device_id for kept in standing)
    opens = [kept for kept in standing if not kept.over and not kept.lapsed(it.task.now)]
    locks = tuple(_at_lock(device, opens) for device in devices)
    return credential.settle_revoke(locks, at=it.task.now, by=it.by)


def _at_lock(device: LockDeviceId, opens: Sequence[GrantRecord]) -> LockSettlement:
    """Say until when the last of what is left at a lock opens it; of some, nobody knows an end."""
    ends = [kept.grant.exposure_until for kept in opens if kept.grant.device_id == device]
    known = [end for end in ends if end is not None]
    return LockSettlement(device, not ends, max(known, default=None) if len(known) == len(ends) else None)


def _due(residual: list[GrantRecord], task: AttemptContext, *, in_vain: bool) -> datetime | None:
    """Return when to ask again: hourly, at the end of what still opens, and daily of what opens no more."""
    opening = [kept for kept in residual if not kept.lapsed(task.now)]
    if opening or in_vain:
        known = [kept.grant.exposure_until for kept in opening if kept.grant.exposure_until is not None]
        return min([task.now + RESIDUE_EVERY, *(end + CLOCK_MARGIN for end in known)])
    return task.now + LAPSED_EVERY if residual else None


def _alarm(it: SettleAttempt, settled: Settled) -> None:
    """Say it at once, and once more when we stop asking: somebody may still get in."""
    core = it.task.entry.credential.core
    for old, new in settled:
        given_up = new.grant is not old.grant and isinstance(new.grant.state, Residual)
        if given_up or _first(it, old):
            it.task.services.log.alert(
                KeyRevokeFailed.code,
                runbook="lock/key-revoke",
                keyCredentialId=it.task.entry.id,
                tenantId=core.tenant,
                reservationId=reservation_of(core),
                deviceId=new.grant.device_id,
                cause=_cause(it, new),
                tries=it.tries,
            )


def _alarm_in_vain(it: SettleAttempt, standing: Sequence[GrantRecord]) -> None:
    """Say once of a change that its locks do not follow: its guest may stand before a door."""
    known, vain = it.task.entry, it.in_vain()
    if vain and known.saga.tries < MOST_TRIES and not pin_refused(known, standing):
        reason = "its locks will not open as they are to: it is as it was before, and asked for each hour"
        devices = sorted(str(kept.grant.device_id) for kept in standing if kept.grant.id in vain)
        alarm(known.credential.core, reason, it.task.services.log, devices=", ".join(devices))


def _first(it: SettleAttempt, old: GrantRecord) -> bool:
    """Say whether nobody was told yet that a lock keeps the key: it is refused, or waits for too long."""
    errand = next((each for each in it.errands if each.kept is old), None)
    if errand is None or errand.error is None or errand.act.opens or any(_refusals(old)):
        return False
    if errand.asked_at is None:
        return it.tries == 1
    waited_before = any(waits_too_long(old, call.at) for call in old.removals)
    return errand.refused or (waits_too_long(old, errand.asked_at) and not waited_before)


def _refusals(kept: GrantRecord) -> list[bool]:
    since = kept.wished_at if kept.wish is Wish.REST else None
    asked = [call for call in kept.removals if since is None or call.at >= since]
    return [call.made and call.answer is not None and call.answer not in YES for call in asked]


def _cause(it: SettleAttempt, kept: GrantRecord) -> str | None:
    error = next((each.error for each in it.errands if each.kept.grant.id == kept.grant.id), None)
    return error.cause.kind if error else kept.calls[-1].answer
