"""The platform a function runs on: bound once by the host, found by every handler."""

import os
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from shared.kernel.identity import TokenChecker
from shared.kernel.log import Log
from shared.ports import bus

if TYPE_CHECKING:  # not every function needs them at its start
    from shared.kernel.people import SignIn
    from shared.kernel.spans import Tracing
    from shared.ledger.hotel_directory import HotelDirectory
    from shared.ports.ambient import Clock, Entropy, Ids
    from shared.ports.bus import EventBus
    from shared.ports.dead_letters import DeadLetters
    from shared.ports.documents import DocumentStore
    from shared.ports.executions import Executions
    from shared.ports.leases import Leases
    from shared.ports.nudges import Nudges
    from shared.ports.objects import Objects
    from shared.ports.sagas import Sagas
    from shared.ports.schedules import Schedules
    from shared.ports.tasks import TaskQueue
    from shared.ports.vault import Cipher, Secrets
    from shared.vendor_kit.guard import Guards
    from shared.vendor_kit.http import Http

QUARANTINE_TOPIC = bus.QUARANTINE_TOPIC


class PlatformUnbound(RuntimeError):
    """A handler ran before anybody bound a platform."""


@dataclass(frozen=True, slots=True)
class Platform:
    """Every port, and what the handlers need to know of where they are."""

    cell: str
    documents: "DocumentStore"
    sealed: "DocumentStore"
    bus: "EventBus"
    tasks: "TaskQueue"
    sagas: "Sagas"
    secrets: "Secrets"
    cipher: "Cipher"
    leases: "Leases"
    clock: "Clock"
    entropy: "Entropy"
    ids: "Ids"
    tokens: TokenChecker
    log: Log
    http: "Http"
    guards: "Guards"
    dead_letters: "DeadLetters"
    executions: "Executions"
    schedules: "Schedules"
    objects: "Objects"
    nudges: "Nudges"
    outward: "Http"
    """Calls to addresses that tenants name: apart from the vendors', and to the public network alone."""
    sign_in: "SignIn | None" = None
    """How people sign in; None lets nobody."""
    tracing: "Tracing | None" = None
    """Who records what a request does; None records nothing."""
    sandbox: bool = False
    """Whether this is somebody's playground: a sample hotel, a clock that can be moved, no guest in it."""
    kept: dict[str, Any] = field(default_factory=dict, repr=False)
    """What a function keeps from one request to the next, by its own name."""

    @property
    def hotels(self) -> "HotelDirectory":
        """What is known of the hotels; loaded with the first question, not at a function's start."""
        if "hotels" not in self.kept:
            from shared.ledger.hotel_directory import HotelDirectory

            self.kept["hotels"] = HotelDirectory(self.documents, self.cell, self.clock.now)
        hotels: HotelDirectory = self.kept["hotels"]
        return hotels


ALLOWED_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Deployed:
    """The deployable a request is for, as its descriptor says."""

    name: str
    audience: str
    public: bool = False
    people: bool = False
    """Whether people and their programs call, with tokens and keys of their own."""
    callers: frozenset[str] = field(default_factory=frozenset)
    opens: frozenset[str] = field(default_factory=frozenset)
    seals: frozenset[str] = field(default_factory=frozenset)
    roles: frozenset[str] = field(default_factory=frozenset)
    secrets: tuple[str, ...] = ()
    timeout: float = ALLOWED_SECONDS
    """Its handler ends by itself by then: elsewhere only the caller is told, and the work goes on unseen."""
    build: str = "local"
    """What it was built of."""


deployed: ContextVar[Deployed] = ContextVar("deployed")
"""Set by the host around each request; on Google Cloud, by the environment of the one function there is."""

_bound: list[Platform] = []
_alone: list[Deployed] = []
_MARKS = ("K_SERVICE", "FUNCTION_TARGET")
"""What Google Cloud sets in the environment of a function."""


def bind(platform: Platform) -> None:
    """Make this the platform of the process; a later call replaces it."""
    _bound[:] = [platform]


def platform() -> Platform:
    """Return the bound platform; on Google Cloud, its own, where nobody bound another."""
    if not _bound:
        _need_google()
        from shared.runtime.google import platform_of_environment

        bind(platform_of_environment(os.environ))
    return _bound[0]


def this_function() -> Deployed:
    """Return the deployable this request is for: the host's choice, or the only one of the process."""
    chosen = deployed.get(None)
    if chosen is not None:
        return chosen
    if not _alone:
        _need_google()
        from shared.runtime.google import deployed_of_environment

        _alone.append(deployed_of_environment(os.environ))
    return _alone[0]


def _need_google() -> None:
    if not any(mark in os.environ for mark in _MARKS):
        raise PlatformUnbound("no platform is bound: start the function through its host")
