"""How a hotel writes to its guests, over HTTP: by which name and number, when, and what it allows.

A hotel without settings of its own writes as its tenant's say; where there are none either, to nobody.
"""

from typing import Annotated, Any, Final, Literal

from pydantic import Field

from functions.lock_api.places import store_of
from shared.domain.colour import OURS
from shared.domain.ids import PropertyId
from shared.domain.permissions import Permission
from shared.events.wire import Flag, Published, text
from shared.queries.hotels import properties
from shared.runtime.asked import Answered, Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.guests.settle_messages import (
    TENANTS,
    drop_settings,
    keep_settings,
    kept_settings,
    shown_settings,
)

Address = Annotated[str, Field(max_length=200)]
Hour = Annotated[int, Field(ge=0, le=23, strict=True)]


class MessageSettingsTold(Published):
    """How it is written to guests; accounts at mail, SMS, push and wallets are secrets, and no part of it."""

    phone: Annotated[str, text(40)]
    link_base: Address
    status_base: Address = ""
    sender: Annotated[str, Field(max_length=80)] = ""
    locale: Literal["ps", "fa-AF", "ar", "en", "fr"] = "en"
    sms: Flag = True
    push: Flag = True
    quiet_from: Hour = 22
    quiet_until: Hour = 7
    push_seconds: Annotated[int, Field(ge=10, le=3600, strict=True)] = 60
    renews_codes: Flag = False
    wallets: Annotated[tuple[Literal["apple", "google"], ...], Field(max_length=2)] = ()
    code_on_cards: Flag = False
    colour: Annotated[str, Field(pattern="^#[0-9a-f]{6}$")] = OURS


class Dropped(Published):
    """Whose settings are gone."""

    place: str


async def _place(asked: Asked, on: Platform) -> str:
    """Return whose settings are asked about: a property's that there is, or the tenant's."""
    if "propertyId" not in asked.ids:
        return TENANTS
    place = PropertyId(asked.ids["propertyId"])
    if place not in await properties(store_of(asked, on)):
        raise NotThere("no such property")
    return place


async def get_message_settings(asked: Asked, on: Platform) -> Answered:
    """Return settings that a hotel, or the tenant, has of its own."""
    kept = await kept_settings(await _place(asked, on), store_of(asked, on))
    if kept is None:
        raise NotThere("no settings of its own")
    return Answered(MessageSettingsTold.model_validate(shown_settings(kept)), version=kept.version)


async def put_message_settings(asked: Asked, on: Platform) -> Answered:
    """Keep settings whole; those that there are, only if they are as the caller saw them."""
    place, store = await _place(asked, on), store_of(asked, on)
    before = await kept_settings(place, store)
    if before is not None:
        asked.expects(before.version or "")
    told: dict[str, Any] = asked.body.model_dump()
    after = await keep_settings(place, told, None if before is None else before.version, store)
    on.log.info("how a hotel writes to its guests was changed", place=place, by=asked.by, tenant=store.tenant)
    return Answered(MessageSettingsTold.model_validate(shown_settings(after)), version=after.version)


async def delete_message_settings(asked: Asked, on: Platform) -> Dropped:
    """Take away a hotel's own settings, or the tenant's."""
    place, store = await _place(asked, on), store_of(asked, on)
    before = await kept_settings(place, store)
    if before is None:
        raise NotThere("no settings of its own")
    asked.expects(before.version or "")
    await drop_settings(before, store)
    on.log.info("how a hotel writes to its guests was dropped", place=place, by=asked.by, tenant=store.tenant)
    return Dropped(place=place)


def _routes(path: str, whose: str, rights: tuple[Permission, Permission], of: str) -> tuple[Route, ...]:
    read, write = rights
    return (
        Route(
            method="GET",
            path=path,
            summary=f"How {whose} writes to guests",
            use_case=get_message_settings,
            name=f"get_{of}_message_settings",
            answer=MessageSettingsTold,
            permission=read,
        ),
        Route(
            method="PUT",
            path=path,
            summary=f"Change how {whose} writes to guests",
            use_case=put_message_settings,
            name=f"put_{of}_message_settings",
            request=MessageSettingsTold,
            answer=MessageSettingsTold,
            permission=write,
            guarded=True,
        ),
        Route(
            method="DELETE",
            path=path,
            summary=f"Drop how {whose} writes to guests",
            use_case=delete_message_settings,
            name=f"delete_{of}_message_settings",
            answer=Dropped,
            permission=write,
            guarded=True,
        ),
    )


_OF_HOTEL: Final = "/lock/v1/properties/{propertyId}/message-settings"
ROUTES: Final = (
    *_routes(_OF_HOTEL, "a hotel", (Permission.HOTEL_READ, Permission.HOTEL_WRITE), "hotel"),
    *_routes(
        "/lock/v1/message-settings",
        "every hotel without settings of its own",
        (Permission.TENANT_READ, Permission.TENANT_WRITE),
        "company",
    ),
)
