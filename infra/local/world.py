"""Everything the embedded cloud takes from outside: a real machine's, or a simulation's."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from infra.local.ambient import SystemClock, SystemEntropy
from infra.local.bus.chaos import Calm, Chaos
from infra.local.faults import Faults, NoFaults
from infra.local.home_clock import HomeClock
from infra.local.people import PEOPLE_KEY
from infra.local.sample.account import simulator_address, simulator_port, wing_addresses
from infra.local.transport import Sockets
from infra.local.wire import Transport
from infra.manifest.load import ROOT
from shared.kernel.log import Log
from shared.kernel.spans import Tracing
from shared.ports.ambient import Clock, Entropy
from shared.runtime.tracing import tracing_of
from shared.vendor_kit.guard import GuardPolicy


@dataclass(frozen=True, slots=True)
class FleetConfig:
    """Where a fleet lives and how it is reached."""

    home: Path
    port: int = 8787
    cell: str = "local"
    project: str = "keyfleet-local"
    accept_loss: bool = False
    sample: bool = False
    card_hotel: bool = False
    """Whether the sample's company has a second house, whose cards its desk writes."""
    wings: bool = False
    """Whether the sample hotel has wings whose doors other vendors made."""
    simulator_port: int | None = None
    outbox_port: int | None = None
    """Where the sample hotel's messages to guests are caught; None writes to nobody."""
    doors_anew: bool = False
    """Whether the sample hotel's simulated doors were started just now, and hold nothing."""
    workflows: Path = ROOT / "workflows"

    @property
    def base_url(self) -> str:
        """The address of everything; it never leaves the machine."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def control_url(self) -> str:
        """The address, and the audience, of the control plane."""
        return f"{self.base_url}/_cloud"

    @property
    def simulator_url(self) -> str:
        """The address of the simulator of the sample hotel's locks, where it has its account."""
        return simulator_address(self.simulator_port or simulator_port(self.port))

    @property
    def wing_addresses(self) -> dict[str, str]:
        """The addresses of the simulators of its wings' locks."""
        return wing_addresses(self.simulator_port or simulator_port(self.port))

    @property
    def database(self) -> Path:
        """The one file."""
        return self.home / "fleet.db"

    @property
    def identity_key(self) -> Path:
        """The token issuer's key."""
        return self.home / "identity.key"

    @property
    def people_key(self) -> Path:
        """The key of the issuer of people's tokens; services' tokens are signed with another."""
        return self.home / PEOPLE_KEY

    @property
    def master_key(self) -> Path:
        """The keys of secrets and cipher."""
        return self.home / "master.key"


@dataclass(frozen=True, slots=True)
class World:
    """Time, chance, threads, the network, and what may go wrong."""

    clock: Clock = field(default_factory=SystemClock)
    entropy: Entropy = field(default_factory=SystemEntropy)
    outside: Transport = field(default_factory=Sockets)
    threaded: bool = True
    faults: Faults = field(default_factory=NoFaults)
    chaos: Chaos = field(default_factory=Calm)
    saga_starts: Callable[[], int] = lambda: 1
    guard_policy: GuardPolicy | None = None
    """In place of what vendors declare of their limits."""
    tracing: Tracing | None = None
    log: Log = field(default_factory=lambda: Log("keyfleet", sys.stderr, SystemClock().now))

    @classmethod
    def of(cls, config: FleetConfig) -> Self:
        """Return the real world, by the clock of the fleet's home; that of a sample hotel can be moved."""
        clock, outside, entropy = HomeClock.of(config.home, movable=config.sample), Sockets(), SystemEntropy()
        return cls(
            clock=clock,
            entropy=entropy,
            outside=outside,
            tracing=tracing_of(os.environ, outside, clock, entropy),
            log=Log("keyfleet", sys.stderr, clock.now),
        )
