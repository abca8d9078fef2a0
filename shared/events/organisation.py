"""What staff, identity and tenant services tell us (B §3; the fields are our consumer contract)."""

from typing import Annotated, Any, Self

from pydantic import AliasChoices, Field, JsonValue, model_validator

from shared.events.wire import (
    ForeignInstant,
    Maybe,
    PropertyId,
    Received,
    RoomId,
    ShiftId,
    TenantId,
    UserId,
    in_order,
)


def _said(*spellings: str) -> Any:
    return Field(validation_alias=AliasChoices(*spellings))


_STAFF = ("staffUserId", "userId")


class Organisational(Received):
    """What all of these have: perhaps a tenant, to be checked against the envelope's."""

    tenant_id: Maybe[TenantId] = None


class ShiftStartedV1(Organisational):
    """Somebody came on duty and gets a master key for the shift; scopes are spelled as in A §12.1."""

    shift_id: ShiftId
    staff_user_id: Annotated[UserId, _said(*_STAFF)]
    property_id: PropertyId
    valid_from: Annotated[ForeignInstant, _said("validFrom", "startsAt")]
    valid_until: Annotated[ForeignInstant, _said("validUntil", "endsAt")]
    role: Maybe[str] = None
    scopes: tuple[str, ...] = ()
    kind: Maybe[str] = None

    @model_validator(mode="after")
    def _ends_after_it_starts(self) -> Self:
        in_order(self.valid_from, self.valid_until)
        return self


class ShiftEndedV1(Organisational):
    """Somebody went off duty."""

    shift_id: ShiftId
    staff_user_id: Annotated[Maybe[UserId], _said(*_STAFF)] = None
    property_id: Maybe[PropertyId] = None


class StaffTask(Organisational):
    """What somebody has to do in a room, or no more: a housekeeping task or a work order as it is now."""

    task_id: Annotated[ShiftId, _said("taskId", "id")]
    property_id: Maybe[PropertyId] = None
    rooms: Annotated[tuple[RoomId, ...], _said("rooms", "roomIds")] = ()
    room: Annotated[Maybe[RoomId], _said("roomId", "room")] = None
    staff_user_id: Annotated[Maybe[UserId], _said("assigneeId", "assignedTo", "assigneeUserId", *_STAFF)] = (
        None
    )
    status: Annotated[Maybe[str], _said("status", "to", "toStatus", "state")] = None

    @property
    def named_rooms(self) -> tuple[str, ...]:
        """The rooms it is in, each once."""
        return tuple(dict.fromkeys((*self.rooms, *(() if self.room is None else (self.room,)))))


class HousekeepingTaskCreatedV1(StaffTask):
    """A room is to be cleaned, or looked after."""


class HousekeepingTaskTransitionedV1(StaffTask):
    """A housekeeping task is somebody else's, or over."""


class WorkOrder(StaffTask):
    """Something to be mended, by the name that maintenance has for it."""

    task_id: Annotated[ShiftId, _said("workOrderId", "workorderId", "taskId", "id")]


class WorkOrderOpenedV1(WorkOrder):
    """Something in a room is to be mended."""


class WorkOrderTransitionedV1(WorkOrder):
    """A work order is somebody else's, or over."""


class UserDeactivatedV1(Organisational):
    """Somebody lost their account, and with it every master key."""

    user_id: UserId


class PropertyDeactivatedV1(Organisational):
    """A property closed; none of its keys may open any more."""

    property_id: PropertyId


class TenantConfigUpdatedV1(Organisational):
    """A tenant changed its settings; the key policy is read anew, and no key moves."""

    property_id: Maybe[PropertyId] = None
    key_kind_policy: Maybe[dict[str, JsonValue]] = None
