"""What a lock's list and the ledger say of each other, row by row."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.capabilities import LockCapabilities
from shared.domain.grant import Grant
from shared.domain.grant_lifecycle import (
    Intended,
    Placed,
    Placement,
    RemovalProof,
    Removed,
    Removing,
    Residual,
    Resting,
)
from shared.domain.ids import FindingId, GrantId, KeyCredentialId, LockDeviceId, PropertyId, TenantId
from shared.domain.kinds import KeyCredentialKind, VendorCode
from shared.domain.secret import Secret
from shared.ledger.finding import Finding, FindingEnd, FindingKind
from shared.ledger.grant_record import GrantRecord, Wish
from shared.ledger.key_at_lock import KeyAtLockRecord
from shared.ports.listed_keys import KeyList, ListedKey
from shared.usecases.reconcile.judge_lock import LockView, judged, settlement

NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
END, DAY = NOW + timedelta(days=3), timedelta(days=1)
PIN, CARD = KeyCredentialKind.PIN_CODE, KeyCredentialKind.RFID_CARD
DOOR = LockDeviceId("lck_01KSAMP1E00000000000000101")
ON_LOCK = Placed(Placement.ON_LOCK, NOW)
UNKNOWN, LINGERING, VANISHED, ALTERED = FindingKind
GONE = Removed(NOW, RemovalProof.VENDOR_CONFIRMED)


def grant(state=ON_LOCK, wish=Wish.OPEN, *, stands=True, until=END):
    """Return a grant as the ledger has it."""
    kept = Grant(
        id=GrantId("grt_01KSAMP1E00000000000000001"),
        tenant=TenantId("tnt_silk"),
        property_id=PropertyId("ppt_kabul"),
        credential_id=KeyCredentialId("key_01KSAMP1E00000000000000001"),
        device_id=DOOR,
        rooms=(),
        vendor=VendorCode("ttlock"),
        kind=PIN,
        vendor_key="one",
        capabilities=LockCapabilities(),
        exposure_until=until,
        state=state,
        version=1,
        changed_at=NOW,
    )
    standing = KeyAtLockRecord(NOW, until) if stands else None
    return GrantRecord(kept, NOW, until, wish=wish, standing=standing, version="1")


NAME = grant().grant.vendor_name


def listed(name=NAME, number="7", **changes):
    """Return a key as its vendor lists it."""
    usual = {"kind": PIN, "name": name, "vendor_ref": Secret(number), "valid_from": NOW, "valid_until": END}
    return ListedKey(**{**usual, **changes})


def view(keys=(), before=(), after=None, **more):
    """Return what is known of a lock."""
    after = before if after is None else after
    kinds = more.pop("kinds", frozenset({PIN}))
    return LockView(now=NOW, listed=KeyList(kinds, tuple(keys)), before=before, after=after, **more)


def kinds(seen):
    return [odd.kind for odd in judged(seen).odd]


def finding(kind, **more):
    """Return what was found before."""
    return Finding(
        id=FindingId("fnd_01KSAMP1E00000000000000001"),
        kind=kind,
        property_id=PropertyId("ppt_kabul"),
        vendor=VendorCode("ttlock"),
        device_id=DOOR,
        run="run-1",
        found_at=NOW,
        key_kind=PIN,
        **more,
    )


@pytest.mark.parametrize(
    ("keys", "kept", "odd"),
    [
        ([listed()], [grant()], []),
        ([], [grant()], [VANISHED]),
        ([listed("Cleaner")], [], [UNKNOWN]),
        ([listed("Cleaner")], [grant()], [UNKNOWN, VANISHED]),
        ([listed(valid_until=END + DAY)], [grant()], [ALTERED]),
        ([listed(valid_from=NOW - DAY)], [grant()], [ALTERED]),
        ([listed(valid_until=END + timedelta(seconds=59))], [grant()], []),
        ([listed(resting=True)], [grant()], [ALTERED]),
        ([listed()], [grant(Resting(NOW), Wish.REST)], [LINGERING]),
        ([listed(resting=True)], [grant(Resting(NOW), Wish.REST)], []),
        ([], [grant(Resting(NOW), Wish.REST)], []),
        ([], [grant(until=NOW)], []),
    ],
)
def test_a_list_is_held_against_the_ledger(keys, kept, odd):
    assert kinds(view(keys, kept)) == odd


@pytest.mark.parametrize(
    "kept",
    [
        grant(Intended(), stands=False),
        grant(Removing(NOW), Wish.GONE),
        grant(Residual(NOW, "lock_busy"), Wish.GONE),
        grant(stands=False),
        grant(wish=Wish.REST),
        grant(wish=Wish.LEFT),
        grant(Resting(NOW), Wish.OPEN),
    ],
)
@pytest.mark.parametrize("keys", [[], [listed()]])
def test_what_somebody_works_on_is_not_judged(kept, keys):
    assert kinds(view(keys, [kept])) == []


def test_what_changed_while_the_list_was_read_is_not_judged():
    assert kinds(view([], before=[], after=[grant()])) == []
    assert kinds(view([], before=[grant()], after=[replace(grant(), version="2")])) == []
    assert kinds(view([listed()], before=[], after=[grant(Intended(), stands=False)])) == []


def test_a_key_of_ours_that_is_over_lingers_and_one_that_nobody_made_is_unknown():
    over = {NAME: grant(GONE, Wish.GONE)}
    assert kinds(view([listed()], gone=over)) == [LINGERING]
    assert kinds(view([listed()])) == [UNKNOWN]


def test_a_key_is_known_by_its_number_where_numbers_last():
    numbers = {grant().grant.id: Secret("7")}
    assert kinds(view([listed("Mr Khan")], [grant()], numbers=numbers)) == []
    assert kinds(view([listed("Mr Khan", lasting=False)], [grant()], numbers=numbers)) == [UNKNOWN, VANISHED]
    assert kinds(view([listed("Mr Khan", "8")], [grant()], numbers=numbers)) == [UNKNOWN, VANISHED]


def test_a_list_says_nothing_of_kinds_that_it_does_not_have():
    seen = view([], [grant()], kinds=frozenset({CARD}), known=[finding(UNKNOWN)])
    assert judged(seen).odd == ()
    assert judged(seen).settled == ()
    assert judged(seen).expected == 0


def test_what_was_found_before_is_known_again_and_what_is_odd_no_more_is_settled():
    unknown, lost = finding(UNKNOWN), finding(VANISHED, grant_id=grant().grant.id)
    numbers = {unknown.id: Secret("7")}
    (odd,) = judged(view([listed("Cleaner")], known=[unknown], numbers=numbers)).odd
    assert odd.known == unknown
    (odd,) = judged(view([], [grant()], known=[lost])).odd
    assert odd.known == lost
    assert judged(view([], known=[unknown], numbers=numbers)).settled == (unknown,)
    assert judged(view([listed()], [grant()], known=[lost])).settled == (lost,)


@pytest.mark.parametrize(
    ("found", "kept", "end"),
    [
        (finding(UNKNOWN), [], FindingEnd.GONE),
        (finding(LINGERING, grant_id=grant().grant.id), [], FindingEnd.GONE),
        (finding(VANISHED, grant_id=grant().grant.id), [grant()], FindingEnd.AS_WISHED),
        (
            finding(VANISHED, grant_id=grant().grant.id),
            [grant(Removing(NOW), Wish.GONE)],
            FindingEnd.KEY_ENDED,
        ),
        (finding(ALTERED, grant_id=grant().grant.id), [], FindingEnd.KEY_ENDED),
    ],
)
def test_a_finding_says_how_it_was_settled(found, kept, end):
    assert settlement(found, view([], kept)) is end
