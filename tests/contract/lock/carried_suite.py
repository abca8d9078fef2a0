"""What a vendor promises whose keys guests carry: what nobody can take back is refused, and ends by time."""

import asyncio
from contextlib import suppress
from dataclasses import replace

import pytest

from shared.domain.kinds import REVOKE_PENDING_AT_LOCK, SetRole
from shared.domain.lock_errors import KeyRevokeFailed, VendorUnreachable
from shared.domain.secret import Secret
from shared.ports.lock_causes import deferred_by_us
from shared.vendor_kit.door_notes import LANDS_WITHIN
from tests.contract.lock.setting import DAY, DOOR_101, DOOR_102, FRONT, HOUR
from tests.contract.lock.suite import LockVendorContract


async def still_carried(act, key):
    """See that a key cannot be taken back, and that this is said for good."""
    with pytest.raises(KeyRevokeFailed) as caught:
        await act(key)
    assert (caught.value.cause.kind, caught.value.permanent) == ("ends_by_time", True)


class CarriedKeysContract(LockVendorContract):
    """The guarantees of `LockVendor`, where no lock is ever told of a key."""

    async def test_a_placed_key_opens_from_its_start_to_its_end(self, setting):
        now = setting.clock.now()
        key = setting.key(valid_from=now + HOUR, valid_until=now + DAY)
        with pytest.raises(VendorUnreachable) as early:
            await setting.vendor.place(key)
        assert (early.value.cause.kind, deferred_by_us(early.value)) == ("too_early", True)
        assert not await setting.opens()
        assert setting.vendor.wait_after(early.value) == HOUR / 2
        setting.clock.advance(hours=1)
        at = await setting.vendor.place(key)
        assert (at.valid_from, at.valid_until) == (now + HOUR, now + DAY)
        assert await setting.opens()
        setting.clock.advance(hours=23)
        assert not await setting.opens()

    async def test_a_key_begins_no_earlier_than_the_previous_guest_leaves(self, setting):
        later = setting.key(not_before=setting.clock.now() + HOUR)
        with pytest.raises(VendorUnreachable):
            await setting.vendor.place(later)
        assert not await setting.opens()

    async def test_placing_again_with_another_end_moves_the_end(self, setting):
        key = setting.key()
        await setting.vendor.place(key)
        longer = replace(key, valid_until=key.valid_until + DAY, intent_predates=True)
        assert (await setting.vendor.place(longer)).valid_until == longer.valid_until
        setting.clock.advance(hours=60)
        assert await setting.opens()

    async def test_placing_again_with_an_earlier_end_moves_the_end(self, setting):
        key = setting.key()
        await setting.vendor.place(key)
        shorter = replace(key, valid_until=key.valid_until - DAY, intent_predates=True)
        at = await setting.vendor.place(shorter)
        assert (at.valid_until, at.exposure_until) == (shorter.valid_until, key.valid_until)
        assert [each.code for each in at.warnings].count(REVOKE_PENDING_AT_LOCK) == 2

    async def test_a_pin_another_key_has_is_refused_as_taken(self, setting):
        for name in ("first", "second"):
            await setting.vendor.place(setting.key(name))
        assert await setting.count() == 2

    async def test_a_removed_key_opens_nothing(self, setting):
        at = await setting.vendor.place(setting.key())
        await still_carried(setting.vendor.remove, setting.key(vendor_ref=at.vendor_ref))
        assert at.exposure_until == at.valid_until
        assert [each.code for each in at.warnings].count(REVOKE_PENDING_AT_LOCK) == 1
        setting.clock.advance(hours=48)
        await setting.vendor.remove(setting.key(vendor_ref=at.vendor_ref))
        assert not await setting.opens()

    async def test_a_key_is_removed_by_its_name_alone(self, setting):
        await setting.vendor.place(setting.key())
        await still_carried(setting.vendor.remove, setting.key())
        await setting.vendor.remove(setting.key("second"))

    async def test_removing_what_is_gone_is_success(self, setting):
        await setting.vendor.remove(setting.key("never placed"))

    async def test_a_removal_the_vendor_did_not_hear_is_an_error_and_can_be_repeated(self, setting):
        await setting.vendor.place(setting.key())
        await setting.break_down()
        with pytest.raises(VendorUnreachable):
            await setting.vendor.remove(setting.key())
        await setting.mend()
        await still_carried(setting.vendor.remove, setting.key())

    async def test_a_suspended_key_does_not_open_and_opens_again_afterwards(self, setting):
        await setting.vendor.place(setting.key())
        await still_carried(setting.vendor.suspend, setting.key())
        again = await setting.vendor.unsuspend(setting.key())
        assert (again.secret, await setting.count()) == (Secret(setting.secret), 1)

    async def test_a_key_is_removed_after_it_was_suspended_and_woken(self, setting):
        await setting.vendor.place(setting.key())
        await setting.vendor.unsuspend(setting.key())
        await still_carried(setting.vendor.remove, setting.key())

    async def test_keys_placed_and_removed_on_a_visit_are_so_afterwards(self, setting):
        async with setting.vendor.visit():
            for device in (DOOR_101, FRONT):
                await setting.vendor.place(setting.key(device_id=device))
        assert await setting.opens()
        assert await setting.opens(device=FRONT)

    async def test_a_lock_that_is_well_says_so(self, setting):
        health = await setting.vendor.health_check(DOOR_101)
        assert (health.online, health.clock_skew_ms, health.battery) == (setting.online, None, None)

    async def test_a_second_guest_does_not_end_the_first_one_s_key(self, setting):
        await setting.vendor.place(setting.key())
        await setting.vendor.place(setting.key("second", secret=Secret(setting.other_secret)))
        assert await setting.opens(setting.other_secret)
        assert await setting.opens()

    async def test_two_guests_at_once_do_not_end_each_other_s_keys(self, setting):
        other = setting.key("second", secret=Secret(setting.other_secret))
        await asyncio.gather(setting.vendor.place(setting.key()), setting.vendor.place(other))
        for secret in (setting.other_secret, setting.secret, setting.other_secret):
            assert await setting.opens(secret)

    @pytest.mark.parametrize("role", SetRole)
    async def test_no_role_ends_the_key_of_somebody_who_stays(self, setting, role):
        await setting.vendor.place(setting.key())
        await setting.vendor.place(setting.key("second", secret=Secret(setting.other_secret), role=role))
        assert [await setting.opens(setting.other_secret), await setting.opens()] == [True, True]

    @pytest.mark.parametrize("role", SetRole)
    async def test_every_role_ends_the_key_of_a_guest_who_is_gone(self, setting, role):
        await setting.vendor.place(setting.key())
        with suppress(KeyRevokeFailed):
            await setting.vendor.remove(setting.key())
        await setting.vendor.place(setting.key("second", secret=Secret(setting.other_secret), role=role))
        assert [await setting.opens(setting.other_secret), await setting.opens()] == [True, False]

    async def test_a_replacement_ends_what_it_comes_instead_of(self, setting):
        lost = setting.key()
        await setting.vendor.place(lost)
        names = frozenset({lost.name})
        other = setting.key("second", secret=Secret(setting.other_secret), role=SetRole.REPLACEMENT)
        await setting.vendor.place(replace(other, instead_of=names))
        assert [await setting.opens(setting.other_secret), await setting.opens()] == [True, False]

    async def test_while_a_key_may_yet_be_made_nobody_else_s_is(self, setting):
        late, other = setting.key(), setting.key("second", secret=Secret(setting.other_secret))
        await setting.lose_the_next_request()
        with pytest.raises(VendorUnreachable):
            await setting.vendor.place(late)
        with pytest.raises(VendorUnreachable) as caught:
            await setting.vendor.place(other)
        assert (deferred_by_us(caught.value), caught.value.after) == (True, LANDS_WITHIN)
        await setting.vendor.place(late)
        with pytest.raises(VendorUnreachable):
            await setting.vendor.place(other)
        setting.clock.advance(seconds=LANDS_WITHIN.total_seconds())
        await setting.vendor.place(other)
        assert [await setting.opens(setting.other_secret), await setting.opens()] == [True, True]

    async def test_the_next_guest_ends_the_key_of_one_who_left_early(self, setting):
        await setting.vendor.place(setting.key())
        await still_carried(setting.vendor.remove, setting.key())
        setting.clock.advance(hours=1)
        await setting.reopen()
        await setting.vendor.place(setting.key("second", secret=Secret(setting.other_secret)))
        assert await setting.opens(setting.other_secret)
        assert not await setting.opens()

    async def test_the_next_guest_ends_the_last_one_s_key(self, setting):
        await setting.vendor.place(setting.key(valid_until=setting.clock.now() + HOUR))
        assert await setting.opens()
        setting.clock.advance(hours=1)
        await setting.vendor.place(setting.key("second", secret=Secret(setting.other_secret)))
        assert await setting.opens(setting.other_secret)
        assert not await setting.opens()
        assert not await setting.opens(device=DOOR_102)


