"""The fourteen subjects that the backoffice hears (C §15), by who publishes them; stdlib only."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

ROOT: Final = "melmastoon."
_SAID: Final[Mapping[str, tuple[str, ...]]] = {
    "iam-service": ("iam.session.revoked.v1", "iam.user.disabled.v1"),
    "ai-orchestrator-service": ("ai.suggestion.created.v1", "ai.suggestion.invalidated.v1"),
    "alert-service": ("alert.raised.v1", "alert.resolved.v1"),
    "theme-service": ("theme.published.v1",),
    "reservation-service": ("reservation.checked_in.v1", "reservation.checked_out.v1"),
    "housekeeping-service": ("housekeeping.task.created.v1", "housekeeping.task.transitioned.v1"),
    "maintenance-service": ("maintenance.workorder.opened.v1", "maintenance.workorder.transitioned.v1"),
    "tenant-service": ("tenant.operator_role.updated.v1",),
}
HEARD: Final[Mapping[str, str]] = MappingProxyType(
    {ROOT + name: who for who, names in _SAID.items() for name in names}
)
"""C's name of each subject, and its producer."""
ALSO_CALLED: Final[Mapping[str, str]] = MappingProxyType(
    {
        f"{ROOT}iam.user.deactivated.v1": f"{ROOT}iam.user.disabled.v1",
        f"{ROOT}reservation.booking.checked_in.v1": f"{ROOT}reservation.checked_in.v1",
        f"{ROOT}reservation.booking.checked_out.v1": f"{ROOT}reservation.checked_out.v1",
    }
)
"""What B calls three of them (design §5): both are heard."""
