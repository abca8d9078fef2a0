"""Jobs whose cards the hotel's own lock system writes: one card that opens, whatever breaks in between."""

import asyncio
import json
from datetime import UTC, datetime
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from nacl.signing import SigningKey

from edge_agent.agent.front import Front
from edge_agent.agent.loop import AgentLoop
from edge_agent.agent.machine import EncoderUnclear, NamedSystem
from edge_agent.cloud.line import CloudLine, DeskOnLine
from edge_agent.console.desk_port import ClerkProblem
from edge_agent.hardware.errors import CardMissing, LinkLost, NoAnswer, OutcomeUnknown
from edge_agent.hardware.property_systems.card_system import FiasSystem, SpaceSystem, guest_number
from edge_agent.hardware.property_systems.fias_orders_line import FiasOrders, FiasPatience
from edge_agent.hardware.property_systems.salto_desk import SaltoDesk, SaltoPatience
from edge_agent.ledger.ledger import DeskLedger
from edge_agent.relay.by_system import SystemWriter
from edge_agent.relay.jobs import JobPost
from infra.local.ambient import SystemEntropy
from infra.simulators.property_systems.fias_locks import FiasLocks
from infra.simulators.property_systems.salto_space import SaltoCard, SaltoSpace
from shared.domain.secret import Secret
from shared.vendor_kit.http import Answer
from tests.edge.desk.paired_desk import StraightLedger, play_desk
from tests.edge.desk.test_alone_and_back import CLERK, booked, opened
from tests.edge.wires import DirectLink
from tests.support.vendors import GENERIC_WIEGAND

CLOCK = SimpleNamespace(now=lambda: datetime(2026, 11, 19, 12, tzinfo=UTC))
KABUL = ZoneInfo("Asia/Kabul")
JOB = {
    "job": "job_1",
    "vendor": "salto",
    "doors": ["rmu_101"],
    "ownDoors": ["101"],
    "rooms": ["rmu_101"],
    "starts": "2026-11-19T12:00:00Z",
    "ends": "2026-11-21T08:00:00Z",
    "number": 1763580600000,
    "overrides": True,
    "reservationId": "rsv_1",
    "localIds": [],
}


class Yes:
    """A cloud that takes every step, and remembers it."""

    def __init__(self):
        self.told = []

    async def send(self, call):
        self.told.append(json.loads(call.body))
        return Answer(200, {}, json.dumps({"state": self.told[-1]["state"]}).encode())


class Crash(BaseException):
    """The process ends here."""


class CrashingLedger(StraightLedger):
    """A ledger whose process ends before or after one of its commits."""

    def __init__(self, ledger, at, before):
        super().__init__(ledger)
        self.left, self.before = at, before

    async def run(self, work):
        self.left -= 1
        if self.left == 0 and self.before:
            raise Crash
        result = await super().run(work)
        if self.left == 0:
            raise Crash
        return result


class SystemDesk:
    """A desk with a line to a lock system, and a job for it."""

    def __init__(self, path, locks, system, **job):
        self.locks, self.system, self.cloud = locks, system, Yes()
        self.ledger = StraightLedger(DeskLedger(path, Secret(bytes(32)), SystemEntropy()))
        self.ledger.ledger.jobs.take({**JOB, **job})

        who = DeskOnLine("tnt_silk", "dev_1", SigningKey(bytes(32)), CLOCK, SystemEntropy())
        self.post = JobPost(CloudLine(self.cloud, "http://127.0.0.1", who), self.ledger)

    async def write(self, ledger=None):
        """Press the button, in one of the agent's lives."""
        ledger = ledger or self.ledger
        post = JobPost(self.post.line, ledger)
        return await SystemWriter(post, ledger, self.system, KABUL).write("job_1")

    @property
    def ends(self):
        """What the cloud was told of the job's end."""
        return [each["state"] for each in self.cloud.told if each["state"] in ("processed", "error")]


def space_desk(path, space=None, patience=0.02, **job):
    """Return a desk at Salto's Space."""
    space = space or SaltoSpace()

    async def connect():
        space.greeting()
        return DirectLink(space)

    system = SpaceSystem(connect, "desk")
    system._desk = SaltoDesk(connect, SaltoPatience(0.02, patience))
    return SystemDesk(path, space, system, dialect="space", **job)


