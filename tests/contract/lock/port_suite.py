"""What every LockPort promises (A §4), each guarantee in a test of its name."""

import asyncio
import contextlib

import pytest

from shared.domain.ids import KeyCredentialId, RoomId
from shared.domain.kinds import KeyCredentialKind, RevokeReason, SuspendReason
from shared.domain.lock_errors import (
    CredentialExpired,
    DeviceNotPaired,
    KeyIssueFailed,
    KeyRevokeFailed,
    VendorUnreachable,
)
from shared.domain.scope import AccessScope
from shared.domain.secret import Secret
from shared.ports.lock_port import Contact, KeyHolder, UpdateInput
from shared.vendor_kit.pins import draw_pin
from tests.contract.lock.setting import (
    DAY,
    DOOR_101,
    DOOR_102,
    FRONT,
    GUEST_ACCOUNT,
    KABUL,
    MOBILE_APP,
    PIN_CODE,
    ROOM_101,
    ROOM_102,
    TENANT,
)
from tests.contract.lock.suite import told


def pin_of(result):
    """Return the PIN that was issued."""
    return result.credential.artifact.value.reveal()


def held(setting, result):
    """Return what the guest holds to a door: the PIN that was issued, or the phone with the vendor's app."""
    return pin_of(result) if result.credential.kind is PIN_CODE else setting.app_account


async def opened_by(setting, result):
    """Return the doors a key opens now."""
    secret = held(setting, result)
    return [door for door in (DOOR_101, DOOR_102, FRONT) if await setting.opens(secret, door)]


CANCELLED, DID_NOT_COME = (RevokeReason.CANCELLATION, "revoke-1"), (SuspendReason.NO_SHOW, "suspend-1")


def meanwhile(setting, act, *word):
    """Let an order come when the first door has its key and the last has not; it may not be done at once."""
    place, done = setting.vendor.place, []

    async def place_slowly(key):
        if key.device_id == FRONT and not done:
            done.append(True)
            with contextlib.suppress(KeyRevokeFailed):
                await act(await setting.port.key_of("claim-1"), *word)
        return await place(key)

    setting.vendor.place = place_slowly


async def changed(setting, result, **changes):
    """Update a key."""
    update = UpdateInput(
        tenant_id=TENANT,
        key_credential_id=result.credential.key_credential_id,
        idempotency_key="update-1",
        **changes,
    )
    return await setting.port.update_credential(update)


async def revoked(setting, result):
    """Revoke a key."""
    id_ = result.credential.key_credential_id
    await setting.port.revoke_credential(id_, RevokeReason.CHECKOUT, "revoke-1")


async def suspended(setting, result):
    """Suspend a key."""
    id_ = result.credential.key_credential_id
    await setting.port.suspend_credential(id_, SuspendReason.NO_SHOW, "suspend-1")


async def woken(setting, result):
    """Unsuspend a key."""
    await setting.port.unsuspend_credential(result.credential.key_credential_id, "unsuspend-1")


