"""LockPorts that are wrong in one way each, in the façade or the engine: every one fails its guarantee."""

from dataclasses import replace
from itertools import count

from shared.domain.lock_errors import CredentialExpired
from shared.domain.scope import NO_SCOPE
from shared.domain.secret import Secret
from shared.domain.states import Active
from shared.keywork import (
    decide_issue,
    errand,
    issue,
    orders,
    place_at_locks,
    port,
    port_wish,
    preconditions,
    prepare,
)
from shared.keywork.errand import Errand
from shared.keywork.lock_key import lock_key
from shared.keywork.port import EnginePort
from shared.keywork.port_work import PromptWork
from shared.keywork.verdicts import DONE
from shared.ports.lock_causes import LockCause
from shared.vendor_kit.pins import draw_pin
from tests.contract.lock.broken_vendors import Shown

ISSUE, UPDATE = EnginePort.issue_credential, EnginePort.update_credential


def issuing(patch, change):
    """Have a port make another key than it was asked for."""

    async def issue_credential(self, request):
        return await ISSUE(self, change(request))

    patch.setattr(EnginePort, "issue_credential", issue_credential)


def handing_out(patch, change):
    """Have a port hand out something else than the PIN."""

    async def issue_credential(self, request):
        result = await ISSUE(self, request)
        pin = replace(result.credential.artifact, value=change(self, result.credential.artifact.value))
        return replace(result, credential=replace(result.credential, artifact=pin))

    patch.setattr(EnginePort, "issue_credential", issue_credential)


def draws_a_pin_anew(patch):
    """Remembers a key and not its PIN."""
    handing_out(patch, lambda self, _: draw_pin(self.services.entropy, 6))


def tells_the_pin_in_its_repr(patch):
    """Hands out what anybody may read in a log."""
    handing_out(patch, lambda _, pin: Shown(pin.reveal()))


def writes_down_afterwards(patch):
    """Tells the vendor first."""

    async def issue_credential(self, request):
        if await self.key_of(request.idempotency_key) is None:
            door = self.desk.binding.doors(request.rooms)[0]
            entry = port_wish._Wish(request, self.desk, self.services).change().entry
            kept = prepare.new_grant(
                entry,
                door,
                orders.Target(request.rooms, entry.credential.core.window),
                (),
                self.services.now,
                self.services.ids,
            )
            key = lock_key(kept, entry.credential.core.window, None, entry.credential.core)
            await self.desk.port.place(replace(key, secret=draw_pin(self.services.entropy, 6)))
        return await ISSUE(self, request)

    patch.setattr(EnginePort, "issue_credential", issue_credential)


def names_by_chance(patch):
    """Calls its keys at the lock what it likes, each time."""
    numbers = count()

    def named(kept, *more):
        return replace(lock_key(kept, *more), name=f"MM-{next(numbers):012x}")

    patch.setattr(place_at_locks, "lock_key", named)


def knows_one_key(patch):
    """Takes every wish for the same."""
    issuing(patch, lambda request: replace(request, idempotency_key="the only one"))


def keeps_to_its_own_plan(patch):
    """Makes a key to each who asks, though all ask for the same."""
    numbers = count()
    issuing(patch, lambda request: replace(request, idempotency_key=f"the {next(numbers)}th"))


def opens_one_door(patch):
    """Forgets the front door."""
    patch.setattr(issue, "doors_for", lambda *it: prepare.doors_for(*it)[:1])


def keeps_to_a_pin(patch):
    """Takes a PIN that is taken for the end."""
    patch.setattr(decide_issue, "SECRET_TRIES", 1)


def leaves_the_refused_pin_at_other_doors(patch):
    """Forgets where a PIN opens that the last door refused."""
    patch.setattr(decide_issue, "_freed", lambda entry, grants, task: replace(entry, due=None))


def draws_one_pin_for_all(patch):
    """Draws as if there were one guest."""

    async def draw(task, desk):
        return Secret("123456")

    patch.setattr(issue, "draw_unique", draw)


