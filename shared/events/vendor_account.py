"""What was done about a vendor's account: replaced, or shown in an emergency. Nothing secret of it."""

from typing import Annotated, Literal

from pydantic import Field

from shared.events.wire import (
    BreakGlassId,
    Count,
    DeedId,
    Instant,
    Maybe,
    OpaqueId,
    PropertyId,
    Published,
    UserId,
    VendorCode,
)


class VendorAccountHandledV1(Published):
    """A step of a rotation or of broken glass; who did it and why stand among the facts that audit keeps."""

    deed_id: DeedId
    deed: Literal[
        "rotation_begun",
        "account_refused",
        "account_taken",
        "account_retired",
        "glass_asked",
        "glass_approved",
        "glass_opened",
        "glass_refused",
        "glass_expired",
        "glass_shown",
        "glass_closed",
    ]
    vendor: VendorCode
    property_id: PropertyId
    turn: Maybe[Count] = None
    break_glass_id: Maybe[BreakGlassId] = None
    incident: Maybe[OpaqueId] = None
    approvers: Annotated[Maybe[tuple[UserId, ...]], Field(max_length=2)] = None
    handled_at: Instant
