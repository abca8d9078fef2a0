"""What is peculiar to TTLock, at the simulator: gateways, clocks, computed passcodes, tokens, quotas."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlencode

import pytest

from shared.domain.grant_lifecycle import Placement
from shared.domain.kinds import (
    CLOCK_SKEW,
    REVOKE_PENDING_AT_LOCK,
    WINDOW_NOT_ENFORCED,
    WINDOW_ROUNDED,
    KeyCredentialKind,
)
from shared.domain.lock_errors import KeyIssueFailed, LockError, VendorUnreachable
from shared.domain.policy import KeyKindPolicy
from shared.domain.secret import Secret
from shared.ports.lock_causes import PIN_REFUSED, PIN_TAKEN, WINDOW_SPENT, outcome_unknown
from shared.vendor_kit.grids import EPOCH
from tests.contract.lock.setting import (
    CARD_NUMBER,
    DAY,
    DOOR_101,
    DOOR_102,
    GUEST_ACCOUNT,
    HOUR,
    KABUL,
    MOBILE_APP,
    PIN,
    TENANT,
)
from tests.contract.lock.ttlock_setting import TTLockSetting, turns_at

HALF_HOUR = timedelta(minutes=30)
CARD = KeyCredentialKind.RFID_CARD
ADD, LIST = "/v3/keyboardPwd/add", "/v3/lock/listKeyboardPwd"
COMPUTE = "keyboardPwd/get"
CLOCK, GATEWAY = "/v3/lock/queryDate", "/v3/gateway/listByLock"


@pytest.fixture
async def setting(tmp_path):
    async with TTLockSetting(tmp_path) as setting:
        yield setting


def codes(key_at_lock):
    """Return the codes of a key's warnings."""
    return [warning.code for warning in key_at_lock.warnings]


async def refusal(placing, kind=KeyIssueFailed):
    """Return the error a placing ends with."""
    with pytest.raises(kind) as caught:
        await placing
    return caught.value


async def renamed_card(setting, name):
    """Give the first door's card another name, as somebody with the app would."""
    added = setting.straight.asked[setting.straight.paths.index("/v3/identityCard/add")]
    form = {field: value for field, (value,) in parse_qs(added.body.decode()).items()}
    body = urlencode({**form, "cardName": name}).encode()
    assert b"errcode" not in (await setting.straight.send(replace(added, body=body))).body


async def untouched(setting, secret, *, until):
    """Let time pass, and say whether a code opens nothing all the while."""
    while setting.clock.now() < until:
        if await setting.opens(secret.reveal()):
            return False
        setting.clock.advance(minutes=5)
    return True


async def others_turns_while_asked(setting):
    """Let a turn be nearly over when a lock is asked for its time, and others try for it then."""
    send, seen = setting.straight.send, []

    async def slowly(call):
        if CLOCK in call.url:
            setting.clock.advance(seconds=10)
            seen.append(await setting.means.leases.acquire(TENANT, "gateway:ttlock:501", "another", HOUR))
        answer = await send(call)
        setting.clock.advance(seconds=25 if ADD in call.url or CLOCK in call.url else 0)
        return answer

    setting.straight.send = slowly
    return seen


class TestListing:
    """A list costs a call: it is asked for only when something may stand there already."""

    async def test_a_fresh_key_is_added_without_a_look(self, setting):
        await setting.vendor.place(setting.key())
        assert LIST not in setting.straight.paths

    async def test_a_key_whose_intent_is_older_is_looked_for_first(self, setting):
        await setting.vendor.place(setting.key(intent_predates=True))
        paths = setting.straight.paths
        assert paths.index(LIST) < paths.index(ADD)

    async def test_a_key_that_stands_is_not_added_again(self, setting):
        await setting.vendor.place(setting.key())
        await setting.vendor.place(setting.key(intent_predates=True))
        assert setting.straight.paths.count(ADD) == 1

    async def test_a_lost_answer_is_looked_up_at_once(self, setting):
        await setting.lose_the_next_answer()
        at = await setting.vendor.place(setting.key())
        assert setting.straight.paths.count(ADD) == 1
        assert at.placement is Placement.ON_LOCK

    async def test_half_an_answer_is_looked_up_at_once(self, setting):
        await setting.fault("truncated", "keyboardPwd/add", times=1)
        await setting.vendor.place(setting.key())
        assert (setting.straight.paths.count(ADD), await setting.count()) == (1, 1)

    async def test_a_connection_cut_before_the_key_was_added_is_an_error(self, setting):
        await setting.fault("drop", "keyboardPwd/add", times=1)
        error = await refusal(setting.vendor.place(setting.key()), VendorUnreachable)
        assert error.cause.kind == "connection_broken"
        assert not await setting.opens()

    async def test_a_key_far_down_a_long_list_is_found(self, setting):
        await setting.vendor.place(setting.key())
        for number in range(205):
            near = replace(
                setting.key(), name=f"{setting.key().name}{number}", secret=Secret(f"7{number:05}")
            )
            await setting.vendor.place(near)
        found = await setting.vendor.find(setting.key())
        assert found.secret == Secret(PIN)


