"""What is kept of vendors beside their accounts, and of the backoffice: turns, circuits, tokens, boards."""

from collections import Counter
from datetime import timedelta
from types import SimpleNamespace

from shared.domain.ids import PropertyId
from shared.domain.secret import Secret
from shared.events.backoffice.catalogue import ROOT, TELEMETRY
from shared.events.backoffice.heard_subjects import ROOT as HEARD_OF
from shared.ports.documents import Ref
from shared.ports.leases import Lease, Waiter
from shared.queries.boards import tasks_on
from shared.queries.quota import shown_quota
from shared.usecases.backoffice.hear import HEARD, HOUSEKEEPING, TASKS, hear
from shared.usecases.telemetry.untold import UNTOLD, Untold, tell_untold
from shared.usecases.upkeep.plan_quota import QUOTA_PLANS, Forecast, _told
from shared.vendor_kit import departures, door_notes, leases, relay_notes, tokens
from shared.vendor_kit.breaker import BreakerPolicy
from shared.vendor_kit.calm import circuit
from shared.vendor_kit.calm.blocks import COLLECTION as RATES
from shared.vendor_kit.calm.blocks import PLATFORM
from shared.vendor_kit.calm.health_stream import HealthStream
from shared.vendor_kit.turns import TurnNotCome
from tests.support.by_hand.world import HOTEL, LOCK, NOW, SILK, Kind

MINUTE = timedelta(minutes=1)
APPLICATION = "ttlock:0123456789abcdef"
WAITER = Waiter("worker-2", 3, NOW, NOW, NOW + MINUTE)
LEASE = Lease(SILK, "token:1", "worker-1", 1, NOW + MINUTE)
OURS = "MM-0a1b2c3d4e5f"
TOKEN = tokens.VendorToken(Secret("access"), Secret("refresh"), NOW + timedelta(days=90))
REACH = {"1000204": relay_notes.Reach("77", -60, NOW), "1000101": relay_notes.Reach(None, 0, NOW)}
CREATED, CHANGED = (f"{HEARD_OF}housekeeping.task.{each}.v1" for each in ("created", "transitioned"))
OF_A_SESSION = TELEMETRY[f"{ROOT}.session.opened.v1"]


def turns(world):
    return leases.DocumentLeases(world.documents, world.clock)


async def taken(world):
    """Take a lease for which somebody then waits."""
    await turns(world).acquire(SILK, LEASE.name, LEASE.holder, MINUTE)
    await waited_for(world)


async def waited_for(world, waiter=WAITER):
    await turns(world).acquire(SILK, LEASE.name, waiter.who, MINUTE, waiter)


async def holder_and_line(world):
    """Return whether another gets the lease, whether its holder has it still, and who waits for it."""
    another = await turns(world).acquire(SILK, LEASE.name, "worker-3", MINUTE)
    return another, await turns(world).line(LEASE)


async def renewed(world):
    world.later(seconds=10)
    await turns(world).renew(LEASE, MINUTE)


def circuit_of(world):
    documents, policy = world.documents.tenant(PLATFORM), BreakerPolicy(fewest=4)
    stream = HealthStream(APPLICATION, "production", documents, world.bus, world.ids)
    alone = circuit.Circuit(APPLICATION, policy, world.clock, lambda *_: None)
    return circuit.SharedCircuit(alone, documents, stream, world.log)


async def tripped(world):
    one = circuit_of(world)
    await one.look()
    for _ in range(4):
        await one.note(one.opened, failed=True)


async def tripped_untold(world):
    world.bus.away = True
    await tripped(world)
    world.bus.away = False


async def state(world):
    one = circuit_of(world)
    await one.look()
    return one.breaker.state.value, one.opened


async def probed(world):
    one = circuit_of(world)
    await one.look()
    world.later(seconds=31)
    await one.enter()


def token_store(world):
    return tokens.TokenStore(world.sealed_silk, world.cipher, "ttlock", "1")


async def another_token(world):
    _, found = await token_store(world).read()
    assert await token_store(world).keep(TOKEN, found, 4)


async def token(world):
    found, _ = await token_store(world).read()
    return found.access.reveal(), found.refresh.reveal(), found.expires_at


def relays(world):
    return relay_notes.RelayNotes(world.silk, "ttlock", HOTEL)


def gone(world):
    return departures.Departures(world.silk, "generic", HOTEL)


def under_way(world):
    return door_notes.KeysUnderWay(world.silk, world.clock, f"generic-{HOTEL}")


async def begun(world, wish="wish-1"):
    """Begin to make a key of which nobody hears the end."""
    try:
        async with under_way(world).making(LOCK, wish):
            raise door_notes.UNHEARD[0]("nobody answered")
    except door_notes.UNHEARD:
        return "may be made"
    except TurnNotCome as refused:
        return str(refused)


async def another_wish(world):
    return await begun(world, "wish-2")


async def much_later(world):
    world.later(minutes=5)
    await another_wish(world)


