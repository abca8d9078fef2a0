"""Keys to test with: one guest, one room, three nights in Kabul."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from shared.domain.commands import (
    Accept,
    Amend,
    Fail,
    HandOver,
    Provision,
    Revoke,
    Suspend,
    Unsuspend,
)
from shared.domain.core import CredentialCore, Guest
from shared.domain.credential import KeyCredential
from shared.domain.ids import GuestId, KeyCredentialId, PropertyId, ReservationId, RoomId, TenantId
from shared.domain.kinds import ClaimKey, FailureReason, KeyCredentialKind, RevokeReason, SuspendReason
from shared.domain.plan import Choice, IssuePlan
from shared.domain.states import Active, Failed, Pending, Requested, Revoked, Suspended
from shared.domain.window import StayWindow
from tests.support.vendors import GENERIC_WIEGAND, TTLOCK

BODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
BOOKED = datetime(2026, 4, 30, 10, 0, tzinfo=UTC)
ARRIVAL = datetime(2026, 5, 1, 9, 30, tzinfo=UTC)


def guest_core(**changes):
    core = CredentialCore(
        id=KeyCredentialId.mint(BODY),
        tenant=TenantId("tnt_silk"),
        property_id=PropertyId("ppt_kabul"),
        holder=Guest(GuestId("gst_1"), ReservationId("rsv_1")),
        rooms=(RoomId("rmu_204"),),
        window=StayWindow(ARRIVAL, ARRIVAL + timedelta(days=3), "Asia/Kabul"),
        plan=IssuePlan(
            (Choice(TTLOCK, KeyCredentialKind.PIN_CODE), Choice(GENERIC_WIEGAND, KeyCredentialKind.RFID_CARD))
        ),
        claim=ClaimKey("sha256:" + "9c" * 32),
    )
    return replace(core, **changes)


COMMANDS = {
    Accept: Accept(at=BOOKED),
    Provision: Provision(at=BOOKED),
    Fail: Fail(at=BOOKED, reason=FailureReason.VENDOR_UNREACHABLE),
    Amend: Amend(at=BOOKED, rooms=(RoomId("rmu_205"),)),
    HandOver: HandOver(
        at=BOOKED,
        holder=Guest(GuestId("gst_1"), ReservationId("rsv_next")),
        claim=ClaimKey("sha256:" + "0" * 64),
    ),
    Suspend: Suspend(at=BOOKED, reason=SuspendReason.NO_SHOW),
    Unsuspend: Unsuspend(at=BOOKED),
    Revoke: Revoke(at=BOOKED, reason=RevokeReason.CHECKOUT),
}
ROADS = {
    Requested: (),
    Pending: (Accept,),
    Active: (Accept, Provision),
    Suspended: (Accept, Provision, Suspend),
    Revoked: (Accept, Provision, Revoke),
    Failed: (Fail,),
}


@pytest.fixture(scope="session")
def make_core():
    """Make a guest's core, changed as asked."""
    return guest_core


@pytest.fixture(scope="session")
def commands():
    """Hold one command of every type."""
    return COMMANDS


@pytest.fixture(scope="session")
def key_in():
    """Bring a key into a state, from its request on."""

    def bring(state, core=None):
        key, _ = KeyCredential.request(core or guest_core(), at=BOOKED)
        for command in ROADS[state]:
            key, _ = key.apply(COMMANDS[command])
        return key

    return bring
