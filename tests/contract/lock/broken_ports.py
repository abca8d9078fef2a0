"""LockPorts that are wrong in one way each: every one must fail the guarantee it breaks."""

from dataclasses import replace

from shared.domain.secret import Secret
from shared.vendor_kit.kept_key import id_for
from shared.vendor_kit.lock_by_lock import LockByLock
from tests.contract.lock.broken_vendors import Shown


class DrawsAPinAnew(LockByLock):
    """Remembers a key and not its PIN."""

    async def issue_credential(self, request):
        result = await super().issue_credential(request)
        pin = replace(result.credential.artifact, value=self._pin())
        return replace(result, credential=replace(result.credential, artifact=pin))


class WritesDownAfterwards(LockByLock):
    """Tells the vendor first."""

    async def issue_credential(self, request):
        if await self._book.find(id_for(request.idempotency_key)) is None:
            planned = self._planned(request)
            await self._at_each(planned, planned.doors, self._vendor.place, predates=False)
            await self._book.keep(planned)
        return await super().issue_credential(request)


class NamesByChance(LockByLock):
    """Calls its keys at the lock what it likes, each time."""

    async def _at_each(self, key, doors, act, *, predates=True):
        named = [replace(door, name=f"MM-{self._entropy.token(6).hex()}") for door in doors]
        return await super()._at_each(key, named, act, predates=predates)


class KnowsOneKey(LockByLock):
    async def issue_credential(self, request):
        return await super().issue_credential(replace(request, idempotency_key="the only one"))


class KeepsToItsOwnPlan(LockByLock):
    """Goes on with a PIN that somebody else was quicker to draw."""

    async def issue_credential(self, request):
        planned = self._planned(request)
        known = await self._book.find(planned.id)
        return await self._settled(known or await self._book.keep(planned) or planned, predates=False)


class OpensOneDoor(LockByLock):
    def _locks(self, rooms):
        return super()._locks(rooms)[:1]


class KeepsToAPin(LockByLock):
    """Takes a PIN that is taken for the end."""

    def _with_another_pin(self, key):
        raise self._refusal("pin_taken")


class ChangesThePinAtOneDoor(LockByLock):
    def _with_another_pin(self, key):
        changed = super()._with_another_pin(key)
        return replace(changed, doors=tuple(door for door in changed.doors if door.wanted)[:1])


class RevokesOneDoor(LockByLock):
    async def _cleared(self, key):
        doors = [door for door in key.doors if not door.wanted]
        await self._at_each(key, doors[:1], self._vendor.remove)
        return key


class MissesWhatNobodyIssued(LockByLock):
    async def revoke_credential(self, credential_id, reason, idempotency_key):
        await self._alive(credential_id)
        await super().revoke_credential(credential_id, reason, idempotency_key)


class ForgetsBeforeTheLocksAgree(LockByLock):
    async def _cleared(self, key):
        wanted = tuple(door for door in key.doors if door.wanted)
        gone = await self._kept(replace(key, doors=wanted))
        await self._at_each(key, [door for door in key.doors if not door.wanted], self._vendor.remove)
        return gone


class BringsBackTheDead(LockByLock):
    def _unless_revoked(self, key):
        if key.revoked:
            return replace(
                key, revoked=False, doors=self._new_doors(key, self._locks(key.rooms), self._pin())
            )
        return key


class NeverLooksBack(LockByLock):
    """Takes the key it has placed for the key that is wanted."""

    async def _overtaken(self, ours):
        return self._result(ours, ())


class LeavesARestingKeyAtTheLock(LockByLock):
    async def _overtaken(self, ours):
        theirs = await self._book.find(ours.id)
        return self._result(theirs, ()) if theirs.resting else await super()._overtaken(ours)


class RestsInWordsOnly(LockByLock):
    async def suspend_credential(self, credential_id, reason, idempotency_key):
        await self._kept(replace(await self._alive(credential_id), resting=True))


class RestsUnawares(LockByLock):
    """Lets a key rest without writing it down."""

    async def suspend_credential(self, credential_id, reason, idempotency_key):
        key = await self._alive(credential_id)
        await self._at_each(key, key.doors, self._vendor.suspend)


class NeverProlongs(LockByLock):
    async def update_credential(self, request):
        return await super().update_credential(replace(request, valid_until=None))


class KeepsTheOldRoom(LockByLock):
    async def _cleared(self, key):
        return key


