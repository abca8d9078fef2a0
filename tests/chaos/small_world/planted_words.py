"""Bugs planted in what operators are told: an all-clear in trouble, or a cry of wolf when all is well."""

from shared.domain.grant_lifecycle import Residual
from shared.ledger.grant_record import GrantRecord
from shared.queries import attention
from tests.chaos.small_world import onlooker


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


def list_no_residues(plant):
    """Show an empty list of residues, whatever is counted."""

    async def nothing(*_):
        return []

    plant(onlooker, "residues", nothing)


def count_no_residues(plant):
    """List what is left at locks, and have doctor call all well."""
    _told_otherwise(plant, residual_locks=0)


def hide_keys_that_failed(plant):
    """Give keys up, and name none of them, nor the stays that have none."""
    _told_otherwise(plant, failed=[], keyless_stays=[])


def cry_of_residues_that_are_none(plant):
    """List every key that stands at its lock as it is to."""
    may, indexed = attention.may_still_open, GrantRecord.indexed

    def all_listed(kept):
        return {**indexed(kept), **({} if kept.over else {"leaving": 0})}

    plant(attention, "may_still_open", lambda kept, now: kept.stands or may(kept, now))
    plant(GrantRecord, "indexed", all_listed)


def cry_of_guests_who_are_in(plant):
    """Name a guest at the door though every door opens to them."""
    look = attention._look_at

    async def afraid(store, now, found):
        await look(store, now, found)
        found.at_the_door.append("key_of_somebody")

    plant(attention, "_look_at", afraid)


def _told_otherwise(plant, **facts):
    told = onlooker.attention

    async def otherwise(*asked):
        return {**await told(*asked), **facts}

    plant(onlooker, "attention", otherwise)


OF_WORDS = (
    list_no_residues,
    count_no_residues,
    hide_keys_that_failed,
    cry_of_residues_that_are_none,
    cry_of_guests_who_are_in,
    tell_only_of_what_was_given_up,
    tell_only_of_what_a_lock_refused,
    tell_nobody_of_a_guest_at_the_door,
)
