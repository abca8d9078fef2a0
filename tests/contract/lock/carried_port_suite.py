"""What a LockPort promises of keys that guests carry, and of cards that a desk writes."""

import contextlib

import pytest

from shared.domain.documents import to_document
from shared.domain.ids import RoomId
from shared.domain.kinds import KeyCredentialKind, RevokeReason
from shared.domain.lock_errors import (
    CardEncoderOffline,
    CredentialExpired,
    DeviceNotPaired,
    KeyIssueFailed,
    KeyRevokeFailed,
    VendorUnreachable,
)
from shared.domain.secret import Secret
from shared.domain.states import Active
from shared.ledger.admission import RECORD
from shared.ports.documents import AlreadyExists, Create
from shared.usecases.upkeep.hear_of_job import JobHeard, hear_of_job
from tests.contract.lock.port_suite import (
    CANCELLED,
    DID_NOT_COME,
    LockPortContract,
    changed,
    meanwhile,
    opened_by,
    revoked,
    suspended,
    woken,
)
from tests.contract.lock.setting import DAY, DOOR_101, DOOR_102, FRONT, KABUL, ROOM_101, ROOM_102, TENANT
from tests.support.few_doors import COMPANY


async def refused(setting, act, result):
    """See that what nobody can take back is not promised, and is said for good."""
    with pytest.raises(KeyRevokeFailed) as caught:
        await act(setting, result)
    assert (caught.value.cause.kind, caught.value.permanent) == ("ends_by_time", True)


async def card_written(setting):
    """Lay a card on the encoder, and be the relay that tells of it."""
    (job,) = await setting.pulled()
    await setting.work()
    with contextlib.suppress(AlreadyExists):
        await setting.means.documents.tenant(TENANT).commit([Create(RECORD, to_document(COMPANY))])
    await hear_of_job(JobHeard(TENANT, setting.vendor_code, job.id), setting.services)
    return job


async def card_issued(setting):
    """Have a card ordered and written; return the key."""
    await setting.pulled()
    await setting.port.issue_credential(setting.request())
    await card_written(setting)
    result = await setting.port.issue_credential(setting.request())
    entry = await setting.ledger.entry(result.credential.key_credential_id)
    assert isinstance(entry.credential.state, Active)
    return result


class CarriedPortContract(LockPortContract):
    """The guarantees of a LockPort where no lock is ever told of a key."""

    async def test_an_issue_whose_answer_was_lost_can_be_taken_back(self, setting):
        await setting.lose_the_next_answer()
        with contextlib.suppress(VendorUnreachable):
            await setting.port.issue_credential(setting.request())
        asked = await setting.port.key_of("claim-1")
        with pytest.raises(KeyRevokeFailed):
            await setting.port.revoke_credential(asked, *CANCELLED)
        setting.clock.advance(days=3)
        await setting.port.revoke_credential(asked, *CANCELLED)

    async def test_a_revoked_key_opens_nothing(self, setting):
        result = await setting.port.issue_credential(setting.request())
        for _ in range(2):
            await refused(setting, revoked, result)
        assert await opened_by(setting, result) == [DOOR_101, FRONT]
        setting.clock.advance(days=3)
        await revoked(setting, result)
        assert await opened_by(setting, result) == []

    async def test_a_revocation_cut_short_is_finished(self, setting):
        result = await setting.port.issue_credential(setting.request())
        await setting.break_down()
        with pytest.raises(VendorUnreachable):
            await revoked(setting, result)
        await setting.mend()
        await setting.reopen()
        await refused(setting, revoked, result)

    async def test_a_revoked_key_is_not_issued_again(self, setting):
        await refused(setting, revoked, await setting.port.issue_credential(setting.request()))
        with pytest.raises(CredentialExpired):
            await setting.port.issue_credential(setting.request())

    async def test_a_revoked_key_neither_rests_nor_wakes_nor_changes(self, setting):
        result = await setting.port.issue_credential(setting.request())
        await refused(setting, revoked, result)
        for act in (suspended, woken, changed):
            with pytest.raises(CredentialExpired):
                await act(setting, result)

    async def test_a_key_revoked_while_it_is_issued_opens_nothing(self, setting):
        meanwhile(setting, setting.port.revoke_credential, *CANCELLED)
        with pytest.raises(CredentialExpired):
            await setting.port.issue_credential(setting.request())
        with pytest.raises(KeyRevokeFailed):
            await setting.port.revoke_credential(await setting.port.key_of("claim-1"), *CANCELLED)

    async def test_a_key_suspended_while_it_is_issued_does_not_open(self, setting):
        meanwhile(setting, setting.port.suspend_credential, *DID_NOT_COME)
        result = await setting.port.issue_credential(setting.request())
        await refused(setting, suspended, result)
        assert await opened_by(setting, result) == [DOOR_101, FRONT]

    async def test_a_suspended_key_wakes_with_the_same_secret(self, setting):
        result = await setting.port.issue_credential(setting.request())
        await refused(setting, suspended, result)
        await setting.reopen()
        setting.clock.advance(minutes=3)  # by then, no word to let it rest can undo its waking
        await woken(setting, result)
        assert await opened_by(setting, result) == [DOOR_101, FRONT]

    async def test_a_suspended_key_stays_so_when_it_is_changed_or_asked_for_again(self, setting):
        result = await setting.port.issue_credential(setting.request())
        await refused(setting, suspended, result)
        await changed(setting, result, rooms=(ROOM_102,))
        assert not await setting.opens(setting.app_account, DOOR_102)
        setting.clock.advance(minutes=3)
        await woken(setting, result)
        assert await setting.opens(setting.app_account, DOOR_102)

    async def test_another_room_takes_the_old_one_s_place(self, setting):
        result = await setting.port.issue_credential(setting.request())
        moved = await changed(setting, result, rooms=(ROOM_102,))
        assert await opened_by(setting, moved) == [
            DOOR_101,
            DOOR_102,
            FRONT,
        ]  # until the old one's time is over

    async def test_a_room_given_back_opens_again(self, setting):
        result = await setting.port.issue_credential(setting.request())
        for room, door in ((ROOM_102, DOOR_102), (ROOM_101, DOOR_101)):
            result = await changed(setting, result, rooms=(room,))
            assert door in await opened_by(setting, result)