class LockPortContract:
    """The guarantees of `shared.ports.lock_port.LockPort`."""

    async def test_an_issued_key_opens_every_door_to_its_rooms(self, setting):
        result = await setting.port.issue_credential(setting.request())
        assert await opened_by(setting, result) == [DOOR_101, FRONT]
        assert (result.credential.kind, result.credential.provisional) == (setting.kind, False)

    async def test_a_key_is_issued_once_for_an_idempotency_key(self, setting):
        first = await setting.port.issue_credential(setting.request())
        again = await setting.port.issue_credential(setting.request())
        assert again.credential.key_credential_id == first.credential.key_credential_id
        assert (again.credential.artifact, await setting.count()) == (first.credential.artifact, 1)

    async def test_a_key_is_issued_once_to_many_who_ask_at_once(self, setting):
        asked = (setting.port.issue_credential(setting.request()) for _ in range(4))
        results = await asyncio.gather(*asked, return_exceptions=True)
        made = [each for each in results if not isinstance(each, KeyIssueFailed)]
        artifacts = [each.credential.artifact for each in made]
        assert artifacts == artifacts[:1] * len(artifacts) != []
        assert (await opened_by(setting, made[0]), await setting.count()) == ([DOOR_101, FRONT], 1)

    async def test_other_idempotency_keys_make_other_keys(self, setting):
        results = [await setting.port.issue_credential(setting.request(f"claim-{n}")) for n in range(3)]
        assert (
            len({result.credential.vendor_ref.reveal() for result in results}) == await setting.count() == 3
        )

    async def test_an_issue_cut_short_is_finished(self, setting):
        await setting.break_down()
        with pytest.raises(VendorUnreachable):
            await setting.port.issue_credential(setting.request())
        await setting.mend()
        await setting.reopen()
        result = await setting.port.issue_credential(setting.request())
        assert await opened_by(setting, result) == [DOOR_101, FRONT]

    async def test_an_issue_whose_answer_was_lost_is_not_repeated_at_the_lock(self, setting):
        await setting.lose_the_next_answer()
        try:
            await setting.port.issue_credential(setting.request())
        except VendorUnreachable:
            await setting.port.issue_credential(setting.request())
        assert await setting.count() == 1

    async def test_an_issue_whose_answer_was_lost_can_be_taken_back(self, setting):
        await setting.lose_the_next_answer()
        with contextlib.suppress(VendorUnreachable):
            await setting.port.issue_credential(setting.request())
        asked = await setting.port.key_of("claim-1")
        assert asked is not None
        with contextlib.suppress(KeyRevokeFailed):
            await setting.port.revoke_credential(asked, *CANCELLED)
        setting.clock.advance(minutes=3)  # by then, what was not heard of has had its effect
        await setting.port.revoke_credential(asked, *CANCELLED)
        assert await setting.count() == await setting.count(FRONT) == 0

    async def test_a_revoked_key_opens_nothing(self, setting):
        result = await setting.port.issue_credential(setting.request())
        for _ in range(2):
            await revoked(setting, result)
        assert await opened_by(setting, result) == []

    async def test_revoking_a_key_nobody_issued_is_success(self, setting):
        unknown = KeyCredentialId("key_01KSAMP1E00000000000000777")
        await setting.port.revoke_credential(unknown, RevokeReason.LOST, "revoke-1")

    async def test_a_revocation_cut_short_is_finished(self, setting):
        result = await setting.port.issue_credential(setting.request())
        await setting.break_down()
        with pytest.raises(VendorUnreachable):
            await revoked(setting, result)
        await setting.mend()
        await setting.reopen()
        await revoked(setting, result)
        assert await opened_by(setting, result) == []

    async def test_a_revoked_key_is_not_issued_again(self, setting):
        await revoked(setting, await setting.port.issue_credential(setting.request()))
        with pytest.raises(CredentialExpired):
            await setting.port.issue_credential(setting.request())
        assert await setting.count() == 0

    async def test_a_revoked_key_neither_rests_nor_wakes_nor_changes(self, setting):
        result = await setting.port.issue_credential(setting.request())
        await revoked(setting, result)
        for act in (suspended, woken, changed):
            with pytest.raises(CredentialExpired):
                await act(setting, result)
        assert await setting.count() == 0

    async def test_a_key_revoked_while_it_is_issued_opens_nothing(self, setting):
        meanwhile(setting, setting.port.revoke_credential, *CANCELLED)
        with pytest.raises(CredentialExpired):
            await setting.port.issue_credential(setting.request())
        assert await setting.count() == await setting.count(FRONT) == 0

    async def test_a_key_suspended_while_it_is_issued_does_not_open(self, setting):
        meanwhile(setting, setting.port.suspend_credential, *DID_NOT_COME)
        result = await setting.port.issue_credential(setting.request())
        assert await opened_by(setting, result) == []

    async def test_a_suspended_key_wakes_with_the_same_secret(self, setting):
        result = await setting.port.issue_credential(setting.request())
        await suspended(setting, result)
        assert await opened_by(setting, result) == []
        await setting.reopen()
        await woken(setting, result)
        assert await opened_by(setting, result) == [DOOR_101, FRONT]

    async def test_a_suspended_key_stays_so_when_it_is_changed_or_asked_for_again(self, setting):
        result = await setting.port.issue_credential(setting.request())
        await suspended(setting, result)
        await changed(setting, result, rooms=(ROOM_102,))
        await setting.port.issue_credential(setting.request())
        assert await opened_by(setting, result) == []
        await woken(setting, result)
        assert await opened_by(setting, result) == [DOOR_102, FRONT]

    async def test_a_longer_stay_keeps_its_secret(self, setting):
        result = await setting.port.issue_credential(setting.request())
        longer = await changed(setting, result, valid_until=setting.clock.now() + 4 * DAY)
        assert held(setting, longer) == held(setting, result)
        setting.clock.advance(days=3)
        assert await opened_by(setting, result) == [DOOR_101, FRONT]

    async def test_another_room_takes_the_old_one_s_place(self, setting):
        result = await setting.port.issue_credential(setting.request())
        moved = await changed(setting, result, rooms=(ROOM_102,))
        assert await opened_by(setting, moved) == [DOOR_102, FRONT]

    async def test_a_room_given_back_opens_again(self, setting):
        result = await setting.port.issue_credential(setting.request())
        await setting.break_down()
        with pytest.raises(VendorUnreachable):
            await changed(setting, result, rooms=(ROOM_102,))
        await setting.mend()
        for room, door in ((ROOM_101, DOOR_101), (ROOM_102, DOOR_102), (ROOM_101, DOOR_101)):
            result = await changed(setting, result, rooms=(room,))
            assert await opened_by(setting, result) == [door, FRONT]

    async def test_kinds_no_lock_supports_are_refused_for_good(self, setting):
        with pytest.raises(KeyIssueFailed) as caught:
            await setting.port.issue_credential(
                setting.request(preferred_kinds=(KeyCredentialKind.QR_CODE, KeyCredentialKind.NFC_TAG))
            )
        assert caught.value.permanent

    async def test_a_scope_no_lock_supports_is_refused_for_good(self, setting):
        assert not setting.vendor.describe_adapter().capabilities.scope_floors
        with pytest.raises(KeyIssueFailed) as caught:
            await setting.port.issue_credential(setting.request(scope=AccessScope(floors=("2",))))
        assert caught.value.permanent
        assert await setting.count() == 0

    async def test_a_room_without_a_lock_is_not_paired(self, setting):
        with pytest.raises(DeviceNotPaired):
            await setting.port.issue_credential(setting.request(rooms=(ROOM_101, RoomId("rmu_999"))))
        assert await setting.count() == 0

    async def test_no_secret_is_told(self, setting):
        result = await setting.port.issue_credential(setting.request())
        refs = result.credential.vendor_ref.reveal().split(",")
        await setting.break_down()
        with pytest.raises(VendorUnreachable) as caught:
            await revoked(setting, result)
        words = repr([setting.request(), result]) + told(caught.value)
        assert refs
        assert not any(secret in words for secret in (pin_of(result), GUEST_ACCOUNT, *refs))

    async def test_devices_and_health_are_the_vendor_s(self, setting):
        assert len(await setting.port.list_devices(KABUL.id)) == 3
        assert (await setting.port.health_check(DOOR_101)).online == setting.online
        assert setting.port.describe_adapter() == setting.vendor.describe_adapter()