class TestGateway:
    """One thing at a time, and only while it is there."""

    async def test_keys_of_one_gateway_are_placed_in_turn(self, setting):
        await setting.steer("PUT", "latency", cloudMs=[0, 0], gatewayMs=[20, 20])
        keys = [setting.key(f"key {n}", secret=Secret(f"5{n}8391")) for n in range(4)]
        keys += [replace(key, device_id=DOOR_102) for key in keys]
        await asyncio.gather(*(setting.vendor.place(key) for key in keys))
        assert await setting.count() == await setting.count(DOOR_102) == 4

    async def test_keys_of_other_instances_are_placed_in_turn(self, setting):
        await setting.steer("PUT", "latency", cloudMs=[0, 0], gatewayMs=[20, 20])
        vendors = [setting.make_vendor() for _ in range(3)]
        keys = [setting.key(f"key {n}", secret=Secret(f"5{n}8391")) for n in range(3)]
        placing = (vendor.place(key) for vendor, key in zip(vendors, keys, strict=True))
        await asyncio.gather(*placing)
        assert await setting.count() == 3

    async def test_a_key_takes_its_turn_at_its_lock_s_gateway_though_nobody_listed_any(self, setting):
        await setting.vendor.place(setting.key())
        assert await turns_at(setting, "501") == 1
        assert await turns_at(setting, KABUL.id) == 0

    async def test_a_known_lock_costs_no_call_but_the_key_s_own(self, setting):
        await setting.vendor.place(setting.key())
        setting.straight.asked.clear()
        again = setting.make_vendor()
        await again.place(replace(setting.key("second", secret=Secret("648391")), device_id=DOOR_102))
        assert setting.straight.paths == [ADD, CLOCK]
        assert await turns_at(setting, "501") == 2

    async def test_lists_tell_which_gateway_each_lock_has(self, setting):
        await setting.vendor.list_devices(KABUL.id)
        setting.straight.asked.clear()
        await setting.make_vendor().place(setting.key())
        assert GATEWAY not in setting.straight.paths
        assert await turns_at(setting, "501") == 1

    async def test_a_lock_that_moved_to_another_gateway_takes_its_turns_there_after_a_refusal(self, setting):
        await setting.vendor.place(setting.key())
        setting.clock.advance(hours=1)
        await setting.steer("PATCH", "gateways/501", locks=[])
        await setting.steer("PATCH", "gateways/502", locks=[1_000_101], busy=True)
        moved = setting.key("second", secret=Secret("648391"))
        await refusal(setting.vendor.place(moved), VendorUnreachable)
        await setting.steer("PATCH", "gateways/502", busy=False)
        await setting.vendor.place(moved)
        assert await turns_at(setting, "502") == 1

    @pytest.mark.parametrize("then", ["place", "health_check"])
    async def test_a_lock_is_asked_for_its_time_only_while_the_turn_lasts(self, setting, then):
        seen = await others_turns_while_asked(setting)
        async with setting.vendor.visit():
            await setting.vendor.place(setting.key())
            if then == "health_check":
                await setting.vendor.health_check(DOOR_102)
        assert seen == [None] * len(seen)
        assert len(seen) == (1 if then == "place" else 2)

    async def test_a_command_is_not_sent_again_when_its_turn_ended_while_a_token_was_waited_for(
        self, setting
    ):
        await setting.vendor.place(setting.key("warm", secret=Secret("648391")))
        await setting.steer("POST", "tokens/lose", loss="revoked", kind="access")
        send, turns = setting.straight.send, []

        async def slowly(call):
            if "/oauth2/token" in call.url:
                setting.clock.advance(seconds=31)
                turns.append(
                    await setting.means.leases.acquire(TENANT, "gateway:ttlock:501", "another", HOUR)
                )
            return await send(call)

        setting.straight.send = slowly
        setting.straight.asked.clear()
        error = await refusal(setting.vendor.place(setting.key()), VendorUnreachable)
        assert (error.cause.kind, error.cause.vendor_code) == ("in_our_line", None)
        assert (len(turns), setting.straight.paths.count(ADD)) == (1, 1)

    async def test_a_platform_that_tells_no_gateway_costs_no_key(self, setting):
        await setting.fault("errcode:-2018", "gateway/listByLock")
        await setting.vendor.place(setting.key())
        assert await setting.opens()
        assert await turns_at(setting, KABUL.id) == 1

    async def test_a_busy_gateway_is_left_alone_for_a_moment(self, setting):
        await setting.steer("PATCH", "gateways/501", busy=True)
        error = await refusal(setting.vendor.place(setting.key()), VendorUnreachable)
        assert (error.cause.kind, error.cause.vendor_code) == ("gateway_busy", "-3003")
        assert setting.vendor.wait_after(error) == timedelta(seconds=3)

    async def test_el2_a_lock_out_of_reach_of_any_gateway_may_come_back(self, setting):
        await setting.steer("PATCH", "locks/1000101", inReach=False)
        error = await refusal(setting.vendor.place(setting.key()), VendorUnreachable)
        assert (error.cause.kind, error.permanent) == ("no_gateway", False)

    @pytest.mark.parametrize("fault", ["http_403", "http_429"])
    async def test_a_removal_that_was_turned_away_on_the_way_is_an_error(self, setting, fault):
        at = await setting.vendor.place(setting.key())
        await setting.fault(fault, "keyboardPwd/delete")
        await refusal(setting.vendor.remove(setting.key(vendor_ref=at.vendor_ref)), VendorUnreachable)
        assert await setting.opens()

    async def test_a_removal_half_of_whose_answer_came_can_be_repeated(self, setting):
        at = await setting.vendor.place(setting.key())
        await setting.fault("truncated", "keyboardPwd/delete", times=1)
        key = setting.key(vendor_ref=at.vendor_ref)
        assert outcome_unknown(await refusal(setting.vendor.remove(key), VendorUnreachable))
        await setting.vendor.remove(key)
        assert not await setting.opens()

    async def test_what_cannot_be_taken_back_remains_an_error(self, setting):
        await setting.vendor.place(setting.key())
        await setting.steer("PATCH", "gateways/501", online=False)
        error = await refusal(setting.vendor.remove(setting.key()), VendorUnreachable)
        assert error.cause.kind == "gateway_offline"
        assert await setting.opens()


