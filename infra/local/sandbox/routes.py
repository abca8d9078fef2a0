"""The routes of the sandbox: `/sandbox/v1`, a route for each verb of the table, and the clock."""

from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from infra.local.home_clock import HomeClock
from infra.local.sandbox.doors import SimulatedDoors
from infra.local.sandbox.playing import Playing, done
from infra.local.sandbox.verbs import VERBS, At, Verb
from shared.domain.errors import InvalidInput
from shared.domain.ids import LockDeviceId
from shared.domain.permissions import Permission
from shared.events.wire import Flag, Maybe, Published
from shared.ports.documents import Ref
from shared.ports.playground import PLAYGROUND
from shared.queries.found import find_device, find_stay
from shared.queries.hotels import Cell, properties
from shared.queries.stays import shown_stay
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotNow, NotThere, as_state
from shared.runtime.routes import Route

ROOT: Final = "/sandbox/v1"
LONGEST_STEP: Final = timedelta(days=366)
Moment = Literal["before_arrival", "arrival", "middle", "departure", "after"]


class Simulating(Published):
    """How much of it: of a battery or a clock the value, of what goes wrong how often."""

    value: Annotated[Maybe[float], Field(ge=-100_000, le=100_000)] = None
    times: Annotated[Maybe[int], Field(ge=1, le=10_000)] = None


class Simulated(Published):
    """What was done at the simulated doors."""

    verb: str
    at: Literal["lock", "hub", "vendor", "all"]
    lock: Maybe[str] = None


class Trying(Published):
    """A PIN or a card, at a door."""

    pin: Annotated[Maybe[str], Field(pattern="^[0-9]{4,12}$")] = None
    card: Annotated[Maybe[str], Field(pattern="^[0-9A-Za-z]{4,32}$")] = None


class Tried(Published):
    """Whether the door opened, and why it did not."""

    opens: Flag
    reason: str


class Advance(Published):
    """How far time goes on."""

    seconds: Annotated[float, Field(gt=0, le=LONGEST_STEP.total_seconds())]


class Travel(Published):
    """To which moment of a stay time goes on; it never goes back."""

    to: Moment


class Time(Published):
    """What time it is now, at the fleet and its doors."""

    now: str


class LockState(Published):
    """A simulated lock as its vendor has it, but for what opens it."""

    id: str
    battery: Maybe[int] = None
    in_reach: Maybe[bool] = None
    keys: int


class DoorsState(Published):
    """The simulated locks."""

    locks: tuple[LockState, ...]


async def get_state(asked: Asked, on: Platform) -> DoorsState:
    """Return how the simulated locks are, and how many keys each has; never which."""
    await _at_home(asked, on)
    found = await _playing(on).locks()
    return DoorsState(
        locks=tuple(
            LockState(id=each.name, keys=each.keys, battery=each.battery, in_reach=each.in_reach)
            for each in found
        )
    )


async def try_door(asked: Asked, on: Platform) -> Tried:
    """Try a door with a PIN or a card."""
    lock = await _lock(asked, on)
    given = asked.body.model_dump(exclude_none=True)
    if len(given) != 1:
        raise InvalidInput("pin", "not given, or beside a card", "give a PIN or a card")
    return Tried.model_validate(await _doors(on).post(f"doors/{lock}/try", given))


async def recover(asked: Asked, on: Platform) -> Simulated:
    """Have nothing go wrong any more."""
    await _at_home(asked, on)
    await _doors(on).delete("faults")
    return Simulated(verb="recover", at="vendor")


async def send_callbacks(asked: Asked, on: Platform) -> Simulated:
    """Have the vendor's callbacks sent that wait."""
    await _at_home(asked, on)
    await _doors(on).post("callbacks/deliver", {})
    return Simulated(verb="callbacks", at="vendor")


async def reset_doors(asked: Asked, on: Platform) -> Simulated:
    """Empty the simulated doors; the fleet puts back what belongs there."""
    await _at_home(asked, on)
    await _doors(on).post("reset", {})
    return Simulated(verb="reset", at="all")


async def advance_clock(asked: Asked, on: Platform) -> Time:
    """Have time go on for the fleet and its doors."""
    await _at_home(asked, on)
    return await _moved(asked.body.seconds, on)


