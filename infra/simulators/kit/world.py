"""What a simulator takes from outside: time, chance, waiting, the network, and what shall go wrong."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from random import Random

from infra.simulators.kit.faults import FaultRule
from infra.simulators.kit.plan import Plan

Post = Callable[[str, Mapping[str, str], bytes], Awaitable[tuple[int, bytes]]]
"""Sends headers and a body to a URL and returns status and body; raises OSError when nobody answers."""


@dataclass(frozen=True, slots=True)
class SimWorld:
    """Everything ambient, injected; without a hotel it is the vendor's sample.

    Without an authority, Host and Origin are not checked.
    """

    now: Callable[[], datetime]
    chance: Random
    sleep: Callable[[float], Awaitable[None]]
    faults: tuple[FaultRule, ...] = ()
    post: Post | None = None
    hotel: Plan | None = None
    control_token: str | None = field(default=None, repr=False)
    authority: str | None = None
