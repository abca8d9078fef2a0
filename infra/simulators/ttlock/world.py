"""What the simulator takes from outside: time, chance, waiting, the network, and what shall go wrong."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from infra.simulators.ttlock.faults import FaultRule
from infra.simulators.ttlock.hotel import HotelPlan, sample_hotel

Post = Callable[[str, Mapping[str, str]], Awaitable[tuple[int, bytes]]]
"""Sends a form to a URL and returns status and body; raises OSError when nobody answers."""


@dataclass(frozen=True, slots=True)
class SimWorld:
    """Everything ambient, injected; without an authority, Host and Origin are not checked."""

    now: Callable[[], datetime]
    chance: Random
    sleep: Callable[[float], Awaitable[None]]
    faults: tuple[FaultRule, ...] = ()
    post: Post | None = None
    hotel: HotelPlan = field(default_factory=sample_hotel)
    control_token: str | None = field(default=None, repr=False)
    authority: str | None = None