async def travel_stay(asked: Asked, on: Platform) -> Time:
    """Have time go on to a moment of a stay."""
    stay = asked.ids["reservationId"]
    found = await find_stay(on.documents.tenant(asked.principal.tenant), stay)
    if found is None or found.property_id is None:
        raise NotThere("no such stay")
    asked.at(found.property_id)
    told = await shown_stay(Cell(on.documents, on.cell), stay, asked.principal.tenant)
    step = (_moment(told, asked.body.to) - on.clock.now()).total_seconds()
    if step <= 0:
        raise NotNow("that moment is over: time never goes back, a new sandbox begins anew")
    return await _moved(step, on)


def _moment(told: Mapping[str, Any], to: Moment) -> datetime:
    if told.get("from") is None or told.get("until") is None:
        raise NotNow("nobody has said when the stay is")
    begins, ends = (datetime.fromisoformat(told[name]) for name in ("from", "until"))
    return {
        "before_arrival": begins - timedelta(hours=1),
        "arrival": begins + timedelta(minutes=1),
        "middle": begins + (ends - begins) / 2,
        "departure": ends - timedelta(minutes=1),
        "after": ends + timedelta(hours=1),
    }[to]


async def _moved(seconds: float, on: Platform) -> Time:
    clock = on.clock
    if not isinstance(clock, HomeClock):
        raise NotNow("this fleet goes by another clock")
    with as_state():
        clock.move(seconds)
    await _doors(on).post("clock", {"advanceSeconds": seconds})
    return Time(now=clock.now().isoformat())


def _simulated(verb: Verb) -> Any:
    """Return the use case of a verb."""

    async def use_case(asked: Asked, on: Platform) -> Simulated:
        of_vendor, lock = verb.at is At.VENDOR, ""
        if of_vendor:
            await _at_home(asked, on)
        else:
            lock = await _lock(asked, on)
        await done(verb, lock, _doors(on), value=asked.body.value, times=asked.body.times)
        return Simulated(verb=verb.name, at=verb.at.value, lock=None if of_vendor else asked.ids["deviceId"])

    return use_case


async def _at_home(asked: Asked, on: Platform) -> None:
    """Refuse whoever works at no house here: what happens to the vendor, or to time, happens to all."""
    there, mine = set(await properties(on.documents.tenant(asked.principal.tenant))), asked.where()
    if not (there if mine is None else there & mine):
        raise NotThere("no house of yours is here")


async def _lock(asked: Asked, on: Platform) -> str:
    """Return what the simulator calls a lock, if its caller works where it is."""
    store, device = on.documents.tenant(asked.principal.tenant), asked.ids["deviceId"]
    place = await find_device(store, LockDeviceId(device))
    found = None if place is None else await store.get(Ref("devices", device))
    if place is None or found is None:
        raise NotThere("no such lock")
    asked.at(place)
    if found.data["vendor"] != _playing(on).vendor:
        raise NotNow("this lock's vendor is not the one that is simulated here")
    return str(found.data["vendor_device"])


def _doors(on: Platform) -> SimulatedDoors:
    return _playing(on).doors


def _playing(on: Platform) -> Playing:
    playing: Playing = on.kept[PLAYGROUND]
    return playing


def _of_verbs() -> Iterator[Route]:
    for verb in VERBS:
        at = "vendor" if verb.at is At.VENDOR else "locks/{deviceId}"
        yield _route(f"{at}/{verb.name}", verb.meaning, _simulated(verb), Simulating, Simulated)


def _route(path: str, summary: str, use_case: Any, request: Any, answer: Any) -> Route:
    return Route(
        method="POST",
        path=f"{ROOT}/{path}",
        summary=summary,
        use_case=use_case,
        request=request,
        answer=answer,
        permission=Permission.DEVICE_READ,
    )


ROUTES: Final = (
    Route(
        method="GET",
        path=f"{ROOT}/state",
        summary="How the simulated locks are",
        use_case=get_state,
        answer=DoorsState,
        permission=Permission.DEVICE_READ,
    ),
    *_of_verbs(),
    _route("locks/{deviceId}/try", "Somebody is at a door", try_door, Trying, Tried),
    _route("vendor/recover", "Nothing goes wrong any more", recover, None, Simulated),
    _route("vendor/callbacks", "The vendor's callbacks are sent now", send_callbacks, None, Simulated),
    _route("clock/advance", "Time goes on", advance_clock, Advance, Time),
    _route("stays/{reservationId}/travel", "Time goes on to a moment of a stay", travel_stay, Travel, Time),
    _route("reset", "The simulated doors are as new", reset_doors, None, Simulated),
)
