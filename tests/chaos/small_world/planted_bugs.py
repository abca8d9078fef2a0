"""Bugs planted in the core: each is a mistake that somebody could make, and must not get far."""

import asyncio
import contextlib
from dataclasses import replace
from itertools import count

from shared.domain.grant_lifecycle import ConfirmRemoval, Intended, RemovalProof
from shared.keywork import attempt, decide_settle, errand, lock_attempt, place_at_locks, start
from shared.keywork.lock_key import lock_key
from shared.keywork.services import Services
from shared.ledger import grant_record, key_record, ledger, sealed_keys
from shared.ports.bus import Message
from shared.ports.documents import StaleVersion
from shared.usecases.stays import change_stay, hear_booking
from shared.usecases.upkeep import sweep_due
from shared.vendor_kit import guard
from shared.vendor_kit.calm.blocks import OwnBlocks
from tests.chaos.small_world import documents
from tests.chaos.small_world.planted_cards import OF_CARDS
from tests.chaos.small_world.planted_shifts import OF_SHIFTS
from tests.chaos.small_world.planted_wishes import OF_WISHES
from tests.chaos.small_world.planted_words import OF_WORDS

NUMBERS = count(1)


def random_name_at_the_vendor(plant):
    """Call a key otherwise each time its vendor is asked for it."""

    def named_anew(*grant):
        key = lock_key(*grant)
        return replace(key, name=f"{key.name}-{next(NUMBERS)}")

    plant(place_at_locks, "lock_key", named_anew)


def publish_before_commit(plant):
    """Tell what is about to be true, and then make it true."""
    save_all = ledger.Ledger.save_all

    async def told_first(self, changes, *beside):
        rows = [self._rows(change) for change in changes]
        for row in (row for of_one in rows for row in of_one):
            await self.bus.publish(row.subject, [Message(row.body, row.attributes, row.ordering_key)])
        known = iter(rows)
        self._rows = lambda _: next(known)
        try:
            return await save_all(self, changes, *beside)
        finally:
            del self._rows

    _with_bus(plant)
    plant(ledger.Ledger, "save_all", told_first)


def mark_announced_without_publishing(plant):
    """Note that everything is told, and leave the telling to somebody."""

    async def noted(self, told, bus):
        return replace(told, announced=told.credential.sequence, told=())

    plant(ledger.Ledger, "announce", noted)


def publish_only_the_newest_event(plant):
    """Forget those events that a crash left untold."""
    announce = ledger.Ledger.announce

    async def newest(self, told, bus):
        return await announce(
            self, replace(told, announced=max(told.announced, told.credential.sequence - 1)), bus
        )

    plant(ledger.Ledger, "announce", newest)


def acknowledge_before_the_work_is_done(plant):
    """Answer the bus at once, and work on when it has gone."""
    work = hear_booking.hear_booking

    async def answered_first(event, services, booked=None, changed=None):
        done = asyncio.ensure_future(work(event, services, booked, changed))
        if booked is None:
            await done
        done.add_done_callback(lambda ended: ended.cancelled() or ended.exception())

    plant(hear_booking, "hear_booking", answered_first)


def no_generation_guard(plant):
    """Let every execution go on, also those of work that was called off."""
    plant(key_record.Saga, "follows", lambda self, generation, execution: True)


def no_version_check(plant):
    """Write over whatever somebody else has written meanwhile."""
    expect = documents._expect

    def forgiving(write, row):
        with contextlib.suppress(StaleVersion):
            expect(write, row)

    plant(documents, "_expect", forgiving)


def skip_the_grants_before_the_call(plant):
    """Write a grant down only when its vendor has answered."""
    saved = attempt.AttemptContext.saved

    async def without(self, change):
        kept = tuple(each for each in change.grants if not isinstance(each.grant.state, Intended))
        task, _ = await saved(self, replace(change, grants=kept))
        return task, change.grants

    plant(attempt.AttemptContext, "saved", without)


def draw_another_pin_at_every_attempt(plant):
    """Tell each lock, and each attempt, another secret."""
    keep = sealed_keys.SealedKeys.keep

    async def drawn(self, key):
        await keep(self, key)
        return key

    async def forgotten(self, name):
        return None

    plant(sealed_keys.SealedKeys, "keep", drawn)
    plant(sealed_keys.SealedKeys, "find", forgotten)


def forget_what_was_placed_when_a_try_is_given_up(plant):
    """Take the grants of a try that came to nothing for such as no lock ever heard of."""

    def given_up(self, task):
        leaving = self.settled(task).withdrawn(task.now)
        return leaving.applied(ConfirmRemoval(at=task.now, proof=RemovalProof.NEVER_PLACED))

    plant(lock_attempt.LockAttempt, "given_up", given_up)


def believe_a_removal_while_a_call_is_under_way(plant):
    """Forget that a call which was never heard of again may still land."""
    plant(grant_record.GrantRecord, "busy", lambda self, now: False)


