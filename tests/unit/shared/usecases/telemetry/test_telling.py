"""What the backoffice did is told by its share, once at least, and for years where it must be."""

import asyncio
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import orjson
import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId, UserId
from shared.domain.secret import Secret
from shared.events.backoffice.catalogue import DLQ_DEPTH_ALERT, ROOT, TELEMETRY, Group
from shared.events.backoffice.hashes import Hashed, Pepper, peppered
from shared.ledger.indexes import NEWEST_TOLD
from shared.ports.bus import BusError, Message
from shared.ports.documents import Ref
from shared.ports.flags import RateFlag
from shared.usecases.telemetry.flags import DocumentFlags, Rates
from shared.usecases.telemetry.keep import keep_telemetry
from shared.usecases.telemetry.peppers import Peppers, turn_peppers
from shared.usecases.telemetry.tell import Doing, Teller
from shared.usecases.telemetry.untold import UNTOLD, kept
from tests.support.simulated import play
from tests.unit.shared.events.backoffice.conftest import EXAMPLES, head

DAY = timedelta(days=1)
SILK, KABUL = TenantId("tnt_silk"), PropertyId("ppt_kabul")
OCCURRED = datetime(2026, 4, 23, 9, 14, 22, tzinfo=UTC)
VIEWED, CLOSED = f"{ROOT}.dashboard.viewed.v1", f"{ROOT}.session.closed.v1"


class BrokenBus:
    """A bus that takes nothing, or hangs."""

    def __init__(self, hangs=False):
        self.hangs = hangs

    async def publish(self, topic, messages):
        if self.hangs:
            await asyncio.sleep(3600)
        raise BusError("down")


def teller(on, bus=None):
    platform = on.fleet.platform
    flags = DocumentFlags(platform.documents)
    rates = Rates(flags, platform.clock, platform.entropy, platform.log)
    ambient = (platform.clock, platform.ids, platform.entropy, platform.log)
    return Teller(platform.documents, bus or platform.bus, rates, *ambient, "bff-bo-test-1")


def doing(on, session="bos_01H8YN7QV4D8KZ4F8Y5CK4MV3D", **other):
    ids = on.fleet.platform.ids
    fields = {
        "tenant": SILK,
        "operator": UserId("usr_1"),
        "device": "dev_front",
        "app_version": "1.4.2",
        "app_platform": "win32",
        "request": f"req_{ids.ulid()}",
        "occurred_at": on.fleet.platform.clock.now(),
        "session": session,
        "property_id": KABUL,
    }
    return Doing(**{**fields, **other})


def view(at):
    return {
        "tenant_id": SILK,
        "property_id": "prop_kabul",
        "operator_id": "opr_1",
        "operator_role": "gm",
        "viewed_at": at,
        "render_mode": "composed",
        "partial": False,
        "missing_widgets": [],
        "latency_ms": 4,
    }


def closing(at, session):
    return {
        "session_id": session,
        "operator_id": "opr_1",
        "device_id": "dev_front",
        "opened_at": at - timedelta(hours=1),
        "closed_at": at,
        "reason": "sign_out",
        "activity_count": 1,
        "lock_proxy_count": 0,
        "mutation_proxy_count": 0,
    }


async def shares(on, who, sessions):
    """Return whose view is told, and by which shares."""
    now = on.fleet.platform.clock.now()
    drawn = [
        each for at in sessions for each in await who.drawn("dashboard.viewed", doing(on, at), **view(now))
    ]
    rates = {orjson.loads(each.body)["envelope"]["samplingRate"] for each in drawn}
    return {each.ordering_key for each in drawn}, rates


def told_of(on, subject, house=KABUL):
    store = on.fleet.platform.documents.tenant(SILK)
    return store.query(NEWEST_TOLD, {"subject": subject, "property_id": house}, limit=500)


def test_shares_are_drawn_by_session_honestly_labelled_and_raised_by_a_flag_within_33_seconds(tmp_path):
    async def scenario(on):
        platform, who = on.fleet.platform, teller(on)
        now = platform.clock.now()
        sessions = [f"bos_{platform.ids.ulid()}" for _ in range(400)]

        async def share():
            return await shares(on, who, sessions)

        quarter, rates = await share()
        assert rates == {0.25}
        assert 65 <= len(quarter) <= 135  # 100 ± 4 standard deviations
        again, _ = await share()
        assert again == quarter

        flags = DocumentFlags(platform.documents)
        flag = RateFlag(
            subject=VIEWED,
            per_mille=1000,
            until=now + timedelta(minutes=10),
            by="usr_1",
            why="incident",
            tenant=SILK,
        )
        await flags.turn(flag, now)
        assert (await share())[0] == quarter
        await asyncio.sleep(33)
        everybody, rates = await share()
        assert (len(everybody), rates) == (400, {1.0})
        assert await who.rates.of(VIEWED, TenantId("tnt_other")) == 0.25
        await asyncio.sleep(900)
        assert (await share())[0] == quarter
        with pytest.raises(InvalidInput):
            await flags.turn(flag, platform.clock.now())

    play(tmp_path, scenario)


