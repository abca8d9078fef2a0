"""Bugs planted in what keys are to become: wishes lost, told twice, or written in words nobody reads."""

from dataclasses import replace

from shared.domain import stored
from shared.keywork import decide_issue, decide_settle, desired, orders, verdicts
from shared.ledger import grant_record, ledger
from shared.ports.bus import Message
from shared.streams.telling import kept_row
from shared.usecases.stays import hear_booking, no_show, note_arrival
from shared.usecases.upkeep import end_one_key


def forget_a_wish_when_work_is_turned(plant):
    """Let a key at a lock be as it is, when other work begins before its wish is fulfilled."""
    turned = orders._turned

    def forgetful(entry, grants, facts, order, claim=None):
        kept = tuple(each for each in grants if each.wish is not grant_record.Wish.OPEN or each.stands)
        return turned(entry, kept, facts, order, claim)

    plant(orders, "_turned", forgetful)


def forget_that_a_key_is_to_rest(plant):
    """Suspend a key in the ledger, and leave its locks alone."""
    plant(orders, "resting", lambda grants, at: ())


def wake_a_key_and_leave_its_locks_asleep(plant):
    """Take a key that rests for one that opens, as soon as somebody wants it to."""
    asleep = {place: act for place, act in desired._ACTS.items() if act is not desired.Act.WAKE}
    plant(desired, "_ACTS", asleep)


def tell_a_change_twice(plant):
    """Number the events of a key anew each time they are told."""
    announce = ledger.Ledger.announce

    async def told_twice(self, entry, bus):
        told = await announce(self, entry, bus)
        if entry.unannounced:
            row = await kept_row(str(entry.id), told.announced, self.documents)
            body = row.body.replace(row.event_id.encode(), (row.event_id[:-1] + "0").encode())
            await bus.publish(row.subject, [Message(body, row.attributes, row.ordering_key)])
        return told

    plant(ledger.Ledger, "announce", told_twice)


def miss_a_step_from_an_older_version(plant):
    """Forget how documents of the release before are read."""
    plant(stored, "UPCASTS", {})


def never_begin_a_parked_execution_again(plant):
    """Park what waits, and leave it to whoever may come by to go on with it."""
    park = verdicts.parked

    def forgotten(entry, until, now):
        parked, verdict = park(entry, until, now)
        return replace(parked, due=None), verdict

    plant(decide_issue, "parked", forgotten)
    plant(decide_settle, "parked", forgotten)
    plant(verdicts, "parked", forgotten)


def believe_whatever_was_heard_last_of_a_guest(plant):
    """Take the word that came last for the newest, whether the guest came or did not."""

    def last_heard(record):
        words = [
            each for each in record.heard if each.reason is no_show.NO_SHOW or each.action in no_show._AGAINST
        ]
        return words[-1] if words else None

    plant(no_show, "_last_word", last_heard)


def leave_a_guest_who_came_shut_out(plant):
    """Drop a no-show's hold from what is planned, and do nothing about the keys that rest for it."""
    plant(no_show, "heeding", lambda record, note, now: no_show.without_plans(record, no_show.NO_SHOW))
    for each in (hear_booking, note_arrival):
        plant(each, "heeding", no_show.heeding)


def replace_a_key_that_goes_on_opening(plant):
    """Make another key for a guest who lost theirs, and let whoever found it in."""
    plant(end_one_key, "end_key", lambda *_: None)


AT_A_LONG_DESK = (never_begin_a_parked_execution_again,)
"""Found where the vendor answers later."""
OF_WISHES = (
    forget_a_wish_when_work_is_turned,
    forget_that_a_key_is_to_rest,
    wake_a_key_and_leave_its_locks_asleep,
    tell_a_change_twice,
    believe_whatever_was_heard_last_of_a_guest,
    leave_a_guest_who_came_shut_out,
    replace_a_key_that_goes_on_opening,
    miss_a_step_from_an_older_version,
    *AT_A_LONG_DESK,
)
