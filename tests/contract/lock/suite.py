"""What every LockVendor promises, each guarantee in a test of its name."""

import asyncio
import io
import traceback
from dataclasses import replace

import pytest

from shared.domain.ids import PropertyId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.lock_errors import (
    CardEncoderOffline,
    DeviceNotPaired,
    KeyIssueFailed,
    LockError,
    VendorUnreachable,
)
from shared.domain.secret import Secret
from shared.kernel.log import Log
from shared.ports.lock_causes import PIN_TAKEN
from tests.contract.lock.setting import (
    CANARIES,
    CARD_NUMBER,
    DAY,
    DOOR_101,
    DOOR_102,
    FRONT,
    HOUR,
    KABUL,
    MOBILE_APP,
    NOWHERE,
    PIN,
)

ALL_KINDS = tuple(KeyCredentialKind)
NUMBERS = {KeyCredentialKind.RFID_CARD: CARD_NUMBER, KeyCredentialKind.NFC_TAG: CARD_NUMBER}


def told(error):
    """Return everything that may be printed of an error, as a log, a person or the wire would have it."""
    lines = io.StringIO()
    Log("test", lines).failure("broke", error, detail=error.to_dict())
    return "".join([*traceback.format_exception(error), repr(error), repr(error.to_dict()), lines.getvalue()])


async def each_key_of_a_secret_stands_alone(setting):
    """See that a guest's second key outlives the first, where one phone or card may have several."""
    await setting.vendor.place(setting.key("second"))
    await setting.vendor.remove(setting.key())
    assert await setting.opens()
    assert await setting.count() == 1


