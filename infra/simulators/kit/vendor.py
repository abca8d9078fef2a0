"""What makes a simulator of the kit one of a certain vendor: the record that each vendor's folder offers."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Generic, Literal, Protocol, Self, TypeVar
from urllib.parse import urlencode

from pydantic import model_validator
from starlette.routing import Route

from infra.simulators.kit.callbacks import Notice
from infra.simulators.kit.cloud import SimulatedCloud
from infra.simulators.kit.door import Door
from infra.simulators.kit.operation import FORM
from infra.simulators.kit.plan import Plan
from infra.simulators.kit.platform import Platform
from infra.simulators.kit.windows import Reason
from infra.simulators.kit.world import SimWorld

C = TypeVar("C", bound=SimulatedCloud)
C_contra = TypeVar("C_contra", bound=SimulatedCloud, contravariant=True)


class Try(Plan):
    """Exactly one thing to try a door with; a cached phone asserts its key without asking the cloud."""

    pin: str | None = None
    card: str | None = None
    ekey: int | str | None = None
    qr: str | None = None
    phone: Literal["honest", "cached"] = "honest"

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if sum(thing is not None for thing in (self.pin, self.card, self.ekey, self.qr)) != 1:
            raise ValueError("give exactly one of pin, card, ekey, qr")
        return self


class Callbacks(Protocol[C_contra]):
    """How a vendor calls back."""

    def wrapped(self, cloud: C_contra, notice: Notice) -> tuple[Mapping[str, str], bytes]:
        """Return headers and body of a callback, signed if the vendor signs."""

    def accepted(self, status: int, body: bytes) -> bool:
        """Say whether the client's answer counts as received."""


class FormCallbacks:
    """Callbacks as unsigned forms, which count as received if the answer is literally this."""

    def __init__(self, answer: bytes) -> None:
        self._answer = answer

    def wrapped(self, _cloud: Any, notice: Notice) -> tuple[Mapping[str, str], bytes]:
        """Return a form."""
        return {"content-type": FORM}, urlencode(notice.form).encode()

    def accepted(self, status: int, body: bytes) -> bool:
        """Say whether the answer is the one that is asked for."""
        return (status, body) == (HTTPStatus.OK, self._answer)


def unchanged(_cloud: Any, _door: Any) -> None:
    """Do nothing after a change at a lock: there is nothing more to it at most vendors."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """A way in which a vendor is asked for keys, as the bench asks: at which address, with which account."""

    address: str
    account: Callable[[str], Mapping[str, str]]
    hotel: Callable[[Sequence[int]], Plan]
    """Makes a hotel of these locks in which any number of calls may be made."""
    budget_ms: float
    """Within which a key is to be made, at the 95th percentile (A §5)."""
    name: str = "cloud"
    kind: str = "pin_code"
    artifact: Callable[[int], str] = "1{:05}".format
    """The PIN, phone or account of a key by its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedVendor(Generic[C]):
    """One vendor: its name, its hotels, its platform, and what its doors make of an attempt."""

    name: str
    plan: type[Plan]
    sample: Callable[[], Plan]
    hotel_of: Callable[[Sequence[int]], Plan]
    """Makes a hotel with these locks, each with a way to it of its own, and the sample's account."""
    account: Callable[[str], Mapping[str, str]]
    """What an integrator is given to use the sample's account at an address: the vendor's own words."""
    secrets: Sequence[str]
    """What of that account opens anything, as a person types it and as it goes over the wire."""
    build: Callable[[SimWorld, Any, int], C]
    platform: Platform[C]
    adding: str
    deleting: str
    """The operations by which a PIN comes to a lock and leaves it, as fault rules call them."""
    offline: str
    """The fault that says that a lock is out of every relay's reach."""
    try_door: Callable[[C, Any, Try], Reason]
    changed: Callable[[C, Any], None] = unchanged
    """Called after a lock's condition was changed by hand."""
    callbacks: Callbacks[C] | None = None
    controls: Sequence[Callable[[Any], Iterable[Route]]] = ()
    """Resources of the control plane that only this vendor has."""
    dialects: Sequence[Dialect] = ()


def try_memory(cloud: SimulatedCloud, door: Door, tried: Try) -> Reason:
    """Try a code or a card that a lock recognises by its own memory and clock, as most locks do."""
    kept, secret = (door.codes, tried.pin) if tried.pin is not None else (door.cards, tried.card)
    written = kept.get(secret or "")
    reason = door.verdict(written, cloud.now_ms())
    if written is not None and reason is Reason.OPEN:
        written.used = True
    return reason