def revokes_one_door(patch):
    """Ends a key where it is first."""
    end_key = orders.end_key
    patch.setattr(port, "end_key", lambda entry, grants, *word: end_key(entry, grants[:1], *word))


def misses_what_nobody_issued(patch):
    """Complains of a key that is not there."""
    revoke = EnginePort.revoke_credential

    async def revoke_credential(self, credential_id, *word):
        await self._known(credential_id)
        await revoke(self, credential_id, *word)

    patch.setattr(EnginePort, "revoke_credential", revoke_credential)


def forgets_before_the_locks_agree(patch):
    """Takes whatever a lock said for a yes."""
    closed = Errand.closed

    def believed(self, now, last):
        return closed(replace(self, error=None, kept=replace(self.kept, busy_until=None)), now, last)

    patch.setitem(errand._SETTLED, "remove", believed)


def brings_back_the_dead(patch):
    """Makes another key for a wish whose key was taken back."""

    async def issue_credential(self, request):
        try:
            return await ISSUE(self, request)
        except CredentialExpired:
            return await ISSUE(self, replace(request, idempotency_key=request.idempotency_key + " again"))

    patch.setattr(EnginePort, "issue_credential", issue_credential)


def never_looks_back(patch):
    """Goes home when somebody else was first to write, whatever it has just placed."""
    turn = PromptWork._turn

    async def once(self, entry):
        return await turn(self, entry) or DONE

    patch.setattr(PromptWork, "_turn", once)


def leaves_a_resting_key_at_the_lock(patch):
    """Lets a key that was held while it was made come to life awake."""
    patch.setattr(decide_issue, "resting", lambda grants, at: tuple(grants))


def rests_in_words_only(patch):
    """Tells no lock that a key is to rest."""
    patch.setattr(orders, "resting", lambda grants, at: ())


def rests_unawares(patch):
    """Lets a key rest without writing it down."""

    async def suspend_credential(self, credential_id, *_):
        entry = await self._living(credential_id)
        for kept in await self._ledger.grants(entry):
            await self.desk.port.suspend(lock_key(kept, entry.credential.core.window, None))

    patch.setattr(EnginePort, "suspend_credential", suspend_credential)


def never_prolongs(patch):
    """Hears nothing of another end."""

    async def update_credential(self, request):
        return await UPDATE(self, replace(request, valid_until=None))

    patch.setattr(EnginePort, "update_credential", update_credential)


def keeps_the_old_room(patch):
    """Leaves a key where its guest lives no more."""
    patch.setattr(orders, "_left", lambda kept, at: kept)


def gives_two_keys_of_a_door_one_name(patch):
    """Calls a door's new key as the one that is still to go, whose removal takes it along."""
    call = prepare._call
    patch.setattr(prepare, "_call", lambda entry, door, known: call(entry, door, ()))


def wakes_the_dead(patch):
    """Obeys whatever is asked of a key that is over."""
    patch.setattr(EnginePort, "_unless_over", lambda self, entry, error=None: entry)


def takes_the_last_kind(patch):
    """Reads preferences from the end."""
    issuing(patch, lambda request: replace(request, preferred_kinds=request.preferred_kinds[::-1]))


def sends_the_key_to_nobody(patch):
    """Makes up an account of the guest's."""

    def with_account(request):
        nobody = replace(request.holder.contact, email=Secret("nobody@example.org"))
        return replace(request, holder=replace(request.holder, contact=nobody))

    issuing(patch, with_account)


def promises_every_kind(patch):
    """Says of what can never be that it may be later."""
    refusal = port_wish.refusal
    patch.setattr(port_wish, "refusal", lambda desk, cause: refusal(desk, cause, permanent=False))


def ignores_the_scope(patch):
    """Promises floors that no lock knows."""
    patch.setattr(port_wish, "check_scope", lambda scope, desk: scope or NO_SCOPE)


