"""The TTLock adapter with one habit changed: every change must fail the guarantee it breaks."""

from contextlib import nullcontext
from dataclasses import replace

from shared.vendor_kit import turns, visits
from shared.vendor_kit.key_sync import KeySync
from shared.vendor_kit.rate import Urgency
from shared.vendors.ttlock import adapter, api
from shared.vendors.ttlock.kinds import KINDS
from tests.contract.lock.setting import PIN_CODE


def keeps_the_default_type(patch):
    """Leaves addType at 1: the key is in the cloud and never on the lock."""

    def add(new):
        ask = api.add_passcode(new)
        return replace(ask, params={**ask.params, "addType": 1})

    patch.setitem(KINDS, PIN_CODE, replace(KINDS[PIN_CODE], adding=add))


def adds_without_looking(patch):
    """Takes -3007 and silence for the end, without seeing whose key stands there."""

    async def instead(self, error, secret):
        return None

    patch.setattr(KeySync, "_instead", instead)


def trusts_a_yes(patch):
    """Deletes by number, and asks no further."""

    async def removed(self):
        if self.key.vendor_ref is not None:
            await self._deleted(self.key.vendor_ref)
        else:
            for row in await self._namesakes(Urgency.REVOKE):
                await self._deleted(row.ref)

    patch.setattr(KeySync, "removed", removed)


def takes_the_search_at_its_word(patch):
    """Believes that whatever is listed has the name that was searched for."""
    patch.setattr(api, "_named", lambda field, name, read: read)


def adopts_whatever_window(patch):
    """Adopts a key of the right name and never mind its window."""

    async def settled(self, row, secret):
        return row

    patch.setattr(KeySync, "_settled", settled)


def changes_what_was_never_used(patch):
    """Insists on changing a key's window, though the vendor refuses that of keys nobody used."""

    async def moved(self, row, secret):
        await self.ask(self.kind.changing(self.lock, row.ref, row.bounds), Urgency.ISSUE)
        return row

    patch.setattr(KeySync, "_moved", moved)


def leaves_its_turns_behind(patch):
    """Gives nothing back when a visit ends."""

    behind = []  # or the garbage collector would give them back

    async def end(self):
        behind.append(self)

    patch.setattr(visits.Visit, "end", end)
    patch.setattr(turns, "PATIENCE", 0.3)


def takes_a_turn_at_every_lock(patch):
    """Holds nothing on a visit."""
    patch.setattr(adapter, "visiting", nullcontext)


def goes_on_with_the_turn_of_another_gateway(patch):
    """Takes whatever turn it holds for the one it needs."""

    async def standing(self, turns, name, urgency):
        return self._turn and self._turn[2]

    patch.setattr(visits.Visit, "_standing", standing)


def holds_one_gateway_while_it_waits_for_another(patch):
    """Gives nothing back before the end, and so may wait for somebody who waits for it."""

    async def give_back(self):
        if self.over:
            await self._kept.aclose()

    patch.setattr(visits.Visit, "_give_back", give_back)
    patch.setattr(turns, "PATIENCE", 0.5)


BROKEN = {
    keeps_the_default_type: "test_a_placed_key_opens_its_lock_and_no_other",
    adds_without_looking: "test_placing_at_once_makes_no_second_key",
    trusts_a_yes: "test_a_key_is_removed_after_it_was_suspended_and_woken",
    takes_the_search_at_its_word: "test_a_key_is_found_by_its_name",
    adopts_whatever_window: "test_placing_again_with_an_earlier_end_moves_the_end",
    leaves_its_turns_behind: "test_a_visit_that_breaks_off_leaves_the_locks_to_others",
    changes_what_was_never_used: "test_placing_again_with_another_end_moves_the_end",
}
"""The guarantee that each must fail."""
BROKEN_AT_GATEWAYS = {
    takes_a_turn_at_every_lock: "test_a_room_and_the_front_door_take_one_turn",
    goes_on_with_the_turn_of_another_gateway: "test_locks_behind_two_gateways_take_a_turn_at_each",
    holds_one_gateway_while_it_waits_for_another: "test_visits_to_two_gateways_in_any_order_end",
}
"""The guarantee of TestVisits that each must fail."""