def fias_desk(path, locks=None, patience=0.02, **job):
    """Return a desk at a lock system that takes FIAS records."""
    locks = locks or FiasLocks()

    async def connect():
        locks.greeting()
        return DirectLink(locks)

    system = FiasSystem(connect, "1", CLOCK, serial=False)
    system._orders = FiasOrders(connect, CLOCK, patience=FiasPatience(0.02, 0.02, patience))
    return SystemDesk(path, locks, system, dialect="fias", **job)


DESKS = pytest.mark.parametrize("at", [space_desk, fias_desk])


def good(locks):
    """Return how many cards that a system made open."""
    if isinstance(locks, FiasLocks):
        return len(locks.good)
    return sum(not card.void for card in {id(card): card for card in locks.current.values()}.values())


@pytest.fixture
def path(tmp_path):
    """Where the ledger is."""
    return tmp_path / "desk.db"


async def test_space_is_asked_for_the_guests_own_rooms_by_the_clock_on_the_wall(path):
    desk = space_desk(path)
    assert (await desk.write()).step == "written"
    card = desk.locks.encoders["desk"]
    assert (card.rooms, card.start, card.end) == (("101",), "1630191126", "1230211126")
    assert (await desk.write()).step == "written"
    assert (desk.locks.made, desk.ends) == (1, ["processed"])


async def test_fias_is_asked_likewise_and_knows_the_stay_by_a_number(path):
    desk = fias_desk(path, ownDoors=["101", "102"])
    assert (await desk.write()).step == "written"
    (card,) = desk.locks.cards
    assert (card.rooms, card.ends, card.guest) == (("101", "102"), ("261121", "12:30"), guest_number("rsv_1"))


async def test_whoever_joins_gets_a_copy_or_a_new_card_where_nobody_is_checked_in(path, tmp_path):
    desk = space_desk(path, overrides=False)
    await desk.write()
    assert (desk.locks.asked, good(desk.locks)) == (["CC1", "CN1"], 1)
    earlier = SaltoCard(("101",))
    second = space_desk(tmp_path / "2", SaltoSpace(current={"101": earlier}), overrides=False)
    await second.write()
    assert (second.locks.asked, earlier.void) == (["CC1"], False)


async def test_whoever_joins_in_one_of_two_rooms_ends_nobodys_card_in_the_other(path):
    earlier = SaltoCard(("102",))
    desk = space_desk(path, SaltoSpace(current={"102": earlier}), overrides=False, ownDoors=["101", "102"])
    row = await desk.write()
    assert (row.step, row.error, earlier.void) == ("failed", "refused", False)


@DESKS
@pytest.mark.parametrize("before", [True, False])
@pytest.mark.parametrize("commit", range(1, 8))
async def test_crash_around_any_commit_leaves_one_card_that_opens(path, at, commit, before):
    desk = at(path)
    with pytest.raises(Crash):
        await desk.write(CrashingLedger(desk.ledger.ledger, commit, before))
    assert (await desk.write()).step == "written"
    await desk.post.tell_all()
    assert good(desk.locks) == 1
    assert desk.ends[-1] == "processed"


async def test_card_of_space_that_a_crash_left_unsaid_is_looked_at_and_adopted(path):
    desk = space_desk(path)
    with pytest.raises(Crash):
        await desk.write(CrashingLedger(desk.ledger.ledger, 5, before=True))
    assert desk.locks.made == 1
    assert (await desk.write()).step == "written"
    assert (desk.locks.made, desk.locks.asked) == (1, ["CN1", "LT"])


@DESKS
async def test_silence_is_told_and_the_next_press_makes_one_card(path, at):
    desk = at(path)
    desk.locks.faults.plan("silent")
    with pytest.raises(OutcomeUnknown):
        await desk.write()
    assert desk.ends == []
    assert (await desk.write()).step == "written"
    assert good(desk.locks) == 1


@DESKS
async def test_system_that_is_busy_with_a_card_is_there_and_keeps_no_desk_from_its_cloud(path, at):
    desk = at(path, patience=60.0)
    desk.locks.faults.plan("silent")
    async with asyncio.timeout(5), asyncio.TaskGroup() as both:
        order = both.create_task(desk.write())
        while desk.locks.faults.planned:  # noqa: ASYNC110 - until it is asked, of which nobody tells us
            await asyncio.sleep(0)
        assert await desk.system.there()
        order.cancel()


async def test_line_of_space_that_leads_nowhere_any_more_is_opened_anew_by_the_next_press(path):
    desk, dead = space_desk(path), DirectLink(SimpleNamespace(receive=lambda _: ()))
    connect, lines = desk.system._desk._connect, [dead]

    async def first_dead():
        return lines.pop() if lines else await connect()

    desk.system._desk._connect = first_dead
    with pytest.raises(NoAnswer):
        await desk.write()
    assert (await desk.write()).step == "written"
    assert (dead.lost, good(desk.locks)) == (True, 1)