def skips_rooms_without_a_lock(patch):
    """Makes a key to some of the rooms."""
    patch.setattr(port_wish, "doors_to", lambda rooms, desk, scope: desk.binding.doors(tuple(rooms), scope))
    checks = [check for check in preconditions._CHECKS if check is not preconditions._doors]
    patch.setattr(preconditions, "_CHECKS", tuple(checks))


def gives_up_at_the_first_error(patch):
    """Forgets a key whose issue failed once."""

    async def issue_credential(self, request):
        known = await self.key_of(request.idempotency_key)
        if known is not None:
            entry = await self._known(known)
            if not isinstance(entry.credential.state, Active):
                raise port_wish.refusal(self.desk, LockCause.REFUSED)
        return await ISSUE(self, request)

    patch.setattr(EnginePort, "issue_credential", issue_credential)


def goes_home_with_its_lease(patch):
    """Leaves work that is to wait as if it were at it."""

    async def left(self, entry, verdict):
        return entry

    patch.setattr(PromptWork, "_left", left)


def sees_no_devices(patch):
    """Says that a hotel has no locks."""

    async def list_devices(self, property_id):
        return ()

    patch.setattr(EnginePort, "list_devices", list_devices)


BROKEN = {
    draws_a_pin_anew: "test_a_key_is_issued_once_for_an_idempotency_key",
    writes_down_afterwards: "test_an_issue_whose_answer_was_lost_can_be_taken_back",
    keeps_to_its_own_plan: "test_a_key_is_issued_once_to_many_who_ask_at_once",
    names_by_chance: "test_an_issue_whose_answer_was_lost_is_not_repeated_at_the_lock",
    gives_two_keys_of_a_door_one_name: "test_a_room_given_back_opens_again",
    wakes_the_dead: "test_a_revoked_key_neither_rests_nor_wakes_nor_changes",
    knows_one_key: "test_other_idempotency_keys_make_other_keys",
    opens_one_door: "test_an_issued_key_opens_every_door_to_its_rooms",
    keeps_to_a_pin: "test_a_pin_that_is_taken_is_replaced_on_all_doors",
    leaves_the_refused_pin_at_other_doors: "test_a_pin_that_is_taken_is_replaced_on_all_doors",
    draws_one_pin_for_all: "test_pins_are_as_long_as_the_policy_says_and_each_key_has_its_own",
    revokes_one_door: "test_a_revoked_key_opens_nothing",
    misses_what_nobody_issued: "test_revoking_a_key_nobody_issued_is_success",
    forgets_before_the_locks_agree: "test_a_revocation_cut_short_is_finished",
    brings_back_the_dead: "test_a_revoked_key_is_not_issued_again",
    never_looks_back: "test_a_key_revoked_while_it_is_issued_opens_nothing",
    leaves_a_resting_key_at_the_lock: "test_a_key_suspended_while_it_is_issued_does_not_open",
    rests_in_words_only: "test_a_suspended_key_wakes_with_the_same_secret",
    rests_unawares: "test_a_suspended_key_stays_so_when_it_is_changed_or_asked_for_again",
    never_prolongs: "test_a_longer_stay_keeps_its_secret",
    keeps_the_old_room: "test_another_room_takes_the_old_one_s_place",
    takes_the_last_kind: "test_the_first_kind_that_is_possible_is_taken",
    sends_the_key_to_nobody: "test_a_kind_whose_secret_nobody_has_is_passed_over",
    promises_every_kind: "test_kinds_no_lock_supports_are_refused_for_good",
    ignores_the_scope: "test_a_scope_no_lock_supports_is_refused_for_good",
    skips_rooms_without_a_lock: "test_a_room_without_a_lock_is_not_paired",
    tells_the_pin_in_its_repr: "test_no_secret_is_told",
    gives_up_at_the_first_error: "test_an_issue_cut_short_is_finished",
    goes_home_with_its_lease: "test_an_issue_cut_short_is_finished",
    sees_no_devices: "test_devices_and_health_are_the_vendor_s",
}
"""The guarantee that each must fail."""