class LockVendorContract:
    """The guarantees of `shared.ports.lock.LockVendor`."""

    async def test_a_placed_key_opens_its_lock_and_no_other(self, setting):
        await setting.vendor.place(setting.key())
        assert await setting.opens()
        assert not await setting.opens(device=DOOR_102)

    async def test_a_placed_key_opens_from_its_start_to_its_end(self, setting):
        now = setting.clock.now()
        at = await setting.vendor.place(setting.key(valid_from=now + HOUR, valid_until=now + DAY))
        assert (at.valid_from, at.valid_until) == (now + HOUR, now + DAY)
        assert not await setting.opens()
        setting.clock.advance(hours=2)
        assert await setting.opens()
        setting.clock.advance(hours=22)
        assert not await setting.opens()

    async def test_what_is_placed_is_told(self, setting):
        at = await setting.vendor.place(setting.key())
        assert at.secret == Secret(setting.secret)
        assert at.exposure_until == at.valid_until
        assert at.vendor_ref.reveal()

    async def test_placing_again_makes_no_second_key(self, setting):
        first = await setting.vendor.place(setting.key())
        again = await setting.vendor.place(setting.key(intent_predates=True))
        assert again.vendor_ref == first.vendor_ref
        assert await setting.count() == 1

    async def test_placing_at_once_makes_no_second_key(self, setting):
        await asyncio.gather(*(setting.vendor.place(setting.key()) for _ in range(4)))
        assert await setting.count() == 1

    async def test_placing_after_a_lost_answer_makes_no_second_key(self, setting):
        await setting.lose_the_next_answer()
        try:
            await setting.vendor.place(setting.key())
        except VendorUnreachable:
            await setting.vendor.place(setting.key(intent_predates=True))
        assert await setting.count() == 1
        assert await setting.opens()

    async def test_placing_again_with_another_end_moves_the_end(self, setting):
        key = setting.key()
        await setting.vendor.place(key)
        longer = replace(key, valid_until=key.valid_until + DAY, intent_predates=True)
        assert (await setting.vendor.place(longer)).valid_until == longer.valid_until
        setting.clock.advance(hours=60)
        assert await setting.opens()
        assert await setting.count() == 1

    async def test_placing_again_with_an_earlier_end_moves_the_end(self, setting):
        key = setting.key()
        await setting.vendor.place(key)
        await setting.vendor.place(replace(key, valid_until=key.valid_until - DAY, intent_predates=True))
        setting.clock.advance(hours=30)
        assert not await setting.opens()

    async def test_a_pin_another_key_has_is_refused_as_taken(self, setting):
        await setting.vendor.place(setting.key())
        if not setting.one_key_for_a_secret:
            await each_key_of_a_secret_stands_alone(setting)
            return
        with pytest.raises(KeyIssueFailed) as caught:
            await setting.vendor.place(setting.key("second"))
        assert (caught.value.cause.kind, caught.value.permanent) == (PIN_TAKEN, False)
        assert await setting.count() == 1

    async def test_a_key_begins_no_earlier_than_the_previous_guest_leaves(self, setting):
        now = setting.clock.now()
        at = await setting.vendor.place(setting.key(not_before=now + HOUR))
        assert at.valid_from >= now + HOUR
        assert not await setting.opens()

    async def test_a_removed_key_opens_nothing(self, setting):
        at = await setting.vendor.place(setting.key())
        await setting.vendor.remove(setting.key(vendor_ref=at.vendor_ref))
        assert not await setting.opens()
        assert await setting.count() == 0

    async def test_a_key_is_removed_by_its_name_alone(self, setting):
        await setting.vendor.place(setting.key())
        await setting.vendor.place(setting.key("second", secret=Secret(setting.other_secret)))
        await setting.vendor.remove(setting.key())
        assert (await setting.opens(), await setting.opens(setting.other_secret)) == (False, True)

    async def test_removing_what_is_gone_is_success(self, setting):
        at = await setting.vendor.place(setting.key())
        for _ in range(2):
            await setting.vendor.remove(setting.key(vendor_ref=at.vendor_ref))
        await setting.vendor.remove(setting.key("never placed"))

    async def test_a_removal_the_vendor_did_not_hear_is_an_error_and_can_be_repeated(self, setting):
        await setting.vendor.place(setting.key())
        await setting.break_down()
        with pytest.raises(VendorUnreachable):
            await setting.vendor.remove(setting.key())
        await setting.mend()
        assert await setting.opens()
        await setting.vendor.remove(setting.key())
        assert not await setting.opens()

    async def test_a_key_is_found_by_its_name(self, setting):
        assert await setting.vendor.find(setting.key()) is None
        at = await setting.vendor.place(setting.key())
        found = await setting.vendor.find(setting.key())
        assert (found.vendor_ref, found.valid_until) == (at.vendor_ref, at.valid_until)
        near = setting.key().name[:-1]
        assert await setting.vendor.find(replace(setting.key(), name=near)) is None

    async def test_a_suspended_key_does_not_open_and_opens_again_afterwards(self, setting):
        at = await setting.vendor.place(setting.key())
        key = setting.key(vendor_ref=at.vendor_ref, intent_predates=True)
        for _ in range(2):
            await setting.vendor.suspend(key)
            assert not await setting.opens()
        for _ in range(2):
            again = await setting.vendor.unsuspend(key)
            assert await setting.opens()
        assert (again.secret, await setting.count()) == (Secret(setting.secret), 1)

    async def test_a_key_is_removed_after_it_was_suspended_and_woken(self, setting):
        at = await setting.vendor.place(setting.key())
        key = setting.key(vendor_ref=at.vendor_ref, intent_predates=True)
        await setting.vendor.suspend(key)
        await setting.vendor.unsuspend(key)
        await setting.vendor.remove(key)
        assert not await setting.opens()

    async def test_suspending_what_is_gone_is_success(self, setting):
        await setting.vendor.suspend(setting.key("never placed"))

    async def test_a_lock_of_nobody_is_not_paired(self, setting):
        for act in (setting.vendor.place, setting.vendor.remove, setting.vendor.find, setting.vendor.suspend):
            with pytest.raises(DeviceNotPaired):
                await act(setting.key(device_id=NOWHERE))
        with pytest.raises(DeviceNotPaired):
            await setting.vendor.health_check(NOWHERE)

    @pytest.mark.parametrize("kind", ALL_KINDS)
    async def test_a_kind_is_placed_if_it_is_declared_and_refused_for_good_if_not(self, setting, kind):
        secret = {MOBILE_APP: setting.app_account, **NUMBERS}.get(kind, PIN)
        key = setting.key(kind=kind, secret=Secret(secret))
        if kind in setting.written_at_the_desk:
            with pytest.raises(CardEncoderOffline):
                await setting.vendor.place(key)
        elif setting.vendor.describe_adapter().capabilities.supports(kind):
            assert await setting.vendor.place(key)
            assert await setting.count() == 1
        else:
            with pytest.raises(KeyIssueFailed) as caught:
                await setting.vendor.place(key)
            assert caught.value.permanent
            assert await setting.count() == 0

    async def test_a_key_without_a_secret_is_refused_for_good(self, setting):
        with pytest.raises(KeyIssueFailed) as caught:
            await setting.vendor.place(setting.key(secret=None))
        assert caught.value.permanent

    async def test_a_window_that_is_over_is_refused_for_good(self, setting):
        now = setting.clock.now()
        with pytest.raises(KeyIssueFailed) as caught:
            await setting.vendor.place(setting.key(valid_from=now - DAY, valid_until=now))
        assert caught.value.permanent
        assert await setting.count() == 0

    async def test_a_vendor_that_is_down_is_unreachable_whatever_is_asked(self, setting):
        await setting.break_down()
        vendor, key = setting.vendor, setting.key()
        asked = dict.fromkeys(
            (vendor.place, vendor.remove, vendor.suspend, vendor.unsuspend, vendor.find), key
        )
        asked |= {vendor.list_devices: KABUL.id, vendor.health_check: DOOR_101}
        for ask, what in asked.items():
            with pytest.raises(VendorUnreachable) as caught:
                await ask(what)
            assert not caught.value.permanent

    async def test_no_secret_is_told_by_errors(self, setting):
        await setting.vendor.place(setting.key())
        errors = []
        for broken in (False, True):
            if broken:
                await setting.break_down()
            with pytest.raises(LockError) as caught:
                await setting.vendor.place(setting.refused_key())
            errors.append(told(caught.value))
        assert not any(canary in words for canary in CANARIES for words in errors)

    async def test_no_secret_is_told_by_what_is_returned(self, setting):
        at = await setting.vendor.place(setting.key())
        words = repr([setting.key(), at, await setting.vendor.find(setting.key())])
        assert not any(canary in words for canary in (*CANARIES, at.vendor_ref.reveal()))

    async def test_keys_placed_and_removed_on_a_visit_are_so_afterwards(self, setting):
        room, front = setting.key(), setting.key(device_id=FRONT)
        async with setting.vendor.visit():
            for key in (room, front):
                await setting.vendor.place(key)
        assert await setting.opens()
        assert await setting.opens(device=FRONT)
        async with setting.vendor.visit():
            for key in (room, front):
                await setting.vendor.remove(key)
        assert not await setting.opens()
        assert not await setting.opens(device=FRONT)

    async def test_a_visit_goes_on_after_a_refusal(self, setting):
        async with setting.vendor.visit():
            with pytest.raises(KeyIssueFailed):
                await setting.vendor.place(setting.key(secret=None))
            await setting.vendor.place(setting.key(device_id=FRONT))
        assert await setting.opens(device=FRONT)

    async def test_visits_at_once_in_any_order_place_every_key(self, setting):
        doors = (DOOR_101, FRONT, DOOR_102)

        async def go(number, order):
            key = setting.key(f"key {number}", secret=Secret(setting.secret_of(number)))
            async with setting.vendor.visit():
                for door in order:
                    await setting.vendor.place(replace(key, device_id=door))

        await asyncio.gather(*(go(number, doors[:: (-1) ** number]) for number in range(4)))
        assert [await setting.count(door) for door in doors] == [4, 4, 4]

    @pytest.mark.parametrize("end", [ValueError, asyncio.CancelledError])
    async def test_a_visit_that_breaks_off_leaves_the_locks_to_others(self, setting, end):
        async def break_off():
            async with setting.vendor.visit():
                await setting.vendor.place(setting.key())
                raise end

        with pytest.raises(end):
            await break_off()
        async with asyncio.timeout(5):
            await setting.make_vendor().place(setting.key("second", secret=Secret(setting.other_secret)))

    async def test_the_property_s_locks_are_listed(self, setting):
        listed = await setting.vendor.list_devices(KABUL.id)
        assert {each.device_id for each in listed} == {DOOR_101, DOOR_102, FRONT}
        assert all((each.vendor, each.online) == (setting.vendor_code, setting.online) for each in listed)
        assert await setting.vendor.list_devices(PropertyId("ppt_elsewhere")) == ()

    async def test_a_lock_that_is_well_says_so(self, setting):
        health = await setting.vendor.health_check(DOOR_101)
        assert (health.device_id, health.online, health.warnings) == (DOOR_101, True, ())
        assert abs(health.clock_skew_ms) <= 1000

    async def test_the_adapter_names_its_vendor(self, setting):
        assert setting.vendor.describe_adapter().vendor == setting.vendor_code

    async def test_an_error_of_no_vendor_asks_for_no_wait(self, setting):
        assert setting.vendor.wait_after(VendorUnreachable(vendor=setting.vendor_code)) is None