def test_of_operators_who_turn_flags_at_once_none_is_refused_or_forgotten(tmp_path):
    async def scenario(on):
        platform = on.fleet.platform
        flags, until = DocumentFlags(platform.documents), platform.clock.now() + timedelta(minutes=10)
        wanted = [
            RateFlag(subject=VIEWED, per_mille=1000, until=until, by=f"usr_{n}", why="w", tenant=f"tnt_{n}")
            for n in range(4)
        ]
        await asyncio.gather(*(flags.turn(each, platform.clock.now()) for each in wanted))
        assert {each.tenant for each in await flags.read()} == {each.tenant for each in wanted}
        gone = await asyncio.gather(*(flags.drop(VIEWED, each.tenant) for each in wanted))
        assert (gone, await flags.read()) == ([1, 1, 1, 1], ())

    play(tmp_path, scenario)


async def test_flags_that_cannot_be_read_leave_the_last_known_and_at_first_the_table(books):
    class Source:
        flags = (
            RateFlag(subject=VIEWED, per_mille=500, until=books.clock.now() + DAY, by="usr_1", why="busy"),
        )

        async def read(self):
            if self.flags is None:
                raise OSError
            return self.flags

    source = Source()
    known, cold = (Rates(source, books.clock, books.entropy, books.services.log) for _ in range(2))
    assert await known.of(VIEWED, SILK) == 0.5
    source.flags = None
    books.clock.advance(hours=1)
    assert (await known.of(VIEWED, SILK), await cold.of(VIEWED, SILK)) == (0.5, 0.25)
    assert await known.of(CLOSED, SILK) == 1.0


def test_what_lasts_is_told_though_the_bus_was_down_or_the_process_died(tmp_path):
    async def scenario(on):
        platform = on.fleet.platform
        store, now = platform.documents.tenant(SILK), platform.clock.now()
        ids = [f"bos_{platform.ids.ulid()}" for _ in range(3)]
        for session, bus in zip(ids, (None, BrokenBus(), BrokenBus(hangs=True)), strict=True):
            who = teller(on, bus)
            drawn = await who.drawn("session.closed", doing(on, session), **closing(now, session))
            await store.commit(kept(drawn))
            await who.tell(drawn)
            found = await store.get(Ref(UNTOLD, drawn[0].id))
            assert (found is None) is (bus is None)
        await asyncio.sleep(120)
        await platform.bus.publish(drawn[0].row.group.topic, [drawn[0].message()])
        await asyncio.sleep(5)
        told = await told_of(on, CLOSED)
        bodies = [orjson.loads(each.data["body"]) for each in told]
        assert {each["payload"]["sessionId"] for each in bodies} == {*ids}
        assert len(told) == 3
        for body in bodies:
            assert body["envelope"]["retentionClass"] == TELEMETRY[CLOSED].retention

    play(tmp_path, scenario)


def test_what_cannot_be_read_waits_in_its_group_calls_somebody_at_fifty_and_is_replayed(tmp_path):
    async def scenario(on):
        platform, who = on.fleet.platform, teller(on)
        drawn = await who.drawn(
            "session.closed", doing(on), **closing(platform.clock.now(), doing(on).session)
        )
        bad = orjson.loads(drawn[0].body)
        bad["payload"]["guestName"] = "canary Zahir"
        topic = Group.SESSION.topic

        async def depths():
            await asyncio.sleep(300)
            waiting = await platform.dead_letters.waiting(topic=Group.SESSION.dead_letters)
            return len(waiting), on.log.getvalue().count("telemetry's dead letters pile up")

        await platform.bus.publish(topic, [Message(orjson.dumps(bad))] * (DLQ_DEPTH_ALERT - 1))
        await asyncio.sleep(5)
        assert await depths() == (DLQ_DEPTH_ALERT - 1, 0)
        await platform.bus.publish(topic, [Message(b"{")])
        await asyncio.sleep(5)
        assert await depths() == (DLQ_DEPTH_ALERT, 1)
        waiting = await platform.dead_letters.waiting(topic=Group.SESSION.dead_letters)
        assert not any("Zahir" in str(each.notes) for each in waiting)
        assert "Zahir" not in on.log.getvalue()

        assert await platform.dead_letters.replay([waiting[-1].id]) == 1
        await asyncio.sleep(5)
        assert await depths() == (DLQ_DEPTH_ALERT, 1)  # it is as bad as before, and came back
        assert await platform.dead_letters.waiting(topic=Group.LOCKS.dead_letters) == ()

    play(tmp_path, scenario)