class TestComputed:
    """A passcode the lock knows without being told: only when the gateway is away, and the guest near."""

    @pytest.fixture
    async def offline(self, setting):
        await setting.steer("PATCH", "gateways/501", online=False)
        return setting

    async def test_a_computed_passcode_opens_and_says_what_it_cannot(self, offline):
        start = offline.clock.now() + HALF_HOUR
        key = offline.key(any_secret=True, valid_from=start, valid_until=start + DAY)
        at = await offline.vendor.place(key)
        assert codes(at) == [REVOKE_PENDING_AT_LOCK]
        assert at.placement is Placement.ACCEPTED
        assert at.secret != Secret(PIN)
        assert at.exposure_until == at.valid_until
        offline.clock.advance(hours=1)
        assert await offline.opens(at.secret.reveal())
        assert not await offline.opens(PIN)

    async def test_its_bounds_are_whole_hours_on_the_lock_s_clock_and_told(self, offline):
        start = offline.clock.now()
        key = offline.key(any_secret=True, valid_from=start, valid_until=start + DAY + timedelta(minutes=1))
        at = await offline.vendor.place(key)
        assert at.valid_from == start - HALF_HOUR  # what is past lets nobody in
        assert at.valid_until == start + DAY - HALF_HOUR
        assert codes(at) == [REVOKE_PENDING_AT_LOCK, WINDOW_ROUNDED]

    async def test_it_never_begins_before_its_guest_s_own_stay(self, offline):
        """Nobody leaves just then, yet: who is booked until then later on has the room for themselves."""
        start = offline.clock.now() + timedelta(minutes=10)
        at = await offline.vendor.place(offline.key(any_secret=True, valid_from=start))
        assert at.valid_from == start + timedelta(minutes=20)

    async def test_a_second_call_returns_the_same(self, offline):
        first = await offline.vendor.place(offline.key(any_secret=True))
        again = await offline.vendor.place(offline.key(any_secret=True, intent_predates=True))
        assert (again.secret, again.vendor_ref, codes(again)) == (
            first.secret,
            first.vendor_ref,
            codes(first),
        )
        assert await offline.count() == 1

    @pytest.mark.parametrize(
        "changes",
        [{}, {"any_secret": True, "days_ahead": 2}, {"any_secret": True, "kind": "rfid_card"}],
        ids=["one PIN for several locks", "a guest two days away", "a card"],
    )
    async def test_otherwise_the_gateway_is_waited_for(self, offline, changes):
        changes = dict(changes)
        start = offline.clock.now() + timedelta(days=changes.pop("days_ahead", 0))
        if "kind" in changes:
            changes |= {"kind": CARD, "secret": Secret(CARD_NUMBER)}
        key = offline.key(valid_from=start, valid_until=start + DAY, **changes)
        error = await refusal(offline.vendor.place(key), VendorUnreachable)
        assert error.cause.kind == "gateway_offline"
        assert await offline.count() == 0

    async def test_none_is_computed_while_the_gateway_is_there(self, setting):
        await setting.vendor.place(setting.key(any_secret=True))
        assert "/v3/keyboardPwd/get" not in setting.straight.paths

    async def test_no_key_is_given_another_s_code(self, offline):
        first = await offline.vendor.place(offline.key("first", any_secret=True))
        second = offline.key("second", any_secret=True)
        error = await refusal(offline.vendor.place(second))
        assert (error.cause.kind, error.permanent) == (WINDOW_SPENT, False)
        later = await offline.vendor.place(replace(second, valid_until=second.valid_until + HOUR))
        assert later.secret != first.secret
        await offline.steer("PATCH", "gateways/501", online=True)
        await offline.vendor.remove(offline.key("first", vendor_ref=first.vendor_ref))
        assert await offline.vendor.find(second) is not None

    async def test_its_lost_answer_is_looked_up_at_once(self, offline):
        await offline.fault("timeout_after_success", COMPUTE, times=1)
        at = await offline.vendor.place(offline.key(any_secret=True))
        assert codes(at) == [REVOKE_PENDING_AT_LOCK, WINDOW_ROUNDED]
        offline.clock.advance(hours=1)
        assert await offline.opens(at.secret.reveal())
        assert await offline.count() == 1

    async def test_silence_about_it_is_not_taken_for_the_gateway_s_refusal(self, offline):
        await offline.fault("drop", COMPUTE, times=1)
        error = await refusal(offline.vendor.place(offline.key(any_secret=True)), VendorUnreachable)
        assert outcome_unknown(error)
        assert await offline.count() == 0

    @pytest.mark.parametrize("fault", ["errcode:30006", "http_500", "drop"])
    async def test_once_it_is_computed_no_failure_says_that_it_never_was(self, offline, fault):
        await offline.fault(fault, "lock/listKeyboardPwd", times=1)
        error = await refusal(offline.vendor.place(offline.key(any_secret=True)), VendorUnreachable)
        assert outcome_unknown(error)
        assert await offline.count() == 1

    async def test_after_an_older_intent_another_code_may_yet_come_and_that_is_told(self, offline):
        at = await offline.vendor.place(offline.key(any_secret=True, intent_predates=True))
        assert codes(at).count(REVOKE_PENDING_AT_LOCK) == 2

    async def test_it_is_taken_back_once_the_gateway_is_there(self, offline):
        at = await offline.vendor.place(offline.key(any_secret=True))
        await refusal(offline.vendor.remove(offline.key(vendor_ref=at.vendor_ref)), VendorUnreachable)
        await offline.steer("PATCH", "gateways/501", online=True)
        await offline.vendor.remove(offline.key(vendor_ref=at.vendor_ref))
        offline.clock.advance(hours=1)
        assert not await offline.opens(at.secret.reveal())

    async def test_none_is_computed_for_no_time_at_all(self, offline):
        start = offline.clock.now() + timedelta(minutes=70)
        ends = start + timedelta(minutes=15)  # both round to half past ten
        key = offline.key(any_secret=True, valid_from=start, not_before=start, valid_until=ends)
        error = await refusal(offline.vendor.place(key), VendorUnreachable)
        assert error.cause.kind == "gateway_offline"
        assert f"/v3/{COMPUTE}" not in offline.straight.paths

    async def test_a_guest_of_several_locks_is_given_no_other_pin(self, setting):
        await setting.vendor.place(setting.key(secret=Secret("720463")))
        at = await setting.vendor.place(setting.key(intent_predates=True))
        assert (at.secret, await setting.count()) == (Secret(PIN), 1)
        assert (await setting.opens(PIN), await setting.opens("720463")) == (True, False)


