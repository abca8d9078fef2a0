"""What a listener is told of an event: its public fields, and nothing that stands for a secret."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Self

import orjson

from shared.domain.errors import InvalidInput
from shared.domain.ids import EventId
from shared.domain.instants import instant_to_text

LEFT_OUT: Final = frozenset({"artifact"})
"""Of an event's data, however deep: what a key's handle stands for, services of ours alone redeem (0030)."""
CHALLENGE: Final = "keyfleet.webhook.challenge"
"""What a listener is sent to prove that its owner reads it; no event of the catalogue."""


@dataclass(frozen=True, slots=True)
class Told:
    """An event as it came over the bus, read as far as listeners need it."""

    id: EventId
    subject: str
    tenant: str
    time: str
    data: Mapping[str, Any]
    stream: str = ""
    sequence: int | None = None

    @classmethod
    def of(cls, raw: bytes, attributes: Mapping[str, str], stream: str) -> Self:
        """Read a message of ours, or refuse what is none."""
        try:
            event = orjson.loads(raw)
            id_, subject, tenant = EventId(event["id"]), event["subject"], event["tenantId"]
            time, data = event["time"], event["data"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            raise InvalidInput("event", "no event of ours", "publish it through the outbox") from None
        number = attributes.get("sequence", "")
        return cls(id_, subject, tenant, time, data, stream, int(number) if number.isdecimal() else None)

    @property
    def property_id(self) -> str | None:
        """The property that it is about, if it is about one."""
        return self.data.get("propertyId")

    def payload(self) -> str:
        """Return what is sent, the same however often: ids, states and times."""
        data = _public(self.data)
        where = {"stream": self.stream, "sequence": self.sequence}
        body = {"type": self.subject, "timestamp": self.time, "data": data, "tenantId": self.tenant}
        return orjson.dumps({**body, **{name: at for name, at in where.items() if at}}).decode()


def challenge_of(event: EventId, tenant: str, challenge: str, at: datetime) -> Told:
    """Return what a new listener is sent."""
    return Told(event, CHALLENGE, tenant, instant_to_text(at), {"challenge": challenge})


def _public(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _public(at) for name, at in value.items() if name not in LEFT_OUT}
    return [_public(each) for each in value] if isinstance(value, list) else value
