"""Bugs planted in what becomes of staff, and of a hotel that closes: who may not any more still opens."""

from dataclasses import replace

from shared.usecases.bulk import begin_bulk
from shared.usecases.staff import dismiss, follow_master_key, hear_shift


async def _nothing(*_, **__):
    return None


def leave_keys_with_a_shift_that_ended(plant):
    """Note that a shift is over, and leave its keys to their window."""
    plant(hear_shift, "end_master_key", _nothing)


def give_keys_to_whoever_was_dismissed(plant):
    """End what somebody holds who lost their account, and not keep in mind that they did."""
    plant(dismiss, "stop_person", _nothing)


def believe_whichever_start_came_last(plant):
    """Take the word of a shift that came last for the newest."""
    find = hear_shift.find_shift

    async def as_never_heard(*asked):
        return replace(await find(*asked), heard_at=None)

    plant(hear_shift, "find_shift", as_never_heard)


def never_look_at_a_master_key_again(plant):
    """Request a master key's credentials, and never look what became of them."""
    plant(follow_master_key, "tend_master_key", _nothing)


def close_a_hotel_and_begin_nothing(plant):
    """Keep the job that ends a closed hotel's keys, and begin no execution of it."""
    plant(begin_bulk, "start_bulk", _nothing)


OF_SHIFTS = (
    leave_keys_with_a_shift_that_ended,
    give_keys_to_whoever_was_dismissed,
    believe_whichever_start_came_last,
    never_look_at_a_master_key_again,
    close_a_hotel_and_begin_nothing,
)
