"""Every query that is asked: what stores are opened with, and what Terraform creates."""

from shared.ledger import indexes
from shared.ledger.day_figures import FIGURES_AT
from shared.ports.documents import Index
from shared.queries.boards import ARRIVED_AT, TASKS_ON
from shared.queries.vendor_health import BREAKERS
from shared.usecases.backoffice.inbox import ALERTS_AT, SUGGESTIONS_AT
from shared.usecases.backoffice.sessions import DUE_SESSIONS, OPEN_OF
from shared.usecases.telemetry.keep import NEWEST_TOLD
from shared.usecases.telemetry.untold import DUE_TELEMETRY
from shared.vendor_kit.calm.health_stream import DUE_BREAKERS
from shared.vendor_kit.desk_jobs import OPEN_AT_DESK
from shared.vendor_kit.written_cards import MADE_AT_DOOR, NEWEST_AT_DESK

_OF_DESKS = (OPEN_AT_DESK, MADE_AT_DOOR, NEWEST_AT_DESK)
_OF_BACKOFFICE = (
    ARRIVED_AT,
    ALERTS_AT,
    BREAKERS,
    DUE_SESSIONS,
    FIGURES_AT,
    OPEN_OF,
    SUGGESTIONS_AT,
    TASKS_ON,
)
_OF_TELEMETRY = (DUE_TELEMETRY, NEWEST_TOLD)
_OF_LEDGER = (each for each in vars(indexes).values() if isinstance(each, Index))
INDEXES: tuple[Index, ...] = tuple(
    sorted(
        (DUE_BREAKERS, *_OF_BACKOFFICE, *_OF_TELEMETRY, *_OF_DESKS, *_OF_LEDGER), key=lambda each: each.name
    )
)
