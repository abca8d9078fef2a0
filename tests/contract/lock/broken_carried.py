"""Keys that guests carry, kept with one habit changed: every change must fail the guarantee it breaks."""

from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

from shared.vendor_kit import carried_keys, door_notes
from shared.vendor_kit.carried_keys import CarriedKeys
from shared.vendor_kit.departures import Departures
from shared.vendors.assa_abloy.visionline import PhoneKeys


def always_overrides(patch):
    """Ends whoever's keys were made before."""
    make = PhoneKeys.make

    async def overriding(self, new):
        return await make(self, replace(new, overrides=True))

    patch.setattr(PhoneKeys, "make", overriding)


def forgets_who_left(patch):
    """Joins the last guest, who has left early and still has a key."""

    async def among(self, names):
        return frozenset()

    patch.setattr(Departures, "among", among)


def spares_what_is_replaced(patch):
    """Lets a card that was lost open beside the one that was made in its place."""
    place = CarriedKeys.place

    async def beside(self, key):
        return await place(self, replace(key, instead_of=frozenset()))

    patch.setattr(CarriedKeys, "place", beside)


def forgets_what_may_yet_be_made(patch):
    """Takes a request that nobody heard of for one that never was."""
    patch.setattr(door_notes, "LANDS_WITHIN", timedelta(0))


def takes_no_turns(patch):
    """Lets two look for other guests at once."""

    @asynccontextmanager
    async def at_once(turns, name, holder):
        yield

    patch.setattr(carried_keys, "turn_at", at_once)


def makes_keys_early(patch):
    """Makes a key before the stay begins, though it opens at once."""
    place = CarriedKeys.place

    async def early(self, key):
        return await place(self, replace(key, valid_from=self._clock.now()))

    patch.setattr(CarriedKeys, "place", early)


def says_it_took_a_key_back(patch):
    """Takes a wish for a deed."""

    async def remove(self, key):
        await self._maker.good_at(self._door(key))

    patch.setattr(CarriedKeys, "remove", remove)


def makes_another_after_silence(patch):
    """Takes no answer for no key."""
    patch.setattr(carried_keys, "_ours", lambda key, good: [])


BROKEN = {
    always_overrides: "test_a_second_guest_does_not_end_the_first_one_s_key",
    forgets_who_left: "test_the_next_guest_ends_the_key_of_one_who_left_early",
    spares_what_is_replaced: "test_a_replacement_ends_what_it_comes_instead_of",
    forgets_what_may_yet_be_made: "test_while_a_key_may_yet_be_made_nobody_else_s_is",
    takes_no_turns: "test_two_guests_at_once_do_not_end_each_other_s_keys",
    makes_keys_early: "test_a_placed_key_opens_from_its_start_to_its_end",
    says_it_took_a_key_back: "test_a_removed_key_opens_nothing",
    makes_another_after_silence: "test_placing_after_a_lost_answer_makes_no_second_key",
}
"""The guarantee that each must fail."""
