"""Bugs planted in what operators are told: an all-clear while a door is open, or a guest before one."""

from shared.domain.grant_lifecycle import Residual
from shared.queries import attention


def tell_only_of_what_was_given_up(plant):
    """Call all well while a saga still tries to take a key back."""
    plant(attention, "may_still_open", lambda kept, now: isinstance(kept.grant.state, Residual))


def tell_only_of_what_a_lock_refused(plant):
    """Call all well while nobody has even asked a lock to let go of a key."""
    may = attention.may_still_open
    plant(attention, "may_still_open", lambda kept, now: may(kept, kept.wished_at or kept.grant.changed_at))


def tell_nobody_of_a_guest_at_the_door(plant):
    """Count the keys that are yet to be made, and name none whose guest is here."""
    look = attention._look_at

    async def forgetful(store, now, found):
        await look(store, now, found)
        found.at_the_door.clear()

    plant(attention, "_look_at", forgetful)


OF_WORDS = (
    tell_only_of_what_was_given_up,
    tell_only_of_what_a_lock_refused,
    tell_nobody_of_a_guest_at_the_door,
)
