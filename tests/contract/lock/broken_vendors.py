"""Vendors' adapters that are wrong in one way each: every one must fail the guarantee it breaks."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

from shared.domain.lock_errors import KeyIssueFailed, LockError, LockErrorCause, VendorUnreachable
from shared.domain.secret import Secret
from shared.vendor_kit.http import ConnectionBroken
from shared.vendor_kit.lock_vendor import PropertyLocks
from shared.vendors.mock.adapter import MockVendor
from tests.contract.lock.setting import OTHER_PIN, PIN_CODE

CENTURY = timedelta(days=36_500)


class DropsTheName(MockVendor):
    """Gives every call a name of its own, and so knows none of its keys again."""

    async def place(self, key):
        return await super().place(replace(key, name=self._cloud.new_ref().reveal()))


class AddsBlindlyAfterSilence(MockVendor):
    """Takes no answer for no effect."""

    async def place(self, key):
        self._check = lambda _: None
        again = f"{key.name}-again" if key.intent_predates else key.name
        return await super().place(replace(key, name=again))


class TellsTheRef(MockVendor):
    """Shows the vendor's reference in a repr."""

    async def find(self, key):
        at = await super().find(key)
        return at and replace(at, vendor_ref=Shown(at.vendor_ref.reveal()))


class Shown(Secret):
    """A secret that shows itself."""

    def __repr__(self):
        return self.reveal()


class TellsThePin(MockVendor):
    """Quotes what it was told in its errors."""

    async def place(self, key):
        try:
            return await super().place(key)
        except KeyIssueFailed as error:
            raise error from ValueError(f"the vendor says {key.secret.reveal()} is taken")


class RaisesRawHttpErrors(MockVendor):
    """Lets the transport's own errors out."""

    async def place(self, key):
        try:
            return await super().place(key)
        except VendorUnreachable:
            raise ConnectionBroken("reset by peer") from None


class IgnoresTheWindow(MockVendor):
    async def place(self, key):
        at = await super().place(key)
        self._stretch(key)
        return at

    def _stretch(self, key):
        held = self._cloud.locks[key.device_id]
        at = held[key.name]
        held[key.name] = replace(at, start=at.start - CENTURY, end=at.end + CENTURY)


class TellsAnotherWindow(MockVendor):
    """Does as the lock does, and says something else."""

    async def place(self, key):
        return replace(await super().place(key), exposure_until=None)


class NeverMovesTheEnd(MockVendor):
    async def place(self, key):
        return await self.find(key) or await super().place(key)


class OnlyMovesTheEndOn(MockVendor):
    async def place(self, key):
        found = await self.find(key)
        end = max(key.valid_until, found.valid_until) if found else key.valid_until
        return await super().place(replace(key, valid_until=end))


class ForgetsThePreviousGuest(MockVendor):
    async def place(self, key):
        return await super().place(replace(key, not_before=None))


class OpensEveryDoor(MockVendor):
    """Takes a property for a lock."""

    async def place(self, key):
        for device in self._binding.devices:
            at = await super().place(replace(key, device_id=device.id))
        return at


class CallsATakenPinHopeless(MockVendor):
    def _check(self, key):
        try:
            super()._check(key)
        except KeyIssueFailed as refused:
            raise KeyIssueFailed(vendor=refused.vendor, cause=refused.cause, permanent=True) from None


class RemovesInWordsOnly(MockVendor):
    async def remove(self, key):
        await self.find(key)


class RemovesByNumberOnly(MockVendor):
    async def remove(self, key):
        if key.vendor_ref is not None:
            await super().remove(key)


class MissesWhatIsGone(MockVendor):
    async def remove(self, key):
        if await self.find(key) is None:
            raise VendorUnreachable(vendor=self._binding.vendor, cause=LockErrorCause("no_such_key"))
        await super().remove(key)


class SwallowsAFailedRemoval(MockVendor):
    async def remove(self, key):
        try:
            await super().remove(key)
        except VendorUnreachable:
            return


class SearchesFuzzily(MockVendor):
    async def find(self, key):
        names = self._cloud.locks[key.device_id]
        near = next((name for name in names if name.startswith(key.name)), key.name)
        return await super().find(replace(key, name=near))


class SuspendsInWordsOnly(MockVendor):
    async def suspend(self, key):
        await self.find(key)


class WakesWithAnotherPin(MockVendor):
    async def unsuspend(self, key):
        return await super().unsuspend(replace(key, secret=Secret(OTHER_PIN)))


class MissesWhatIsToRest(MockVendor):
    async def suspend(self, key):
        if await self.find(key) is None:
            raise VendorUnreachable(vendor=self._binding.vendor)
        await super().suspend(key)


class AnyLock(PropertyLocks):
    def device(self, device_id):
        return self.binding.device(device_id) or self.binding.devices[0]


class KnowsEveryLock(MockVendor):
    def __init__(self, *parts):
        super().__init__(*parts)
        known = self._locks
        self._locks = AnyLock(known.binding, known.refusals, known.clock, known.offered)


class PlacesWhatItSaysItCannot(MockVendor):
    def _check(self, key):
        super()._check(replace(key, kind=PIN_CODE))


