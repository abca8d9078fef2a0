"""What every part that delivers is given from outside."""

from dataclasses import dataclass, field

from infra.local.counters import Counters
from infra.local.delivery.payloads import Bare, Payloads
from infra.local.faults import Faults
from infra.local.storage.engine import Engine
from infra.local.wire import Tokens, Transport
from shared.ports.ambient import Clock, Entropy, Ids


@dataclass(frozen=True, slots=True)
class DeliveryParts:
    """Storage, time, chance, names, a way to call and a way to be recognised."""

    project: str
    engine: Engine
    clock: Clock
    entropy: Entropy
    ids: Ids
    transport: Transport
    tokens: Tokens
    faults: Faults
    counters: Counters
    payloads: Payloads = field(default_factory=Bare)