def planned(spent):
    due, ends = Counter(arrivals=40, removals=60), NOW + timedelta(days=10)
    forecast = Forecast(APPLICATION, 10_000, spent, ends, due)
    return lambda world: _told(forecast, world.documents, world)


async def shown_with_its_limit(world):
    world.put(PLATFORM, Ref(RATES, APPLICATION), {"limit": {"calls": 100, "seconds": 60.0}})
    (one,) = (await shown_quota(world.documents))["applications"]
    return one["due"]["arrivals"], one["missing"], one["month_ends"], one["told_at"]


def heard(subject, status, at=NOW):
    """Hear of a task; what becomes of the word about it is another matter."""

    async def tell(_):
        return None

    async def listen(world):
        told = SimpleNamespace(task_id="task_1", room="204", status=status, property_id=HOTEL)
        event = SimpleNamespace(id=f"evt_{status}", subject=subject, told=told, time=at)
        return await hear(event, world.silk, SimpleNamespace(clock=world.clock, ids=world.ids, tell=tell))

    return listen


def untold():
    return Untold(SILK, "01KSAMP1E00000000000000001", OF_A_SESSION, "tnt_silk", b"{}", NOW)


async def kept_untold(world):
    await world.silk.commit([untold().write()])


async def published(world):
    return await tell_untold(untold().id, world.silk, world.bus), world.bus.told


KINDS = {
    ("leases", "waited for"): Kind(
        ref=Ref(leases.COLLECTION, LEASE.name),
        write=taken,
        read=holder_and_line,
        means=(None, (WAITER,)),
        again=renewed,
    ),
    ("breakers", "open"): Kind(
        ref=Ref(circuit.COLLECTION, APPLICATION),
        write=tripped,
        read=state,
        means=("open", 1),
        again=probed,
        tenant=PLATFORM,
    ),
    ("breakers", "open, to be told"): Kind(
        ref=Ref(circuit.COLLECTION, APPLICATION),
        write=tripped_untold,
        read=state,
        means=("open", 1),
        again=probed,
        tenant=PLATFORM,
    ),
    ("vendor_tokens", "of an account"): Kind(
        ref=Ref(tokens.COLLECTION, "ttlock-1"),
        write=lambda world: token_store(world).keep(TOKEN, None, 3),
        read=token,
        means=("access", "refresh", NOW + timedelta(days=90)),
        again=another_token,
        whole="it is another token: what was said of the one before is not so of this one",
        sealed=True,
    ),
    ("vendor_gateways", "of a property"): Kind(
        ref=Ref(relay_notes.COLLECTION, f"ttlock-{HOTEL}"),
        write=lambda world: relays(world).keep(REACH),
        read=lambda world: relays(world).read(),
        means=REACH,
        again=lambda world: relays(world).keep({"1000102": REACH["1000204"]}),
        whole="relays hang on walls: whatever is not noted of them is asked for anew",
    ),
    ("departures", "gone"): Kind(
        ref=Ref(departures.COLLECTION, f"generic-{HOTEL}-{OURS}"),
        write=lambda world: gone(world).note(OURS, NOW),
        read=lambda world: gone(world).among([OURS, "MM-000000000000"]),
        means={OURS},
    ),
    ("keys_under_way", "not heard of"): Kind(
        ref=Ref(door_notes.COLLECTION, f"generic-{HOTEL}-{LOCK}"),
        write=begun,
        read=another_wish,
        means=f"a key may yet be made at generic-{HOTEL}-{LOCK}",
        again=much_later,
        whole="another key is made at the door, long after the one before can be",
    ),
    ("quota_plans", "too little"): Kind(
        ref=Ref(QUOTA_PLANS, APPLICATION),
        write=planned(9_950),
        read=shown_with_its_limit,
        means=(40, 50, "2026-11-30T06:00:00Z", "2026-11-20T06:00:00Z"),
        again=planned(100),
        whole="a plan is made anew each hour, of what is due then",
        tenant=PLATFORM,
    ),
    ("backoffice_tasks", "of a room"): Kind(
        ref=Ref(TASKS, f"{HOUSEKEEPING}.task_1"),
        write=heard(CREATED, "open"),
        read=lambda world: tasks_on(world.silk, PropertyId(HOTEL), HOUSEKEEPING),
        means=[{"task": "task_1", "room": "204", "status": "open", "at": "2026-11-20T06:00:00+00:00"}],
        again=heard(CHANGED, "done", NOW + MINUTE),
    ),
    ("backoffice_heard", "heard"): Kind(
        ref=Ref(HEARD, "evt_open"),
        write=heard(CREATED, "open"),
        read=heard(CREATED, "open"),
        means=frozenset(),
    ),
    ("telemetry_untold", "to be told"): Kind(
        ref=Ref(UNTOLD, untold().id),
        write=kept_untold,
        read=published,
        means=(True, [OF_A_SESSION.group.topic]),
    ),
}