class DeskPortContract:
    """The guarantees of a LockPort where somebody at a desk writes the card; A §4 says at which encoder."""

    async def test_a_card_is_ready_to_be_written_and_then_issued(self, setting):
        await setting.pulled()
        ready = await setting.port.issue_credential(setting.request())
        assert (ready.credential.artifact.type, ready.credential.kind) == ("rfid_card_ready_at", setting.kind)
        assert setting.desk.written == {}
        await card_written(setting)
        issued = await setting.port.issue_credential(setting.request())
        assert issued.credential.key_credential_id == ready.credential.key_credential_id
        (card,) = setting.desk.written
        assert setting.desk.tried(card, "1000101", setting.clock.now())

    async def test_many_who_ask_at_once_or_again_order_one_card(self, setting):
        await setting.pulled()
        for _ in range(3):
            await setting.port.issue_credential(setting.request())
        assert len(await setting.pulled()) == 1

    async def test_a_desk_that_gives_no_sign_of_life_is_said(self, setting):
        with pytest.raises(CardEncoderOffline):
            await setting.port.issue_credential(setting.request())

    async def test_a_card_that_is_taken_back_is_not_written_any_more(self, setting):
        await setting.pulled()
        ready = await setting.port.issue_credential(setting.request())
        id_ = ready.credential.key_credential_id
        await setting.port.revoke_credential(id_, RevokeReason.CANCELLATION, "revoke-1")
        await setting.work()
        assert setting.desk.written == {}
        with pytest.raises(CredentialExpired):
            await setting.port.issue_credential(setting.request())

    async def test_a_written_card_is_not_taken_back_and_this_is_said(self, setting):
        result = await card_issued(setting)
        await refused(setting, revoked, result)
        setting.clock.advance(days=3)
        await revoked(setting, result)

    async def test_a_longer_stay_is_another_card(self, setting):
        result = await card_issued(setting)
        end = setting.clock.now() + 4 * DAY
        ready = await changed(setting, result, valid_until=end)
        job = await card_written(setting)
        assert (ready.credential.vendor_ref, ready.credential.valid_until) == (Secret(job.id), end)
        longer = await changed(setting, result, valid_until=end)
        assert longer.credential.valid_until == end
        assert len(setting.desk.written) == 2

    async def test_what_no_desk_makes_is_refused_for_good(self, setting):
        kinds = (KeyCredentialKind.QR_CODE,)
        with pytest.raises(KeyIssueFailed) as caught:
            await setting.port.issue_credential(setting.request(preferred_kinds=kinds))
        assert caught.value.permanent

    async def test_a_room_without_a_lock_is_not_paired(self, setting):
        with pytest.raises(DeviceNotPaired):
            await setting.port.issue_credential(setting.request(rooms=(ROOM_101, RoomId("rmu_999"))))

    async def test_devices_are_the_desk_s(self, setting):
        assert {each.device_id for each in await setting.port.list_devices(KABUL.id)} == {
            DOOR_101,
            DOOR_102,
            FRONT,
        }
        assert setting.port.describe_adapter() == setting.vendor.describe_adapter()