@DESKS
@pytest.mark.parametrize("fault", ["silent", "ZZ"])
async def test_copy_whose_answer_was_lost_or_says_nothing_is_not_asked_for_twice(path, at, fault):
    locks = SaltoSpace(current={"101": SaltoCard(("101",))}) if at is space_desk else FiasLocks()
    desk = at(path, locks, overrides=False)
    desk.locks.faults.plan(fault)
    with pytest.raises(OutcomeUnknown):
        await desk.write()
    with pytest.raises(CardMissing, match="lay back"):
        await desk.write()
    asked = locks.asked if at is space_desk else locks.heard
    assert sum(each[:2] in ("CC", "KR") for each in asked) == 1


@pytest.mark.parametrize(
    ("at", "code", "error"),
    [
        (space_desk, "TD", "room_unknown"),
        (space_desk, "ES", "refused"),
        (fias_desk, "UR", "room_unknown"),
        (fias_desk, "DN", "refused"),
    ],
)
async def test_what_can_never_be_made_is_told_once(path, at, code, error):
    desk = at(path)
    desk.locks.faults.plan(code)
    row = await desk.write()
    assert (row.step, row.error) == ("failed", error)
    assert desk.ends == ["error"]


@DESKS
@pytest.mark.parametrize("room", ["۱۰۱", "101|102", "10³"])
async def test_room_that_the_language_has_no_letters_for_is_refused_once_and_never_asked_for(path, at, room):
    desk = at(path, ownDoors=[room])
    row = await desk.write()
    assert (row.step, row.error, desk.ends) == ("failed", "refused", ["error"])
    assert good(desk.locks) == 0


@pytest.mark.parametrize(
    ("at", "code", "kind"),
    [
        (space_desk, "EP", CardMissing),
        (space_desk, "NC", LinkLost),
        (fias_desk, "BY", LinkLost),
        (fias_desk, "NA", NoAnswer),
    ],
)
async def test_what_a_clerk_can_mend_lets_the_job_wait(path, at, code, kind):
    desk = at(path)
    desk.locks.faults.plan(code)
    with pytest.raises(kind):
        await desk.write()
    assert desk.ledger.ledger.jobs.get("job_1").step == "waiting"
    assert (await desk.write()).step == "written"
    assert good(desk.locks) == 1


@pytest.mark.parametrize(
    "text", ["morse=10.0.0.5:9100#1", "space=10.0.0.5#1", "space=10.0.0.5:9100", "space"]
)
def test_system_that_is_named_in_no_form_of_ours_is_refused(text):
    with pytest.raises(EncoderUnclear, match="DIALECT=HOST:PORT#ENCODER"):
        NamedSystem.of(text)


def test_systems_are_named_by_address_or_by_port():
    assert NamedSystem.of("space=10.0.0.5:9100#desk") == NamedSystem("space", "10.0.0.5:9100", "desk")
    assert NamedSystem.of("kaba=/dev/ttyS0#1") == NamedSystem("kaba", "/dev/ttyS0", "1")


def test_a_booking_becomes_a_card_of_the_lock_system_and_the_cloud_hears_of_it(tmp_path):
    async def scenario(house, desk):
        await house.open_account(GENERIC_WIEGAND, b'{"dialect": "fias"}')
        await opened(desk)
        desk.encoder.there = False
        front = Front(desk.agent, AgentLoop(desk.agent, desk.entropy))
        await desk.agent.post.pull()
        await booked(house, desk)
        for _ in range(12):
            await asyncio.sleep(5)
            await desk.agent.post.pull()
        desk.agent.reach.heard()
        with pytest.raises(ClerkProblem, match="no_system"):
            await front.issue(CLERK, "rsv_1", "press-1")

        (row,) = await desk.agent.post.pull()
        locks = FiasLocks(rooms={*row.document["ownDoors"]})
        desk.agent.parts.systems["fias"] = fias_desk(tmp_path / "bench", locks).system
        done = await front.issue(CLERK, "rsv_1", "press-2")
        assert (done.what, len(locks.good)) == ("issued", 1)
        await asyncio.sleep(5)
        assert [each["state"]["type"] for each in await house.keys()] == ["active"]
        assert await desk.agent.post.pull() == []

    play_desk(tmp_path, scenario)