async def test_peppers_turn_every_ninety_days_and_are_destroyed_a_fortnight_after(books):
    def instance():
        return Peppers(books.vault, books.cipher, books.clock, books.entropy)

    def digest(pepper):
        return peppered(Hashed.ADDRESS, SILK, "203.0.113.9", pepper)

    first = await instance().newest(SILK)
    assert await instance().newest(SILK) == first
    other = await instance().newest(TenantId("tnt_other"))
    assert (first.id, other.id) == ("p1", "p1")
    assert digest(first) != digest(other)
    books.clock.advance(days=91)
    second = await instance().newest(SILK)
    assert second.id == "p2"
    assert set(await instance().readable(SILK)) == {"p1", "p2"}
    books.clock.advance(days=14)
    await turn_peppers([SILK], instance(), books.services.log)
    assert set(await instance().readable(SILK)) == {"p2"}
    raw = await books.vault.tenant(SILK).get(Ref("telemetry_peppers", "ring"))
    assert "p1" not in str(raw.data)
    assert second.key.reveal().hex() not in str(raw.data)


async def test_an_event_is_kept_for_as_long_as_its_class_says(books):
    for event in EXAMPLES:
        row = TELEMETRY[f"{ROOT}.{event}"]
        document = {
            "envelope": {**head(event), "eventId": f"evt_{books.ids.ulid()}"},
            "payload": EXAMPLES[event],
        }
        assert await keep_telemetry(orjson.dumps(document), row.group.topic, books.store)
        assert not await keep_telemetry(orjson.dumps(document), row.group.topic, books.store)

    async def left():
        store, found = books.store.tenant(TenantId("tnt_01H8Y")), set()
        for subject, row in TELEMETRY.items():
            for house in ("ppt_01H8Y", "none"):
                at = await store.query(NEWEST_TOLD, {"subject": subject, "property_id": house})
                found |= {row.event for _ in at}
        return found

    for days in (29, 89, 364, 2556):
        books.clock._now = OCCURRED + timedelta(days=days)
        assert await left() == {row.event for row in TELEMETRY.values() if row.keep_days > days}, days


def test_flags_are_turned_and_dropped_by_an_operator(tmp_path):
    async def scenario(on):
        now = on.fleet.platform.clock.now()
        until = (now + timedelta(hours=1)).isoformat().replace("+00:00", "Z")
        flag = {
            "subject": VIEWED,
            "per_mille": 1000,
            "until": until,
            "by": "usr_1",
            "why": "incident",
            "tenant": SILK,
        }
        assert (await on.send("telemetry-flags", {"do": "turn", **flag}, caller="operator"))[0] == 200
        status, refused = await on.send(
            "telemetry-flags", {"do": "turn", **flag, "per_mille": 1001}, caller="operator"
        )
        assert (status, refused["error"]["field"]) == (400, "perMille")
        _, listed = await on.send("telemetry-flags", {}, caller="operator")
        assert [(each["subject"], each["over"]) for each in listed["flags"]] == [(VIEWED, False)]
        gone = {"do": "drop", "subject": VIEWED, "tenant": SILK}
        assert await on.send("telemetry-flags", gone, caller="operator") == (200, {"dropped": 1})
        assert (await on.send("telemetry-flags", {}, caller="operator"))[1] == {"flags": []}
        assert await on.send("telemetry-peppers", {}, caller="operator") == (200, {"turned": 1})

    play(tmp_path, scenario)


async def test_an_instance_remembers_the_peppers_of_no_more_tenants_than_it_may(monkeypatch):
    read = []

    async def newest(self, tenant):
        read.append(tenant)
        return Pepper("p1", Secret(b"key"))

    monkeypatch.setattr(Peppers, "_newest", newest)
    peppers = Peppers(None, None, SimpleNamespace(now=lambda: OCCURRED), None)
    for tenant in [TenantId(f"tnt_{number}") for number in range(1000)] * 2:
        assert (await peppers.newest(tenant)).id == "p1"
    assert len(read) == 2000
    assert await peppers.newest(tenant)
    assert len(read) == 2000
