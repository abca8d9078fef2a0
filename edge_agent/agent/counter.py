"""What a clerk orders of the cloud at a desk that is in touch; what is to be written of it comes as a job."""

import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from zoneinfo import ZoneInfo

from edge_agent.cloud.line import CloudLine, CloudRefused, CloudSilent
from edge_agent.console.desk_port import ClerkProblem, Done
from edge_agent.ledger.ledger import DeskLedger, LedgerDoor
from shared.domain.instants import instant_from_text, instant_to_text
from shared.offline.arrivals import ExpectedStay
from shared.ports.ambient import Clock, Entropy

ORDERS: Final = "/edge/v1/orders"
KNOWN: Final = frozenset({"not_permitted", "not_once"})
LONGEST: Final = timedelta(days=90)
UNANSWERED: Final = "unanswered_orders"
MEANT_FOR: Final = timedelta(hours=1)
"""So long an order that is given again means the one that got no answer."""
ID_BYTES: Final = 16


@dataclass(frozen=True, slots=True)
class Counter:
    """Passes orders on, each under an id that it keeps to until the cloud has answered."""

    line: CloudLine
    ledger: LedgerDoor
    clock: Clock
    entropy: Entropy

    async def order(self, do: str, user: str, reservation: str, until: datetime | None = None) -> Done:
        """Order something for a stay; raise ClerkProblem where the cloud is silent, or says no."""
        body: dict[str, Any] = {"do": do, "by": user, "reservation": reservation}
        body |= {} if until is None else {"until": instant_to_text(until)}
        what = f"{do} {reservation} {body.get('until', '')}"
        try:
            await self.line.ask(ORDERS, {**body, "id": await self._id_of(what)})
        except CloudSilent:
            raise ClerkProblem("needs_cloud") from None
        except CloudRefused as refusal:
            await self.ledger.run(partial(_answered, what))
            raise ClerkProblem(refusal.problem if refusal.problem in KNOWN else "not_now") from None
        await self.ledger.run(partial(_answered, what))
        return Done(f"{do}_ordered", reservation, until)

    async def _id_of(self, what: str) -> str:
        """Return the id of an order that got no answer lately, or a new one, written down."""
        now, drawn = self.clock.now(), self.entropy.token(ID_BYTES).hex()
        return await self.ledger.run(partial(_kept_id, what, drawn, now))


def _kept_id(what: str, drawn: str, now: datetime, ledger: DeskLedger) -> str:
    known = _unanswered(ledger).items()
    kept = {name: said for name, said in known if instant_from_text(said["at"], "at") > now - MEANT_FOR}
    id_ = kept.setdefault(what, {"id": drawn, "at": instant_to_text(now)})["id"]
    ledger.settings.put(**{UNANSWERED: json.dumps(kept)})
    return id_


def _answered(what: str, ledger: DeskLedger) -> None:
    left = {name: said for name, said in _unanswered(ledger).items() if name != what}
    ledger.settings.put(**{UNANSWERED: json.dumps(left)})


def _unanswered(ledger: DeskLedger) -> dict[str, dict[str, str]]:
    kept: dict[str, dict[str, str]] = json.loads(ledger.settings.get(UNANSWERED) or "{}")
    return kept


def new_end(stay: ExpectedStay, day: str, zone: str) -> datetime:
    """Return a stay's end on another day, at its hour; raise ClerkProblem for no later one."""
    ends = stay.window.end.astimezone(ZoneInfo(zone))
    try:
        chosen = datetime.fromisoformat(day)
        until = ends.replace(year=chosen.year, month=chosen.month, day=chosen.day)
    except ValueError:
        raise ClerkProblem("day_unclear") from None
    if not ends < until <= ends + LONGEST:
        raise ClerkProblem("day_unclear")
    return until