class TestHours:
    """Whole hours, of the lock's clock or of UTC: nobody is sure, and no guest may suffer from it."""

    @pytest.fixture(params=["lock", "utc"])
    async def offline(self, tmp_path, request):
        async with TTLockSetting(tmp_path, hour_grid=request.param) as setting:
            await setting.steer("PATCH", "gateways/501", online=False)
            yield setting

    @pytest.fixture
    def after_another(self, offline):
        """A key to a room whose previous guest leaves in an hour and a half: 10:30 UTC is 15:00 in Kabul."""
        left = offline.clock.now() + HOUR + HALF_HOUR
        return offline.key(any_secret=True, valid_from=left, not_before=left, valid_until=left + DAY)

    async def test_a_computed_code_never_opens_before_the_previous_guest_leaves(self, offline, after_another):
        left = after_another.not_before
        at = await offline.vendor.place(after_another)
        assert left <= at.valid_from < left + HOUR
        assert left + DAY - HOUR < at.valid_until <= left + DAY
        assert await untouched(offline, at.secret, until=left)
        offline.clock.advance(hours=1)
        assert await offline.opens(at.secret.reveal())

    async def test_it_is_told_when_a_code_was_computed_that_opens_too_early(self, offline, after_another):
        at = await offline.vendor.place(after_another)
        surplus = await offline.count() - 1
        assert codes(at).count(REVOKE_PENDING_AT_LOCK) == 1 + surplus
        again = replace(after_another, secret=at.secret, vendor_ref=at.vendor_ref, intent_predates=True)
        found = await offline.vendor.place(again)
        assert (found.secret, found.valid_from) == (at.secret, at.valid_from)
        assert await offline.count() == 1 + surplus

    async def test_a_code_that_opens_too_early_is_gone_when_the_gateway_is_back(self, offline, after_another):
        at = await offline.vendor.place(after_another)
        await offline.steer("PATCH", "gateways/501", online=True)
        again = replace(after_another, secret=at.secret, vendor_ref=at.vendor_ref, intent_predates=True)
        found = await offline.vendor.place(again)
        assert (found.secret, await offline.count()) == (at.secret, 1)
        assert found.valid_from >= after_another.not_before

    @pytest.mark.parametrize("online", [False, True])
    async def test_a_code_that_was_found_to_open_too_early_is_not_adopted(self, offline, online):
        """The stay began sooner when the code was computed."""
        start = offline.clock.now()
        key = offline.key(any_secret=True, valid_from=start + HALF_HOUR, valid_until=start + DAY)
        early = await offline.vendor.place(key)
        surplus = await offline.count() - 1
        await offline.steer("PATCH", "gateways/501", online=online)
        left = early.valid_from + timedelta(minutes=20)
        again = replace(key, not_before=left, valid_from=left, secret=early.secret, intent_predates=True)
        at = await offline.vendor.place(again)
        assert at.valid_from >= left
        assert (at.secret == early.secret) is online
        more = await offline.count() - 1 - surplus
        assert (more == -surplus) if online else (more >= 1)

    @pytest.mark.parametrize("fault", ["errcode:30006", "errcode:-1026", "http_500", "drop"])
    @pytest.mark.parametrize("operation", [COMPUTE, "lock/listKeyboardPwd"])
    async def test_once_a_code_opens_too_early_no_failure_says_that_there_is_none(
        self, offline, after_another, fault, operation
    ):
        await offline.fault(fault, operation, after=1)
        outcome, *_ = await asyncio.gather(offline.vendor.place(after_another), return_exceptions=True)
        if isinstance(outcome, LockError):
            assert outcome_unknown(outcome)
        else:
            assert outcome.valid_from >= after_another.not_before

    @pytest.mark.parametrize("minutes", [45, -4 * 60, 24 * 60])
    async def test_a_code_moves_with_the_stay_s_end_once_the_gateway_is_there(self, offline, minutes):
        start = offline.clock.now()
        key = offline.key(any_secret=True, valid_until=start + DAY + HALF_HOUR)
        at = await offline.vendor.place(key)
        offline.clock.advance(hours=1)
        await offline.steer("PATCH", "gateways/501", online=True)
        until = at.valid_until + timedelta(minutes=minutes)
        has = {"secret": at.secret, "vendor_ref": at.vendor_ref, "intent_predates": True}
        moved = await offline.vendor.place(replace(key, valid_until=until, **has))
        assert (moved.secret, moved.valid_until, await offline.count()) == (at.secret, until, 1)

    async def test_while_it_is_not_a_stay_that_was_cut_short_has_another_code(self, offline):
        key = offline.key(any_secret=True, valid_until=offline.clock.now() + DAY)
        at = await offline.vendor.place(key)
        until = key.valid_until - 4 * HOUR
        shorter = replace(key, valid_until=until, secret=at.secret, intent_predates=True)
        other = await offline.vendor.place(shorter)
        assert (other.secret != at.secret, until - HOUR <= other.valid_until <= until) == (True, True)
        assert other.exposure_until == at.valid_until
        assert codes(other).count(REVOKE_PENDING_AT_LOCK) == 2

    @pytest.mark.parametrize(("minutes", "kept"), [(45, True), (24 * 60, False)])
    async def test_while_it_is_not_a_code_stays_that_nearly_fits(self, offline, minutes, kept):
        start = offline.clock.now()
        key = offline.key(any_secret=True, valid_until=start + DAY + HALF_HOUR)
        at = await offline.vendor.place(key)
        until = at.valid_until + timedelta(minutes=minutes)
        moving = offline.vendor.place(replace(key, valid_until=until, secret=at.secret, intent_predates=True))
        if kept:
            assert (await moving).valid_until == at.valid_until
        else:
            assert (await refusal(moving, VendorUnreachable)).cause.kind == "gateway_offline"