class PlacesThenClears(LockByLock):
    async def _settled(self, key, *, predates=True):
        wanted = [door for door in key.doors if door.wanted]
        placed = await self._at_each(key, wanted, self._vendor.place)
        return self._result(await self._cleared(key), placed)


class WakesTheDead(LockByLock):
    async def _alive(self, credential_id):
        return await self._book.find(credential_id)


class TakesTheLastKind(LockByLock):
    def _chosen(self, request):
        return super()._chosen(replace(request, preferred_kinds=request.preferred_kinds[::-1]))


class SendsTheKeyToNobody(LockByLock):
    def _chosen(self, request):
        nobody = replace(request.holder.contact, email=Secret("nobody@example.org"))
        return super()._chosen(replace(request, holder=replace(request.holder, contact=nobody)))


class PromisesEveryKind(LockByLock):
    def _refusal(self, cause, *, permanent=True):
        return super()._refusal(cause, permanent=False)


class IgnoresTheScope(LockByLock):
    def _check_scope(self, scope):
        return None


class SkipsRoomsWithoutALock(LockByLock):
    def _locks(self, rooms):
        return self._binding.doors(rooms)


class TellsThePinInItsRepr(LockByLock):
    async def issue_credential(self, request):
        result = await super().issue_credential(request)
        pin = replace(result.credential.artifact, value=Shown(result.credential.artifact.value.reveal()))
        return replace(result, credential=replace(result.credential, artifact=pin))


class GivesUpAtTheFirstError(LockByLock):
    """Forgets a key whose issue failed once."""

    async def issue_credential(self, request):
        known = await self._book.find(id_for(request.idempotency_key))
        if known is not None and known.doors[0].vendor_ref is None:
            raise self._refusal("failed_before")
        return await super().issue_credential(request)


class SeesNoDevices(LockByLock):
    async def list_devices(self, property_id):
        return ()


BROKEN = {
    DrawsAPinAnew: "test_a_key_is_issued_once_for_an_idempotency_key",
    WritesDownAfterwards: "test_an_issue_whose_answer_was_lost_can_be_taken_back",
    KeepsToItsOwnPlan: "test_a_key_is_issued_once_to_many_who_ask_at_once",
    NamesByChance: "test_an_issue_whose_answer_was_lost_is_not_repeated_at_the_lock",
    PlacesThenClears: "test_a_room_given_back_opens_again",
    WakesTheDead: "test_a_revoked_key_neither_rests_nor_wakes_nor_changes",
    KnowsOneKey: "test_other_idempotency_keys_make_other_keys",
    OpensOneDoor: "test_an_issued_key_opens_every_door_to_its_rooms",
    KeepsToAPin: "test_a_pin_that_is_taken_is_replaced_on_all_doors",
    ChangesThePinAtOneDoor: "test_a_pin_that_is_taken_is_replaced_on_all_doors",
    RevokesOneDoor: "test_a_revoked_key_opens_nothing",
    MissesWhatNobodyIssued: "test_revoking_a_key_nobody_issued_is_success",
    ForgetsBeforeTheLocksAgree: "test_a_revocation_cut_short_is_finished",
    BringsBackTheDead: "test_a_revoked_key_is_not_issued_again",
    NeverLooksBack: "test_a_key_revoked_while_it_is_issued_opens_nothing",
    LeavesARestingKeyAtTheLock: "test_a_key_suspended_while_it_is_issued_does_not_open",
    RestsInWordsOnly: "test_a_suspended_key_wakes_with_the_same_pin",
    RestsUnawares: "test_a_suspended_key_stays_so_when_it_is_changed_or_asked_for_again",
    NeverProlongs: "test_a_longer_stay_keeps_its_pin",
    KeepsTheOldRoom: "test_another_room_takes_the_old_one_s_place",
    TakesTheLastKind: "test_the_first_kind_that_is_possible_is_taken",
    SendsTheKeyToNobody: "test_a_kind_whose_secret_nobody_has_is_passed_over",
    PromisesEveryKind: "test_kinds_no_lock_supports_are_refused_for_good",
    IgnoresTheScope: "test_a_scope_no_lock_supports_is_refused_for_good",
    SkipsRoomsWithoutALock: "test_a_room_without_a_lock_is_not_paired",
    TellsThePinInItsRepr: "test_no_secret_is_told",
    GivesUpAtTheFirstError: "test_an_issue_cut_short_is_finished_with_the_same_pin",
    SeesNoDevices: "test_devices_and_health_are_the_vendor_s",
}
"""The guarantee that each must fail."""