def believe_a_removal_that_failed(plant):
    """Take a vendor's error for consent."""
    settled = errand.Errand.settled
    plant(
        errand.Errand,
        "settled",
        lambda self, now, **how: settled(replace(self, error=None), now, **how),
    )


def claim_the_stay_before_its_keys(plant):
    """Keep the record of a stay in one commit and its keys in the next."""
    save_all = ledger.Ledger.save_all

    async def one_by_one(self, changes, *beside):
        await self.documents.commit(beside)
        return await save_all(self, changes) if changes else ()

    plant(ledger.Ledger, "save_all", one_by_one)


def never_sweep(plant):
    """Trust that no saga is ever lost."""

    async def swept(store, services):
        return 0

    plant(sweep_due, "sweep_due", swept)


def promise_nothing_when_work_is_saved(plant):
    """Save new work without a time at which somebody looks whether it was begun."""
    save_all = ledger.Ledger.save_all

    async def without_due(self, changes, *beside):
        return await save_all(
            self, [replace(each, entry=replace(each.entry, due=None)) for each in changes], *beside
        )

    plant(ledger.Ledger, "save_all", without_due)


def forget_a_cancellation_that_came_first(plant):
    """Pass over the end of a stay that nobody has heard of."""
    end = hear_booking.end_stay

    async def passed_over(it, record, course):
        return await end(it, record, course) if record.version else ()

    plant(hear_booking, "end_stay", passed_over)


def keep_the_key_of_a_stay_that_is_another_guest_s_now(plant):
    """Take a newer confirmation for the one that is known."""

    is_news = hear_booking._is_news

    async def known(news, record):
        return record.stay is None and await is_news(news, record)

    plant(hear_booking, "_is_news", known)


def let_the_guest_keep_whatever_they_had(plant):
    """Leave the old keys of a changed stay alone, whatever they open."""
    plant(change_stay, "is_included", lambda it, key: True)


def take_away_what_the_changed_stay_includes(plant):
    """End every old key of a changed stay, although nobody knows whether there will be a new one."""
    plant(change_stay, "is_included", lambda it, key: False)


def revoke_only_when_the_locks_have_let_go(plant):
    """End a key in the ledger after its vendor, not before (A §8.1 instead of §8.3)."""

    async def begun(it, record, course):
        for credential in record.credentials:
            await it.services.sagas.start(*_argument(await it.ledger.entry(credential)))
        ended = replace(record, status=course.status)
        await it.ledger.documents.commit([ended.write()])
        return record.credentials

    plant(hear_booking, "end_stay", begun)


def say_it_was_settled_before_it_was(plant):
    """Say what the locks answered without having asked them all."""
    over = decide_settle._over

    def decision(later, entropy):
        return over(later.it, later.change, tuple(later.it.grants), in_vain=False)

    plant(decide_settle._Later, "decision", decision)


def _argument(found):
    argument = {
        "tenant": str(found.credential.tenant),
        "saga_id": str(found.id),
        "generation": found.saga.generation,
        "adapter": start.adapter_of(found.credential.core.plan.current.vendor),
    }
    return start.WORKFLOW, argument


def _with_bus(plant):
    """Give the ledger a bus, which it has no business with."""
    made = Services.ledger

    async def with_bus(self, tenant):
        found = await made(self, tenant)
        found.bus = self.bus
        return found

    plant(Services, "ledger", with_bus)


def count_calls_by_process(plant):
    """Take a vendor's limit for each process's own, though it counts them all together."""
    plant(guard.Guards, "_blocks_of", lambda self, application, limit: OwnBlocks(limit))


AT_A_STRICT_VENDOR = (count_calls_by_process,)
"""Found where the vendor counts."""
BUGS = (
    random_name_at_the_vendor,
    publish_before_commit,
    mark_announced_without_publishing,
    publish_only_the_newest_event,
    acknowledge_before_the_work_is_done,
    no_generation_guard,
    no_version_check,
    skip_the_grants_before_the_call,
    draw_another_pin_at_every_attempt,
    forget_what_was_placed_when_a_try_is_given_up,
    believe_a_removal_while_a_call_is_under_way,
    believe_a_removal_that_failed,
    claim_the_stay_before_its_keys,
    never_sweep,
    promise_nothing_when_work_is_saved,
    forget_a_cancellation_that_came_first,
    keep_the_key_of_a_stay_that_is_another_guest_s_now,
    let_the_guest_keep_whatever_they_had,
    take_away_what_the_changed_stay_includes,
    revoke_only_when_the_locks_have_let_go,
    say_it_was_settled_before_it_was,
    *AT_A_STRICT_VENDOR,
    *OF_CARDS,
    *OF_SHIFTS,
    *OF_WISHES,
    *OF_WORDS,
)