class TestSurplus:
    """A code that a call nobody heard of made late: it opens, and nobody was told it."""

    @pytest.fixture
    async def two(self, setting):
        """Two codes of one key: the first was not listed yet when the second was computed."""
        await setting.steer("PATCH", "gateways/501", online=False)
        key = setting.key(any_secret=True, valid_until=setting.clock.now() + DAY + HALF_HOUR)
        first = await setting.vendor.place(key)
        setting.clock.advance(hours=1)
        second = await setting.vendor.place(key)
        assert await setting.count() == 2
        setting.clock.advance(hours=1)
        return key, first, second

    async def back(self, setting):
        await setting.steer("PATCH", "gateways/501", online=True)

    async def test_the_code_that_was_just_computed_is_the_key_and_the_other_is_told(self, setting, two):
        _, first, second = two
        assert (second.secret != first.secret, second.valid_from) == (True, first.valid_from + HOUR)
        assert codes(second).count(REVOKE_PENDING_AT_LOCK) == 2
        assert codes(first).count(REVOKE_PENDING_AT_LOCK) == 1

    @pytest.mark.parametrize("told", [1, 2])
    @pytest.mark.parametrize("by", ["vendor_ref", "secret"])
    async def test_the_guest_s_code_stays_and_the_other_goes_with_the_gateway_s_return(
        self, setting, two, told, by
    ):
        key, mine, other = two[0], two[told], two[3 - told]
        await self.back(setting)
        has = {by: getattr(mine, by), "intent_predates": True}
        at = await setting.vendor.place(replace(key, **has))
        assert (at.secret, codes(at).count(REVOKE_PENDING_AT_LOCK)) == (mine.secret, 1)
        assert await setting.opens(mine.secret.reveal())
        assert not await setting.opens(other.secret.reveal())
        assert await setting.count() == 1

    async def test_while_the_gateway_is_away_the_other_stays_and_is_told(self, setting, two):
        key, first, _ = two
        at = await setting.vendor.place(replace(key, secret=first.secret, intent_predates=True))
        assert (at.secret, codes(at).count(REVOKE_PENDING_AT_LOCK)) == (first.secret, 2)
        found = await setting.vendor.find(replace(key, secret=first.secret))
        assert (found.secret, codes(found)) == (first.secret, codes(at))

    async def test_the_lock_is_exposed_until_the_last_of_them_ends(self, setting, two):
        key, first, _ = two
        longer = await setting.vendor.place(replace(key, valid_until=key.valid_until + HOUR))
        at = await setting.vendor.find(replace(key, secret=first.secret))
        assert (at.valid_until, at.exposure_until) == (first.valid_until, longer.valid_until)

    async def test_removing_the_key_removes_both(self, setting, two):
        key, first, second = two
        await self.back(setting)
        await setting.vendor.remove(replace(key, vendor_ref=second.vendor_ref))
        assert await setting.count() == 0
        for each in (first, second):
            assert not await setting.opens(each.secret.reveal())

    async def test_a_code_of_our_choice_outranks_a_computed_one_that_came_late(self, setting):
        await setting.steer("PATCH", "gateways/501", online=False)
        late = await setting.vendor.place(setting.key(any_secret=True))
        await self.back(setting)
        await setting.vendor.place(setting.key(any_secret=True))
        assert await setting.count() == 2
        at = await setting.vendor.place(setting.key(any_secret=True, intent_predates=True))
        assert (at.secret, codes(at)) == (Secret(PIN), [])
        setting.clock.advance(hours=1)
        assert not await setting.opens(late.secret.reveal())