class PinPortContract(LockPortContract):
    """The guarantees of a LockPort at locks with a keypad."""

    async def test_pins_are_as_long_as_the_policy_says_and_each_key_has_its_own(self, setting):
        results = [await setting.port.issue_credential(setting.request(f"claim-{n}")) for n in range(3)]
        assert {len(pin_of(result)) for result in results} == {6}
        assert len({pin_of(result) for result in results}) == 3

    async def test_a_pin_that_is_taken_is_replaced_on_all_doors(self, setting):
        stuck = Stuck(b"\x00\x00\x00\x00\x00\x08\xe8\xfa", times=1, then=setting.entropy)
        taken = draw_pin(stuck, 6).reveal()
        await setting.vendor.place(setting.key("a stranger's", device_id=FRONT, secret=Secret(taken)))
        setting.entropy = Stuck(stuck.repeated, times=1, then=setting.entropy)
        result = await setting.port.issue_credential(setting.request())
        assert pin_of(result) != taken
        assert await opened_by(setting, result) == [DOOR_101, FRONT]
        assert await setting.count() == 1

    async def test_the_first_kind_that_is_possible_is_taken(self, setting):
        kinds = (KeyCredentialKind.QR_CODE, KeyCredentialKind.RFID_CARD, MOBILE_APP, PIN_CODE)
        result = await setting.port.issue_credential(setting.request(preferred_kinds=kinds))
        able = setting.vendor.describe_adapter().capabilities
        assert result.credential.kind is next(kind for kind in kinds[2:] if able.supports(kind))

    async def test_a_kind_whose_secret_nobody_has_is_passed_over(self, setting):
        holder = KeyHolder(setting.request().holder.id, Secret("A Guest"), Contact())
        wish = setting.request(holder=holder, preferred_kinds=(MOBILE_APP, PIN_CODE))
        assert (await setting.port.issue_credential(wish)).credential.kind is PIN_CODE


class Stuck:
    """Chance that repeats itself for a while."""

    def __init__(self, token, times, then):
        self.repeated, self._left, self._then = token, times, then

    def token(self, size):
        """Return the same bytes as before, as long as it lasts."""
        if size != len(self.repeated) or not self._left:
            return self._then.token(size)
        self._left -= 1
        return self.repeated

    def uniform(self, low, high):
        """Return what chance says."""
        return self._then.uniform(low, high)
