"""Whom a saga is to ask is whom the ledger wants something of; nobody is asked for ever before the others."""

from dataclasses import replace

from shared.domain.commands import Accept, Fail, Provision
from shared.domain.grant_lifecycle import ConfirmRemoval, GiveUp
from shared.domain.kinds import FailureReason
from shared.keywork.desired import next_vendor
from shared.ledger.key_record import Saga, Work
from tests.support.ledger_books import CLAIM, DOOR, MOCK, TTLOCK

OTHER_DOOR = f"{DOOR[:-1]}0"


def wanted(books, *commands):
    """Return a key that is to be made and obeyed these commands."""
    entry, _ = books.requested()
    credential = entry.credential
    for command in commands:
        credential, _ = credential.apply(command)
    return replace(entry, credential=credential)


def unwanted(books, generation=1, lost=0):
    """Return a key that is to be taken back."""
    saga = Saga(kind=Work.SETTLE, claim=CLAIM, generation=generation, unclaimed_starts=lost)
    return replace(books.requested()[0], saga=saga)


def leaving(books, *device, **changes):
    return books.kept(unwanted(books), *device, **changes).withdrawn(books.clock.now())


def stubborn(books, *device, **changes):
    return leaving(books, *device, **changes).applied(GiveUp(at=books.clock.now(), cause="lock_busy"))


def test_wanted_key_is_its_plan_s_vendor_s(books):
    assert next_vendor(wanted(books), ()) == MOCK


def test_pending_key_is_still_its_plan_s_vendor_s(books):
    assert next_vendor(wanted(books, Accept(at=books.clock.now())), ()) == MOCK


def test_key_that_is_active_is_nobody_s(books):
    now = books.clock.now()
    assert next_vendor(wanted(books, Accept(at=now), Provision(at=now)), ()) is None


def test_key_that_failed_is_nobody_s(books):
    fail = Fail(at=books.clock.now(), reason=FailureReason.CANCELLATION)
    assert next_vendor(wanted(books, fail), ()) is None


def test_withdrawal_without_a_leaving_grant_is_nobody_s(books):
    gone = leaving(books).applied(ConfirmRemoval(at=books.clock.now()))
    assert next_vendor(unwanted(books), (gone,)) is None


def test_withdrawal_is_for_the_vendor_of_what_still_leaves(books):
    assert next_vendor(unwanted(books), (leaving(books),)) == MOCK


def test_what_never_refused_comes_before_what_would_not_go(books):
    grants = stubborn(books, OTHER_DOOR, vendor=TTLOCK), leaving(books)
    assert {next_vendor(unwanted(books, generation), grants) for generation in (1, 2, 3)} == {MOCK}


def test_what_would_not_go_is_asked_again(books):
    assert next_vendor(unwanted(books), (stubborn(books),)) == MOCK


def test_each_execution_begins_with_another_vendor(books):
    grants = stubborn(books, OTHER_DOOR, vendor=TTLOCK), stubborn(books)
    assert {next_vendor(unwanted(books, generation), grants) for generation in (1, 2)} == {MOCK, TTLOCK}


def test_an_adapter_that_cannot_be_called_does_not_keep_the_others_from_being_asked(books):
    grants = leaving(books, OTHER_DOOR, vendor=TTLOCK), leaving(books)
    assert {next_vendor(unwanted(books, lost=lost), grants) for lost in (0, 1)} == {MOCK, TTLOCK}
