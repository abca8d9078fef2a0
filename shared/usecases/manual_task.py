"""A key that could not be made is a task for somebody at the desk; the booking stays as it is."""

from collections.abc import Sequence
from typing import Final

from shared.domain.core import Guest
from shared.domain.instants import instant_to_text
from shared.domain.states import Failed
from shared.ledger.entry import Entry
from shared.ledger.ledger import Change
from shared.ports.documents import Create, Ref

MANUAL_TASKS: Final = "manual_tasks"
SCHEMA_VERSION: Final = 1


def manual_tasks(changes: Sequence[Change]) -> list[Create]:
    """Return the tasks of those keys that failed."""
    return [_task(each.entry) for each in changes if isinstance(each.entry.credential.state, Failed)]


def _task(entry: Entry) -> Create:
    core, state = entry.credential.core, entry.credential.state
    assert isinstance(state, Failed)  # noqa: S101 - only failed keys come here
    data = {
        "schema_version": SCHEMA_VERSION,
        "credential_id": str(core.id),
        "property_id": str(core.property_id),
        "reservation_id": core.holder.reservation_id if isinstance(core.holder, Guest) else None,
        "rooms": [str(room) for room in core.rooms],
        "reason": state.reason.value,
        "raised_at": instant_to_text(state.failed_at),
    }
    return Create(Ref(MANUAL_TASKS, core.id), data)