class TestClocks:
    """The lock's clock decides, and the platform refuses ours when it is wrong."""

    async def test_a_skewed_lock_is_warned_of_and_the_window_stays_as_it_was_wanted(self, setting):
        await setting.steer("PATCH", "locks/1000101", skewSeconds=1800)
        key = setting.key()
        at = await setting.vendor.place(key)
        assert codes(at) == [CLOCK_SKEW, "CLOCK_SKEW_ALERT"]
        assert (at.valid_from, at.valid_until) == (key.valid_from, key.valid_until)

    @pytest.mark.parametrize(
        ("seconds", "warned"),
        [(300, []), (301, [CLOCK_SKEW]), (-601, [CLOCK_SKEW, "CLOCK_SKEW_ALERT"])],
    )
    async def test_health_tells_the_skew(self, setting, seconds, warned):
        await setting.steer("PATCH", "locks/1000101", skewSeconds=seconds, battery=17)
        health = await setting.vendor.health_check(DOOR_101)
        assert (health.clock_skew_ms, codes(health)) == (seconds * 1000, warned)

    async def test_health_of_a_lock_nobody_reaches_says_offline_and_knows_the_battery(self, setting):
        await setting.steer("PATCH", "gateways/501", online=False)
        health = await setting.vendor.health_check(DOOR_101)
        assert (health.online, health.clock_skew_ms, health.battery.percent) == (False, None, 90)

    @pytest.mark.parametrize("changes", [{"inReach": False}, {"battery": 0}])
    async def test_health_of_a_lock_without_power_or_radio_says_offline(self, setting, changes):
        await setting.steer("PATCH", "locks/1000101", **changes)
        health = await setting.vendor.health_check(DOOR_101)
        assert (health.online, health.last_sync_at) == (False, None)

    async def test_a_silent_lock_was_seen_when_its_gateway_was_heard_last(self, setting):
        lost = setting.clock.now()
        await setting.steer("PATCH", "gateways/501", online=False)
        for seen in (lost, EPOCH):  # half an hour later nobody remembers
            setting.clock.advance(minutes=20)
            listed = {each.device_id: each for each in await setting.vendor.list_devices(KABUL.id)}
            assert (listed[DOOR_101].online, listed[DOOR_101].last_seen_at) == (False, seen)

    async def test_a_lock_s_clock_is_asked_once_in_an_hour(self, setting):
        for number in range(3):
            await setting.vendor.place(setting.key(f"key {number}", secret=Secret(f"5{number}8391")))
            setting.clock.advance(minutes=25)
        assert setting.straight.paths.count("/v3/lock/queryDate") == 1
        setting.clock.advance(minutes=11)
        await setting.vendor.place(setting.key("key 4", secret=Secret("648391")))
        assert setting.straight.paths.count("/v3/lock/queryDate") == 2

    async def test_a_clock_that_does_not_answer_costs_no_key(self, setting):
        await setting.fault("errcode:-3003", "lock/queryDate")
        assert codes(await setting.vendor.place(setting.key())) == []
        assert await setting.opens()

    async def test_a_clock_that_did_not_answer_is_asked_again_soon_but_not_for_every_key(self, setting):
        await setting.steer("PATCH", "locks/1000101", skewSeconds=1800)
        await setting.fault("errcode:-3003", "lock/queryDate", times=1)
        warned = []
        for number in range(3):
            at = await setting.vendor.place(setting.key(f"key {number}", secret=Secret(f"5{number}8391")))
            warned.append(CLOCK_SKEW in codes(at))
            setting.clock.advance(minutes=3)
        assert warned == [False, False, True]
        assert setting.straight.paths.count(CLOCK) == 2

    async def test_our_own_wrong_clock_is_not_said_of_the_lock(self, setting):
        await setting.steer("POST", "clock", aheadSeconds=3600)
        assert codes(await setting.vendor.place(setting.key())) == []
        assert (await setting.vendor.health_check(DOOR_101)).clock_skew_ms == 0

    async def test_our_own_clock_is_put_right_by_the_platform_s(self, setting):
        await setting.steer("POST", "clock", aheadSeconds=3600)
        await setting.vendor.find(setting.key())
        assert setting.straight.paths.count(LIST) == 2
        await setting.vendor.place(setting.key())
        assert setting.straight.paths.count(ADD) == 1


