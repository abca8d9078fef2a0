"""The Vostio dialect with one habit changed: every change must fail the guarantee it breaks."""

from dataclasses import replace

from shared.vendor_kit.json_protocol import JsonProtocol
from shared.vendors.assa_abloy import vostio
from shared.vendors.assa_abloy.grants import GrantSync
from shared.vendors.assa_abloy.maintenance import Maintenance
from shared.vendors.assa_abloy.vostio import KINDS, VostioProtocol
from tests.contract.lock.setting import MOBILE_APP


def believes_what_a_repeated_key_is_answered(patch):
    """Takes a grant for standing that was deleted since."""

    async def stands(self, row):
        return True

    patch.setattr(GrantSync, "_stands", stands)


def repeats_a_key_with_another_window(patch):
    """Sends one idempotency key whatever is asked."""
    patch.setattr(vostio, "_nonce", lambda new: new.nonce)


def takes_the_search_at_its_word(patch):
    """Believes that whatever is listed has the name that was searched for."""
    listing = vostio.list_grants

    def prefixed(lock, name, page):
        ask = listing(lock, name, page)

        def read(answer):
            return ask.read({**answer, "grants": [{**row, "name": name} for row in answer["grants"]]})

        return replace(ask, read=read)

    patch.setitem(KINDS, MOBILE_APP, replace(KINDS[MOBILE_APP], listing=prefixed))


def reads_one_page(patch):
    """Takes the first page of a list for the whole."""
    listing = vostio.list_grants

    def first(lock, name, page):
        ask = listing(lock, "MM-", page)
        return replace(ask, read=lambda answer: ask.read({**answer, "more": False}))

    patch.setitem(KINDS, MOBILE_APP, replace(KINDS[MOBILE_APP], listing=first))


def asks_during_maintenance(patch):
    """Reads nothing that the vendor publishes."""

    async def going_on(self):
        return False

    patch.setattr(Maintenance, "going_on", going_on)


def takes_maintenance_for_a_breakdown(patch):
    """Judges an answer by its status alone."""
    patch.setattr(VostioProtocol, "content", JsonProtocol.content)


def rests_nothing(patch):
    """Says that a key rests, and tells the vendor nothing."""

    def still(ref):
        return replace(vostio.list_maintenance(), read=lambda answer: None)

    patch.setitem(KINDS, MOBILE_APP, replace(KINDS[MOBILE_APP], resting=still))


BROKEN = {
    believes_what_a_repeated_key_is_answered: "test_a_grant_deleted_since_is_not_believed_to_stand",
    repeats_a_key_with_another_window: "test_a_repeated_key_is_never_sent_with_another_body",
    takes_the_search_at_its_word: "test_names_that_only_begin_alike_are_others",
    reads_one_page: "test_a_door_with_many_grants_is_read_to_its_last_page",
    asks_during_maintenance: "test_published_maintenance_lets_work_wait_without_a_call",
    takes_maintenance_for_a_breakdown: "test_maintenance_is_no_breakdown",
    rests_nothing: "test_a_suspended_key_does_not_open_and_opens_again_afterwards",
}
"""The guarantee that each must fail: a quirk's, or one of the contract."""
