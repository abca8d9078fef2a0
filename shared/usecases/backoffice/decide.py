"""An operator decides a suggestion or takes an alert on: saved in one commit with what is told of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from shared.domain.ids import PropertyId
from shared.events.backoffice.boundary import their_property
from shared.keywork.services import retry_on_conflict
from shared.ports.documents import TenantDocuments, Write
from shared.usecases.backoffice.feed import feed_of
from shared.usecases.backoffice.inbox import ALERTS, SUGGESTIONS, Waiting, waiting_of
from shared.usecases.backoffice.sessions import Session
from shared.usecases.backoffice.sign_in import doing_of
from shared.usecases.telemetry.tell import Doing, Teller
from shared.usecases.telemetry.untold import Untold, kept

REMOVED: Final[Mapping[str, str]] = {SUGGESTIONS: "ai.removed", ALERTS: "alerts.acknowledged"}
ACKNOWLEDGED: Final = "acknowledged"


class NobodyWaits(Exception):
    """There is no such entry, or it is gone."""


class DecidedAlready(Exception):
    """Somebody was faster, or the entry was decided otherwise before."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What an operator says to an entry; of notes only that there are some."""

    kind: str
    about: str
    outcome: str
    notes_present: bool
    delta: Mapping[str, Any] | None
    request: str
    trace: str = ""


async def decide(
    decision: Decision, house: PropertyId, session: Session, store: TenantDocuments, teller: Teller
) -> Waiting:
    """Decide an entry, once: the same word of the same person again changes nothing."""

    async def save() -> tuple[Waiting, list[Untold]]:
        waits = await _open(decision, session, store)
        if waits.done_at is not None:
            return waits, []
        taken = waits.taken(session.operator, decision.outcome, teller.clock.now())
        at = taken.done_at or teller.clock.now()
        doing = doing_of(session, store.tenant, decision.request, at, trace=decision.trace, property_id=house)
        event, payload = _TOLD[decision.kind](decision, taken, house, doing)
        told = await teller.drawn(event, doing, **payload)
        feed = (await feed_of(house, store)).told(REMOVED[decision.kind], taken.id, at)
        writes: list[Write] = [taken.write(), feed.write(), *kept(told)]
        await store.commit(writes)
        return taken, told

    taken, told = await retry_on_conflict(save)
    await teller.tell(told)
    return taken


async def _open(decision: Decision, session: Session, store: TenantDocuments) -> Waiting:
    waits = await waiting_of(decision.kind, decision.about, store)
    if waits is None or waits.gone_at is not None:
        raise NobodyWaits("the entry is not there, or is gone")
    if waits.done_at is not None and (waits.by, waits.outcome) != (session.operator, decision.outcome):
        raise DecidedAlready("somebody else was faster, or it was decided otherwise")
    return waits


def _since(waits: Waiting, at: datetime) -> int:
    return max(at - waits.since, timedelta(0)) // timedelta(milliseconds=1)


def _who(doing: Doing, house: PropertyId) -> dict[str, Any]:
    return {
        "tenant_id": doing.tenant,
        "property_id": their_property(house),
        "operator_id": doing.operator_id,
        "device_id": doing.device,
    }


def _suggestion(
    decision: Decision, taken: Waiting, house: PropertyId, doing: Doing
) -> tuple[str, dict[str, Any]]:
    source = taken.source
    said = {
        "outcome": decision.outcome,
        "modified_delta": decision.delta,
        "notes_present": decision.notes_present,
    }
    return "ai_suggestion.decided", {
        **_who(doing, house),
        "suggestion_id": taken.about,
        "inbox_entry_id": taken.id,
        "category": taken.category,
        "severity": taken.severity,
        "decision": said,
        "decided_at": doing.occurred_at,
        "ms_since_created": _since(taken, doing.occurred_at),
        "provenance": None if source is None else {name: getattr(source, name) for name in _SOURCE},
    }


def _alert(decision: Decision, taken: Waiting, house: PropertyId, doing: Doing) -> tuple[str, dict[str, Any]]:
    return "alert.acknowledged", {
        **_who(doing, house),
        "alert_id": taken.about,
        "inbox_entry_id": taken.id,
        "category": taken.category,
        "severity": taken.severity,
        "raised_at": taken.since,
        "acknowledged_at": doing.occurred_at,
        "ms_from_raise_to_ack": _since(taken, doing.occurred_at),
        "notes_present": decision.notes_present,
    }


_SOURCE: Final = ("model", "model_version", "prompt_version", "model_class", "signature_fingerprint")
_TOLD: Final = {SUGGESTIONS: _suggestion, ALERTS: _alert}