def of_all_vendors(name):
    """Return a guarantee that holds at such doors as it does at any vendor's."""
    return getattr(LockVendorContract, name)


class ToldDoorsContract(CarriedKeysContract):
    """The guarantees where a door, though not told of a key, can be told that one is no good any more."""

    test_a_removed_key_opens_nothing = of_all_vendors("test_a_removed_key_opens_nothing")
    test_a_key_is_removed_by_its_name_alone = of_all_vendors("test_a_key_is_removed_by_its_name_alone")
    test_removing_what_is_gone_is_success = of_all_vendors("test_removing_what_is_gone_is_success")
    test_a_removal_the_vendor_did_not_hear_is_an_error_and_can_be_repeated = of_all_vendors(
        "test_a_removal_the_vendor_did_not_hear_is_an_error_and_can_be_repeated"
    )
    test_a_suspended_key_does_not_open_and_opens_again_afterwards = of_all_vendors(
        "test_a_suspended_key_does_not_open_and_opens_again_afterwards"
    )
    test_a_key_is_removed_after_it_was_suspended_and_woken = of_all_vendors(
        "test_a_key_is_removed_after_it_was_suspended_and_woken"
    )
    test_keys_placed_and_removed_on_a_visit_are_so_afterwards = of_all_vendors(
        "test_keys_placed_and_removed_on_a_visit_are_so_afterwards"
    )
    test_placing_again_with_an_earlier_end_moves_the_end = of_all_vendors(
        "test_placing_again_with_an_earlier_end_moves_the_end"
    )
    test_a_lock_that_is_well_says_so = of_all_vendors("test_a_lock_that_is_well_says_so")

    async def test_the_next_guest_ends_the_key_of_one_who_left_early(self, setting):
        await setting.vendor.place(setting.key())
        await setting.vendor.remove(setting.key())
        await setting.vendor.place(setting.key("second", secret=Secret(setting.other_secret)))
        assert (await setting.opens(setting.other_secret), await setting.opens()) == (True, False)