class TakesAnyWindow(MockVendor):
    def _check(self, key):
        super()._check(replace(key, valid_until=self._clock.now() + CENTURY))


class TakesNoSecretForASecret(MockVendor):
    def _check(self, key):
        super()._check(replace(key, secret=key.secret or Secret("0000")))


class VisitsInVain(MockVendor):
    """Does nothing of what a visit was for, should anything be amiss or not."""

    @asynccontextmanager
    async def visit(self):
        before = {device: dict(held) for device, held in self._cloud.locks.items()}
        yield
        self._cloud.locks.clear()
        self._cloud.locks.update(before)


class GoesHomeAtTheFirstRefusal(MockVendor):
    """Ends a visit, and all that follows on it, when one lock refuses."""

    _refused_once = False

    async def place(self, key):
        if self._refused_once:
            raise VendorUnreachable(vendor=self._binding.vendor)
        return await super().place(key)

    def _check(self, key):
        try:
            super()._check(key)
        except LockError:
            self._refused_once = True
            raise


class OneVisitorAtATime(MockVendor):
    """Sends everybody away while somebody is on a visit."""

    _visited = False

    @asynccontextmanager
    async def visit(self):
        if self._visited:
            raise VendorUnreachable(vendor=self._binding.vendor)
        self._visited = True
        await asyncio.sleep(0)
        yield
        self._visited = False


class StaysAfterAnError(MockVendor):
    """Never gives back what it holds when a visit breaks off."""

    _visitor = None

    @asynccontextmanager
    async def visit(self):
        StaysAfterAnError._visitor = self
        yield
        StaysAfterAnError._visitor = None

    async def place(self, key):
        if self._visitor not in {None, self}:
            raise VendorUnreachable(vendor=self._binding.vendor)
        return await super().place(key)


class ListsOthersLocks(MockVendor):
    async def list_devices(self, property_id):
        return await super().list_devices(self._binding.property.id)


class SaysItIsOffline(MockVendor):
    async def health_check(self, device_id):
        return replace(await super().health_check(device_id), online=False)


class BearsAnotherName(MockVendor):
    def describe_adapter(self):
        return replace(super().describe_adapter(), vendor="other")


class AlwaysAsksForPeace(MockVendor):
    def wait_after(self, error):
        return timedelta(hours=1)


BROKEN = {
    DropsTheName: "test_placing_again_makes_no_second_key",
    AddsBlindlyAfterSilence: "test_placing_after_a_lost_answer_makes_no_second_key",
    TellsTheRef: "test_no_secret_is_told_by_what_is_returned",
    TellsThePin: "test_no_secret_is_told_by_errors",
    RaisesRawHttpErrors: "test_a_vendor_that_is_down_is_unreachable_whatever_is_asked",
    IgnoresTheWindow: "test_a_placed_key_opens_from_its_start_to_its_end",
    TellsAnotherWindow: "test_what_is_placed_is_told",
    NeverMovesTheEnd: "test_placing_again_with_another_end_moves_the_end",
    OnlyMovesTheEndOn: "test_placing_again_with_an_earlier_end_moves_the_end",
    ForgetsThePreviousGuest: "test_a_key_begins_no_earlier_than_the_previous_guest_leaves",
    OpensEveryDoor: "test_a_placed_key_opens_its_lock_and_no_other",
    CallsATakenPinHopeless: "test_a_pin_another_key_has_is_refused_as_taken",
    RemovesInWordsOnly: "test_a_removed_key_opens_nothing",
    RemovesByNumberOnly: "test_a_key_is_removed_by_its_name_alone",
    MissesWhatIsGone: "test_removing_what_is_gone_is_success",
    SwallowsAFailedRemoval: "test_a_removal_the_vendor_did_not_hear_is_an_error_and_can_be_repeated",
    SearchesFuzzily: "test_a_key_is_found_by_its_name",
    SuspendsInWordsOnly: "test_a_suspended_key_does_not_open_and_opens_again_afterwards",
    WakesWithAnotherPin: "test_a_suspended_key_does_not_open_and_opens_again_afterwards",
    MissesWhatIsToRest: "test_suspending_what_is_gone_is_success",
    KnowsEveryLock: "test_a_lock_of_nobody_is_not_paired",
    PlacesWhatItSaysItCannot: "test_a_kind_is_placed_if_it_is_declared_and_refused_for_good_if_not",
    TakesAnyWindow: "test_a_window_that_is_over_is_refused_for_good",
    TakesNoSecretForASecret: "test_a_key_without_a_secret_is_refused_for_good",
    VisitsInVain: "test_keys_placed_and_removed_on_a_visit_are_so_afterwards",
    GoesHomeAtTheFirstRefusal: "test_a_visit_goes_on_after_a_refusal",
    OneVisitorAtATime: "test_visits_at_once_in_any_order_place_every_key",
    StaysAfterAnError: "test_a_visit_that_breaks_off_leaves_the_locks_to_others",
    ListsOthersLocks: "test_the_property_s_locks_are_listed",
    SaysItIsOffline: "test_a_lock_that_is_well_says_so",
    BearsAnotherName: "test_the_adapter_names_its_vendor",
    AlwaysAsksForPeace: "test_an_error_of_no_vendor_asks_for_no_wait",
}
"""The guarantee that each must fail."""
