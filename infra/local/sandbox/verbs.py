"""What may be simulated: one row a verb, each a change at the simulator's control plane or of the clock.

| at | a verb changes |
|---|---|
| a lock | how it is, through `PATCH locks/{id}`; an attempt at its door, through `doors/{id}/try` |
| its hub | whether the gateway that it hangs at is online, through `PATCH gateways/{id}` |
| the vendor | what goes wrong with calls, through `faults`; `adding`, `deleting` are its own operations |

`seam` names the endpoint of Seam's sandbox that does the same, where there is one.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

ALWAYS: Final = "*"
ADDING, DELETING = "adding", "deleting"


class At(StrEnum):
    """What a verb is about."""

    LOCK = "lock"
    HUB = "hub"
    VENDOR = "vendor"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """Something that may be simulated."""

    name: str
    at: At
    meaning: str
    seam: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Of a lock or a hub: what it is from now on."""
    takes: str | None = None
    """Of a lock: the field that is given as `value`."""
    fault: str | None = None
    operation: str = ALWAYS
    times: int | None = None
    """Of a fault: how often it strikes, unless the caller says; None is until `recover`."""
    pct: float | None = None
    seconds: float = 0


def _lock(name: str, meaning: str, seam: str | None = None, **more: Any) -> Verb:
    return Verb(name=name, at=At.LOCK, meaning=meaning, seam=seam, **more)


def _fault(name: str, meaning: str, fault: str, seam: str | None = None, **more: Any) -> Verb:
    return Verb(name=name, at=At.VENDOR, meaning=meaning, fault=fault, seam=seam, **more)


_ENCODERS: Final = "/acs/encoders/simulate"
VERBS: Final[tuple[Verb, ...]] = (
    _lock(
        "disconnect", "A lock is out of reach", "/devices/simulate/disconnect", changes={"in_reach": False}
    ),
    _lock("connect", "A lock is in reach again", "/devices/simulate/connect", changes={"in_reach": True}),
    _lock("freeze", "A lock's door works no more, whatever is at it", changes={"frozen": True}),
    _lock("thaw", "A frozen lock's door works again", changes={"frozen": False}),
    _lock("battery", "A lock's battery is at so many per cent", takes="battery"),
    _lock("skew", "A lock's clock is so many seconds ahead", takes="skew_seconds"),
    Verb(
        name="hub-disconnect",
        at=At.HUB,
        meaning="The gateway that a lock hangs at is offline",
        seam="/devices/simulate/disconnect_from_hub",
        changes={"online": False},
    ),
    Verb(
        name="hub-connect",
        at=At.HUB,
        meaning="The gateway that a lock hangs at is online again",
        seam="/devices/simulate/connect_to_hub",
        changes={"online": True},
    ),
    Verb(name="hub-busy", at=At.HUB, meaning="The gateway is busy with others", changes={"busy": True}),
    Verb(name="hub-idle", at=At.HUB, meaning="The gateway has time again", changes={"busy": False}),
    _fault(
        "next-encode-fails",
        "The next key, or so many, cannot be made",
        "http_500",
        f"{_ENCODERS}/next_credential_encode_will_fail",
        operation=ADDING,
        times=1,
    ),
    _fault(
        "next-removal-fails",
        "The next key, or so many, cannot be taken off its lock",
        "http_500",
        operation=DELETING,
        times=1,
    ),
    _fault(
        "answers-lost",
        "Keys are made, and nobody hears of it",
        "timeout_after_success",
        operation=ADDING,
        times=1,
    ),
    _fault("outage", "The vendor is down", "http_502"),
    _fault("unreachable", "The vendor hangs up on whoever calls", "drop"),
    _fault("rate-limit", "The vendor has had enough of our calls", "http_429", times=5),
    _fault("forbidden", "The vendor knows our account no more", "http_403"),
    _fault("garbled", "The vendor's answers break off in the middle", "truncated", times=3),
    _fault("slow", "The vendor takes five seconds for each call", "slow", seconds=5),
    _fault("storm", "A third of all calls goes wrong, at random", "http_500", pct=33),
)
BY_NAME: Final = {each.name: each for each in VERBS}
OTHERS: Final[Mapping[str, tuple[str, str | None]]] = {
    "locks/{deviceId}/try": (
        "Somebody types a PIN, or holds a card, at a door",
        "/locks/simulate/keypad_code_entry",
    ),
    "vendor/recover": ("Nothing goes wrong any more", f"{_ENCODERS}/next_credential_encode_will_succeed"),
    "vendor/callbacks": ("The vendor's callbacks that wait are sent now", None),
    "clock/advance": ("Time goes on for the fleet and its doors", None),
    "stays/{reservationId}/travel": ("Time goes on to a moment of a stay", None),
    "reset": ("The simulated doors are as new, and empty", "/workspaces/reset_sandbox"),
}
"""What is no row above, by its path: its meaning, and Seam's."""
