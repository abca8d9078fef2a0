"""The key system's end of a FIAS link, as a state table: records in, records out, no wire.

1. The hotel's software begins with LS. We answer LD (who we are), an LR for each record we take, and LA.
2. Its LA makes the link alive. From then on its requests are passed on, and our answers go back.
3. LE, or the end of the line, makes it dead; what was asked before is not answered on a later link,
   because the other end has long since shown its clerk a failure and never asks again by itself.
4. Where it does not begin, we ask for it with LS, at most once in five minutes.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import Enum
from typing import Final

from edge_agent.hardware.property_systems.fias import (
    AnswerStatus,
    KeyRequest,
    Record,
    RecordRefused,
    key_request,
)

PROBE_EVERY: Final = timedelta(minutes=5)
LAYOUT: Final[Mapping[str, str]] = {
    "KR": "RNKCKTG#GAGDDTKOSIWSK#",
    "KM": "RNKCROG#GAGDDTKOSIWS",
    "KD": "RNKCG#WS",
    "KZ": "KCWS",
    "KA": "WSKCASG#",
}
"""The fields of each record that we take or send, as LR tells them."""


class LinkState(Enum):
    """Where a link stands."""

    DOWN = "down"
    DESCRIBED = "described"
    ALIVE = "alive"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that has come in: answer it by its number."""

    number: int
    request: KeyRequest


@dataclass
class FiasKeySystem:
    """One link; it is told what came and what time it is, and says what to send."""

    version: str = "1.0"
    state: LinkState = LinkState.DOWN
    _waiting: dict[int, KeyRequest] = field(default_factory=dict)
    _numbers: int = 0
    _probed: datetime | None = None

    def heard(self, data: bytes, now: datetime) -> tuple[list[Record], list[Asked]]:
        """Take a record's bytes; return what to send, and what is asked of the desk."""
        try:
            record = Record.parse(data)
            reaction = self._reactions.get(record.type)
            return reaction(self, record, now) if reaction else ([], self._asked(record))
        except RecordRefused:
            return self._refused(data), []

    def answer(self, number: int, status: AnswerStatus) -> list[Record]:
        """Answer a request; one of an earlier link, or one already answered, is let go."""
        request = self._waiting.pop(number, None)
        return [] if request is None or self.state is not LinkState.ALIVE else [request.answer(status)]

    def probe(self, now: datetime) -> list[Record]:
        """Ask for the link to begin, if it is down and we have not just asked."""
        if self.state is not LinkState.DOWN or (self._probed and now - self._probed < PROBE_EVERY):
            return []
        self._probed = now
        return [stamped("LS", now)]

    def lost(self) -> None:
        """Hear that the line is gone."""
        self.state = LinkState.DOWN
        self._waiting.clear()

    def _started(self, _: Record, now: datetime) -> tuple[list[Record], list[Asked]]:
        self.lost()
        self.state = LinkState.DESCRIBED
        description = Record("LD", (*stamped("LD", now).fields, ("V#", self.version), ("IF", "KE")))
        layouts = [Record("LR", (("RI", kind), ("FL", fields))) for kind, fields in LAYOUT.items()]
        return [description, *layouts, stamped("LA", now)], []

    def _alive(self, _: Record, now: datetime) -> tuple[list[Record], list[Asked]]:
        if self.state is LinkState.DOWN:
            return self.probe(now), []
        # An alive link asks with LA whether we are there still, and is told so in the same way.
        was_alive, self.state = self.state is LinkState.ALIVE, LinkState.ALIVE
        return [stamped("LA", now)] if was_alive else [], []

    def _ended(self, _: Record, __: datetime) -> tuple[list[Record], list[Asked]]:
        self.lost()
        return [], []

    def _described(self, _: Record, __: datetime) -> tuple[list[Record], list[Asked]]:
        return [], []

    def _asked(self, record: Record) -> list[Asked]:
        if self.state is not LinkState.ALIVE:
            return []
        request = key_request(record)
        self._numbers += 1
        self._waiting[self._numbers] = request
        return [Asked(self._numbers, request)]

    def _refused(self, data: bytes) -> list[Record]:
        """Answer a request that cannot be read, as far as it says who asked; anything else is passed over."""
        if self.state is not LinkState.ALIVE or data[:2] not in (b"KR", b"KM", b"KD", b"KZ"):
            return []
        fields = (part for part in data.decode("latin-1").split("|")[1:])
        kept = {field[:2]: field[2:] for field in fields if field[:2] in ("WS", "KC", "G#")}
        order = (("WS", kept.get("WS")), ("KC", kept.get("KC")), ("AS", "DN"), ("G#", kept.get("G#")))
        return [Record("KA", tuple((name, value) for name, value in order if value))]

    _reactions = {  # noqa: RUF012 - a table of the class, never changed
        "LS": _started,
        "LA": _alive,
        "LE": _ended,
        "LD": _described,
        "LR": _described,
    }


def stamped(kind: str, now: datetime) -> Record:
    """Return a record of the link, dated."""
    return Record(kind, (("DA", f"{now:%y%m%d}"), ("TI", f"{now:%H%M%S}")))
