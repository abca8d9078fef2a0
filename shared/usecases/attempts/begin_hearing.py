"""A hearing begins, or a look: an execution in which a vendor's adapter asks about a property's doors."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId, PropertyId, TenantId
from shared.domain.kinds import VendorCode
from shared.keywork.verdicts import adapter_of
from shared.ports.sagas import Sagas

WORKFLOW: Final = "hear_doors"
HEAR, LOOK, READ_BACK = "hear", "look", "read_back"


@dataclass(frozen=True, slots=True)
class HearDoors:
    """Whose doors of which vendor; those that webhooks name, or with `poll` all of them.

    A look that names a `lock` asks that one itself, whenever it was asked last.
    """

    tenant: TenantId
    property_id: PropertyId
    vendor: VendorCode
    poll: bool = False
    lock: LockDeviceId | None = None

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Self:
        """Read the command."""
        tenant, hotel = body.get("tenant"), body.get("property")
        poll = body.get("poll", False)
        if not isinstance(poll, bool):
            raise InvalidInput("poll", "neither true nor false", "Leave it out, or say true")
        lock = body.get("lock")
        return cls(
            TenantId.parse(tenant, "tenant"),
            PropertyId.parse(hotel, "property"),
            VendorCode(body.get("vendor")),
            poll,
            None if lock is None else LockDeviceId.parse(lock, "lock"),
        )


async def begin_hearing(command: HearDoors, sagas: Sagas, work: str = HEAR) -> str:
    """Begin it, or a look at the locks; of two at a time, one finds everything kept."""
    return await sagas.start(
        WORKFLOW,
        {
            "tenant": str(command.tenant),
            "property": str(command.property_id),
            "vendor": str(command.vendor),
            "adapter": adapter_of(command.vendor),
            "work": work,
            "poll": command.poll,
            **({} if command.lock is None else {"lock": str(command.lock)}),
        },
    )