class TestTokens:
    """One token for all instances, got by one of them."""

    async def test_instances_and_restarts_share_a_token(self, setting):
        await asyncio.gather(
            *(setting.make_vendor().place(setting.key(f"{n}", secret=Secret(f"5{n}8391"))) for n in range(3))
        )
        await setting.reopen()
        await setting.vendor.find(setting.key())
        assert setting.straight.paths.count("/oauth2/token") == 1

    @pytest.mark.parametrize(
        ("loss", "kind", "asked"),
        [
            ("revoked", "access", 1),
            ("forgotten", "access", 1),
            ("revoked", "both", 2),
            ("forgotten", "both", 2),
        ],
    )
    async def test_a_lost_token_is_renewed_once_by_many_who_miss_it(self, setting, loss, kind, asked):
        vendors = [setting.make_vendor() for _ in range(3)]
        await asyncio.gather(*(vendor.find(setting.key()) for vendor in vendors))
        setting.straight.asked.clear()
        await setting.steer("POST", "tokens/lose", loss=loss, kind=kind)
        await asyncio.gather(*(vendor.find(setting.key()) for vendor in vendors))
        assert setting.straight.paths.count("/oauth2/token") == asked

    async def test_an_ending_token_is_refreshed_before_it_ends(self, setting):
        await setting.vendor.find(setting.key())
        setting.clock.advance(days=90, minutes=-4)
        setting.straight.asked.clear()
        await setting.vendor.find(setting.key())
        assert setting.straight.paths == ["/oauth2/token", LIST]
        assert b"refresh_token" in setting.straight.asked[0].body

    async def test_an_account_that_is_refused_is_nothing_to_repeat(self, setting):
        setting.account = {**setting.account, "passwordMd5": "0" * 32}
        error = await refusal(setting.make_vendor().place(setting.key()), VendorUnreachable)
        assert (error.cause.kind, error.permanent) == ("account_refused", True)

    async def test_tokens_are_sealed_at_rest(self, setting):
        await setting.vendor.place(setting.key())
        form = parse_qs(setting.straight.asked[-2].body.decode())
        assert form["accessToken"]
        for file in setting.folder.iterdir():
            assert form["accessToken"][0].encode() not in file.read_bytes()


