"""What a verb does at the simulator, for the sandbox's API and for the console alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from infra.local.sample.load import read_sample
from infra.local.sandbox.doors import SimulatedDoors
from infra.local.sandbox.verbs import ADDING, BY_NAME, DELETING, At, Verb
from shared.domain.errors import InvalidInput
from shared.domain.kinds import VendorCode
from shared.ports.playground import SimulatedLock
from shared.runtime.problems import NotThere

RECOVER: Final = "recover"


@dataclass(frozen=True, slots=True)
class Playing:
    """The simulated doors as the console plays with them: whatever needs no value, and trying a door."""

    doors: SimulatedDoors

    @property
    def vendor(self) -> VendorCode:
        """Whose locks are simulated beside the sample hotel."""
        return read_sample().vendor()

    @property
    def verbs(self) -> Mapping[str, str]:
        """What may be done, and what that means."""
        plain = {each.name: each.meaning for each in BY_NAME.values() if each.takes is None}
        return {**plain, RECOVER: "Nothing goes wrong any more"}

    async def locks(self) -> Sequence[SimulatedLock]:
        """Return every simulated lock."""
        return [_lock_of(each) for each in (await self.doors.get("state"))["locks"]]

    async def play(self, verb: str, lock: str) -> None:
        """Do one of the verbs."""
        if verb not in self.verbs:
            raise InvalidInput("verb", "not among what may be simulated", "Choose one that is offered")
        if verb == RECOVER:
            await self.doors.delete("faults")
        else:
            await done(BY_NAME[verb], lock, self.doors)

    async def try_with(self, lock: str, given: Mapping[str, str]) -> bool:
        """Try a door."""
        return bool((await self.doors.post(f"doors/{lock}/try", given))["opens"])


async def done(
    verb: Verb, lock: str, doors: SimulatedDoors, *, value: float | None = None, times: int | None = None
) -> None:
    """Do what a verb says at the simulator."""
    match verb.at:
        case At.VENDOR:
            await doors.post("faults", await _rule(verb, times, doors))
        case At.HUB:
            await doors.patch(f"gateways/{await _hub(lock, doors)}", verb.changes)
        case At.LOCK:
            await doors.patch(f"locks/{lock}", _change(verb, value))


def _change(verb: Verb, value: float | None) -> Mapping[str, Any]:
    if verb.takes is None:
        return {_camel(name): at for name, at in verb.changes.items()}
    if value is None:
        raise InvalidInput("value", "missing", f"say the {verb.takes.replace('_', ' ')}")
    if verb.takes == "battery" and not 0 <= value <= 100:
        raise InvalidInput("value", "no percentage", "give 0 to 100")
    return {_camel(verb.takes): int(value) if verb.takes == "battery" else value}


async def _rule(verb: Verb, times: int | None, doors: SimulatedDoors) -> Mapping[str, Any]:
    operation = verb.operation
    if operation in {ADDING, DELETING}:
        operation = (await doors.get("operations"))[operation]
    rule = {"operation": operation, "fault": verb.fault, "times": times or verb.times, "pct": verb.pct}
    return {**{name: at for name, at in rule.items() if at is not None}, "seconds": verb.seconds}


async def _hub(lock: str, doors: SimulatedDoors) -> Any:
    for hub in (await doors.get("state")).get("gateways", ()):
        if lock in {str(each) for each in hub["locks"]}:
            return hub["gatewayId"]
    raise NotThere("a lock without a hub")


def _lock_of(lock: Mapping[str, Any]) -> SimulatedLock:
    listed = lock.get("listed") or {}
    keys = sum(len(each) for each in listed.values() if isinstance(each, list))
    return SimulatedLock(str(lock["lockId"]), keys, lock.get("battery"), lock.get("inReach"))


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))
