"""What a tenant's own booking service asks for the guests whom it has signed in (A §10.3).

It may do so with a service account that has `lock.guest.serve`, which no person has. Whatever it may not have
is answered as if it were not there.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, Final, Literal

from pydantic import Field, SecretStr

from shared.domain.ids import ReservationId, credential_id
from shared.domain.permissions import Permission
from shared.domain.secret import Secret
from shared.events.wire import ExchangeRef, Maybe, Published
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.guests.keep_device import Device, keep_device
from shared.usecases.guests.redeem_artifact import (
    Redemption,
    begin_session,
    key_at,
    redeem,
    stay_of,
)
from shared.usecases.guests.services import GuestServices, NothingGiven
from shared.usecases.guests.shown_keys import ShownKey


class SessionBegun(Published):
    """A session of one stay, to be kept by the guest's own device; shown once."""

    session: str
    expires_at: datetime


class ArtifactWanted(Published):
    """The handle that the key's `issued` event told, and the session of its guest."""

    opaque_ref: ExchangeRef
    session: SecretStr = Field(min_length=1, max_length=64)


class ArtifactGiven(Published):
    """What opens the doors: for this guest's device, and to be kept nowhere else."""

    kind: Literal["mobile_app", "pin_code", "rfid_card", "qr_code", "nfc_tag"]
    valid_from: datetime
    valid_until: datetime
    doors: tuple[str, ...]
    value: Maybe[str] = None
    """None of a card, which waits at the desk."""


class DeviceTold(Published):
    """Where the guest's app takes pushes: an installation's id, or a token of an older app."""

    address_kind: Literal["fid", "token"]
    address: SecretStr = Field(min_length=1, max_length=4096)


class DeviceKept(Published):
    """That it is kept, and until when."""

    expires_at: datetime


@asynccontextmanager
async def _nothing_told() -> AsyncIterator[None]:
    try:
        yield
    except NothingGiven:
        raise NotThere("nothing to give") from None


async def begin_guest_session(asked: Asked, on: Platform) -> SessionBegun:
    """Begin a session for the guest of a stay."""
    services, stay = GuestServices.on(on), ReservationId(asked.ids["reservationId"])
    async with _nothing_told():
        booked = await stay_of(asked.principal.tenant, stay, services)
        asked.at(booked.property_id)
        session, until = await begin_session(asked.principal.tenant, stay, booked, services)
    return SessionBegun(session=session.reveal(), expires_at=until)


async def register_device(asked: Asked, on: Platform) -> DeviceKept:
    """Keep where the guest's app takes pushes, in place of what was kept before."""
    services, stay = GuestServices.on(on), ReservationId(asked.ids["reservationId"])
    async with _nothing_told():
        booked = await stay_of(asked.principal.tenant, stay, services)
    asked.at(booked.property_id)
    told: DeviceTold = asked.body
    address = Secret(told.address.get_secret_value())
    device = Device(told.address_kind, address)
    await keep_device(asked.principal.tenant, stay, device, booked.end, services)
    return DeviceKept(expires_at=booked.end)


async def redeem_artifact(asked: Asked, on: Platform) -> ArtifactGiven:
    """Give what a handle stands for, once."""
    services, wanted = GuestServices.on(on), asked.body
    key = credential_id(asked.ids["keyCredentialId"])
    async with _nothing_told():
        entry, place = await key_at(asked.principal.tenant, key, services)
        asked.at(place)
        told = Secret(wanted.session.get_secret_value())
        asking = Redemption(asked.principal.tenant, key, Secret(wanted.opaque_ref), told)
        return _given(await redeem(asking, entry, services))


def _given(shown: ShownKey) -> ArtifactGiven:
    told: dict[str, Any] = {"valid_from": shown.window.start, "valid_until": shown.window.end}
    value = None if shown.secret is None else shown.secret.reveal()
    return ArtifactGiven(kind=shown.kind.value, doors=shown.doors, value=value, **told)


ROUTES: Final = (
    Route(
        method="POST",
        path="/guest/v1/reservations/{reservationId}/sessions",
        summary="A session for the guest of a stay",
        use_case=begin_guest_session,
        answer=SessionBegun,
        permission=Permission.GUEST_SERVE,
        status=201,
        remembered=False,
    ),
    Route(
        method="POST",
        path="/guest/v1/reservations/{reservationId}/devices",
        summary="Where the app of a stay's guest takes pushes",
        use_case=register_device,
        request=DeviceTold,
        answer=DeviceKept,
        permission=Permission.GUEST_SERVE,
    ),
    Route(
        method="POST",
        path="/guest/v1/keys/{keyCredentialId}/artifact",
        summary="What a key's handle stands for, once",
        use_case=redeem_artifact,
        request=ArtifactWanted,
        answer=ArtifactGiven,
        permission=Permission.GUEST_SERVE,
        remembered=False,
    ),
)