class TestKinds:
    """Cards, eKeys, and the words for what is refused."""

    async def test_an_ekey_says_that_no_lock_ends_it(self, setting):
        at = await setting.vendor.place(setting.key(kind=MOBILE_APP, secret=Secret(GUEST_ACCOUNT)))
        assert (codes(at), at.exposure_until, at.placement) == (
            [WINDOW_NOT_ENFORCED],
            None,
            Placement.ACCEPTED,
        )

    async def test_an_ekey_is_frozen_and_not_deleted(self, setting):
        key = setting.key(kind=MOBILE_APP, secret=Secret(GUEST_ACCOUNT))
        first = await setting.vendor.place(key)
        await setting.vendor.suspend(key)
        assert await setting.count() == 1
        again = await setting.vendor.unsuspend(key)
        assert again.vendor_ref == first.vendor_ref
        assert "/v3/key/freeze" in setting.straight.paths
        assert "/v3/key/unfreeze" in setting.straight.paths

    async def test_an_ekey_is_not_sent_twice(self, setting):
        key = setting.key(kind=MOBILE_APP, secret=Secret(GUEST_ACCOUNT))
        await setting.fault("timeout_after_success", "key/send", times=1)
        await setting.vendor.place(key)
        await setting.vendor.place(replace(key, intent_predates=True))
        assert setting.straight.paths.count("/v3/key/send") == 1

    @pytest.mark.parametrize("then", ["errcode:1", "errcode:-3003", "http_502", "drop"])
    async def test_after_silence_whatever_fails_the_key_may_be_there(self, setting, then):
        await setting.fault("timeout_after_success", "keyboardPwd/add", times=1)
        await setting.fault(then, "lock/listKeyboardPwd", times=1)
        assert outcome_unknown(await refusal(setting.vendor.place(setting.key()), VendorUnreachable))
        assert await setting.count() == 1

    @pytest.mark.parametrize("answer", ["errcode:-3003", "errcode:-3002", "errcode:30006"])
    async def test_what_the_platform_answers_is_heard_even_where_it_cannot_be_done(self, setting, answer):
        await setting.fault(answer, "keyboardPwd/add", times=1)
        assert not outcome_unknown(await refusal(setting.vendor.place(setting.key()), VendorUnreachable))

    async def test_no_ekey_without_the_tenant_s_consent(self, setting):
        setting.policy = KeyKindPolicy()
        vendor = setting.make_vendor()
        key = setting.key(kind=MOBILE_APP, secret=Secret(GUEST_ACCOUNT))
        assert (await refusal(vendor.place(key))).permanent
        assert not vendor.describe_adapter().capabilities.mobile_key

    async def test_an_ekey_is_removed_even_when_consent_is_withdrawn(self, setting):
        key = setting.key(kind=MOBILE_APP, secret=Secret(GUEST_ACCOUNT))
        await setting.vendor.place(key)
        setting.policy = KeyKindPolicy()
        await setting.make_vendor().remove(key)
        assert await setting.count() == 0

    async def test_a_card_opens_until_it_is_removed(self, setting):
        key = setting.key(kind=CARD, secret=Secret(CARD_NUMBER))
        await setting.vendor.place(key)
        assert (await setting.steer("POST", "doors/1000101/try", card=CARD_NUMBER))["opens"]
        await setting.vendor.remove(key)
        assert not (await setting.steer("POST", "doors/1000101/try", card=CARD_NUMBER))["opens"]

    async def test_a_card_of_another_key_is_refused_until_that_is_taken_back(self, setting):
        first = setting.key("first", kind=CARD, secret=Secret(CARD_NUMBER))
        second = setting.key("second", kind=CARD, secret=Secret(CARD_NUMBER))
        await setting.vendor.place(first)
        for predates in (False, True):
            error = await refusal(setting.vendor.place(replace(second, intent_predates=predates)))
            assert (error.cause.kind, error.permanent) == (PIN_TAKEN, False)
        assert await setting.vendor.find(first) is not None
        await setting.vendor.remove(first)
        await setting.vendor.place(second)
        assert (await setting.steer("POST", "doors/1000101/try", card=CARD_NUMBER))["opens"]

    async def test_a_card_that_goes_by_another_name_by_now_is_left_to_its_new_owner(self, setting):
        first = setting.key("first", kind=CARD, secret=Secret(CARD_NUMBER))
        at = await setting.vendor.place(first)
        await renamed_card(setting, "the next guest's")
        await setting.vendor.remove(replace(first, vendor_ref=at.vendor_ref))
        assert (await setting.steer("POST", "doors/1000101/try", card=CARD_NUMBER))["opens"]

    @pytest.mark.parametrize("predates", [False, True])
    async def test_a_second_ekey_of_an_account_is_refused_and_leaves_the_first(self, setting, predates):
        first = setting.key("now", kind=MOBILE_APP, secret=Secret(GUEST_ACCOUNT))
        at = await setting.vendor.place(first)
        week = {"valid_from": first.valid_until + 7 * DAY, "valid_until": first.valid_until + 8 * DAY}
        second = setting.key("next week", kind=MOBILE_APP, secret=Secret(GUEST_ACCOUNT.upper()), **week)
        error = await refusal(setting.vendor.place(replace(second, intent_predates=predates)))
        assert (error.cause.kind, error.permanent) == ("receiver_refused", True)
        assert (await setting.vendor.find(first)).vendor_ref == at.vendor_ref

    @pytest.mark.parametrize(("kind", "secret"), [(CARD, CARD_NUMBER), (MOBILE_APP, GUEST_ACCOUNT)])
    async def test_a_key_of_ours_that_nobody_remembered_is_prolonged(self, setting, kind, secret):
        key = setting.key(kind=kind, secret=Secret(secret))
        at = await setting.vendor.place(key)
        longer = await setting.vendor.place(replace(key, valid_until=key.valid_until + DAY))
        assert (longer.vendor_ref, longer.valid_until) == (at.vendor_ref, key.valid_until + DAY)

    async def test_a_pin_that_is_too_simple_asks_for_another(self, setting):
        error = await refusal(setting.vendor.place(setting.key(secret=Secret("123456"))))
        assert (error.cause.kind, error.permanent) == (PIN_REFUSED, False)

    @pytest.mark.parametrize(
        ("code", "kind", "permanent"),
        [
            ("-3009", "lock_full", True),
            ("-2025", "lock_frozen", True),
            ("-4043", "not_supported", True),
            ("-3", "bad_request", False),
            ("-77777", "refused", False),
        ],
    )
    async def test_refusals_have_names(self, setting, code, kind, permanent):
        await setting.fault(f"errcode:{code}", "keyboardPwd/add")
        error = await refusal(setting.vendor.place(setting.key()))
        assert (error.cause.kind, error.cause.vendor_code, error.permanent) == (kind, code, permanent)

    async def test_a_spent_quota_is_waited_for_until_beijing_s_month_is_over(self, setting):
        await setting.fault("errcode:30007", "keyboardPwd/add")
        error = await refusal(setting.vendor.place(setting.key()), VendorUnreachable)
        renewed = datetime(2026, 5, 31, 16, tzinfo=UTC)
        assert setting.clock.now() + setting.vendor.wait_after(error) == renewed

    async def test_the_whole_lock_is_never_frozen(self, setting):
        for kind, secret in ((MOBILE_APP, GUEST_ACCOUNT), (KeyCredentialKind.PIN_CODE, PIN)):
            key = setting.key(kind.value, kind=kind, secret=Secret(secret))
            await setting.vendor.place(key)
            await setting.vendor.suspend(key)
        assert not any("lock/freeze" in path for path in setting.straight.paths)


async def test_a_platform_that_keeps_failing_is_left_alone_and_announced(setting):
    await setting.vendor.place(setting.key())
    await setting.break_down()
    causes = [
        (await refusal(setting.vendor.find(setting.key()), VendorUnreachable)).cause.kind for _ in range(40)
    ]
    assert causes[0] == "server_error"
    assert causes[-1] == "circuit_open"
    ((_, change),) = setting.changes
    assert (change.before, change.after, change.reason) == ("closed", "open", "error_rate_threshold")
    await setting.mend()
    setting.clock.advance(seconds=30)
    assert await setting.vendor.find(setting.key())
    assert [change.after for _, change in setting.changes] == ["open", "half_open", "closed"]
