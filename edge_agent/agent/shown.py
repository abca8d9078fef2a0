"""How the desk stands, as a clerk is shown it: who comes, what waits for a card, what a card opens."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from edge_agent.hardware.cards.layout import CardRecord, door_digest
from edge_agent.ledger.desk_tables import WAITING, WRITING, WRITTEN, DeskJobRow
from shared.domain.credential import KeyCredential
from shared.offline.arrivals import ArrivalsPack

READY: Final = {WAITING: "waits", WRITING: "begun", WRITTEN: "issued"}


def arrivals_shown(
    pack: ArrivalsPack, jobs: list[DeskJobRow], keys: list[KeyCredential]
) -> list[Mapping[str, Any]]:
    """Return who comes or is here, those first for whom something is to be done."""
    by_stay = {row.document["reservationId"]: row for row in jobs}
    made = {reservation_of(key): key for key in keys}
    rows = []
    for stay in pack.stays:
        job, key = by_stay.get(stay.reservation), made.get(stay.reservation)
        ready = "made" if key else READY[job.step] if job else "none"
        rows.append(
            {
                "reservation": str(stay.reservation),
                "rooms": _labels(stay.rooms, pack),
                "from": stay.window.start,
                "until": stay.window.end,
                "ready": ready,
                "problem": stay.why_not(),
                "job": None if job is None else job.id,
                "key": None if key is None else str(key.id),
            }
        )
    return sorted(rows, key=lambda row: (row["ready"] in ("made", "issued"), row["from"], row["reservation"]))


def job_shown(row: DeskJobRow, pack: ArrivalsPack | None) -> Mapping[str, Any]:
    """Return a job of the cloud that a card is still to be written for."""
    rooms = _labels(row.document["rooms"], pack) if pack else [*row.document["rooms"]]
    return {
        "job": row.id,
        "reservation": row.document["reservationId"],
        "rooms": rooms,
        "begun": row.step == WRITING,
    }


def _labels(rooms: Iterable[str], pack: ArrivalsPack) -> list[str]:
    known = {str(one.room): one.label for one in pack.rooms}
    return [known.get(str(room), str(room)) for room in rooms]


def labels_on(record: CardRecord, pack: ArrivalsPack | None) -> list[str]:
    """Return which of our rooms a card opens, as people call them."""
    known = {door_digest(str(one.room)): one.label for one in pack.rooms} if pack else {}
    return [known[door] for door in record.doors if door in known]


def reservation_of(key: KeyCredential) -> str:
    """Return whose stay a key is for."""
    return str(getattr(key.core.holder, "reservation_id", ""))
