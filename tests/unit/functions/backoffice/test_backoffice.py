"""A day at a desktop: signed in, looking, deciding, synchronising; and what is told of it."""

import asyncio
import contextlib
import re
from datetime import timedelta

from infra.local.storage.packing import unpack
from shared.domain.permissions import Role
from shared.events.backoffice.catalogue import ROOT
from shared.ports.flags import RateFlag
from shared.usecases.backoffice.inbox import ALERTS, SUGGESTIONS, waiting_at
from shared.usecases.telemetry.flags import DocumentFlags
from tests.support.backoffice_desk import KABUL, PROVENANCE, SILK, BackofficeDesk, hear
from tests.support.pacts import interactions, mismatches
from tests.support.simulated import play

SAMPLED = ("dashboard.viewed", "workbench.opened", "operator.activity", "device.heartbeat")
AT = f"properties/{KABUL}"
VIEWS = ("arrivals", "departures", "in-house", "today", "housekeeping-board", "maintenance-board")
BEAT = {
    "appVersion": "1.4.2",
    "appPlatform": "win32",
    "networkProfile": "good",
    "memoryRssMb": 412,
    "cpuPctOneMin": 6.4,
    "outboxHints": [{"aggregate": "folio.charge", "count": 2, "oldestAgeSeconds": 42}],
    "lastSyncCursorPresent": True,
}
CANARIES = ("Ahmad", "Zahir", "احمد", "+93 70 123 4567", "93701234567", "ahmad@example.com")
NOTES = " ".join(CANARIES)


async def tell_all(on):
    """Have all of it told, so that what is told can be looked at."""
    platform = on.fleet.platform
    now = platform.clock.now()
    for event in SAMPLED:
        flag = RateFlag(
            subject=f"{ROOT}.{event}.v1",
            per_mille=1000,
            until=now + timedelta(days=2),
            by="usr_1",
            why="a test",
        )
        await DocumentFlags(platform.documents).turn(flag, now)


async def raised(on):
    alert = {"alertId": "alt_1", "propertyId": KABUL, "category": "lock_failed", "severity": "critical"}
    await hear(on, "melmastoon.alert.raised.v1", "evt_a1", {**alert, "message": NOTES})
    idea = {
        "suggestionId": "sg_1",
        "propertyId": KABUL,
        "category": "housekeeping_reorder",
        "severity": "attention",
        "provenance": PROVENANCE,
        "text": NOTES,
    }
    await hear(on, "melmastoon.ai.suggestion.created.v1", "evt_s1", idea)
    await asyncio.sleep(3)


async def look(desk):
    assert (await desk.ask("GET", f"{AT}/dashboard"))[0] == 200
    for view in VIEWS:
        status, shown = await desk.ask("GET", f"{AT}/workbench/{view}")
        assert (status, shown["view"]) == (200, view.replace("-", "_"))


async def decide(desk):
    _, alerts = await desk.ask("GET", f"{AT}/alerts")
    _, ideas = await desk.ask("GET", f"{AT}/suggestions")
    (alert,), (idea,) = alerts["entries"], ideas["entries"]
    taken = f"{AT}/alerts/{alert['id']}/acknowledgement"
    assert (await desk.ask("POST", taken, {"notes": NOTES}))[0] == 200
    decision = {"outcome": "modified", "modifiedDelta": {"rooms.first": "rmu_101"}, "notes": NOTES}
    assert (await desk.ask("POST", f"{AT}/suggestions/{idea['id']}/decision", decision))[0] == 200
    again = await desk.ask("POST", f"{AT}/suggestions/{idea['id']}/decision", {"outcome": "rejected"})
    assert (again[0], again[1]["code"]) == (409, "conflict")
    assert (await desk.ask("GET", f"{AT}/suggestions"))[1] == {"entries": []}
    return taken


async def synchronise(desk):
    hands = {"appVersion": "1.4.2", "appPlatform": "win32", "capabilities": ["bulk-pull-v1", "tea-v1"]}
    status, shaken = await desk.ask("POST", "sync/handshake", {**hands, "cursor": "ck_v1_a"})
    assert (status, shaken["outcome"], shaken["capabilities"]) == (200, "ok", ["bulk-pull-v1"])
    assert (await desk.ask("POST", "sync/cursor", {"advanceKind": "pull", "cursorAfter": "ck_v1_b"}))[
        0
    ] == 200
    assert (await desk.ask("POST", "heartbeat", BEAT))[0] == 200


def test_a_day_at_a_desktop_is_told_whole_and_names_no_guest(tmp_path):
    async def scenario(on):
        await tell_all(on)
        desk = BackofficeDesk(on)
        assert (await desk.sign_in())[0] == 201
        await raised(on)
        await look(desk)
        taken = await decide(desk)
        other = BackofficeDesk(on, user="usr_2", device="dev_back")
        await other.sign_in()
        assert (await other.ask("POST", taken, {}))[0] == 409
        await synchronise(desk)
        liked = {"startView": "arrivals", "locale": "fa-AF", "shortcuts": False, "sound": True}
        assert (await desk.ask("PUT", "preferences", liked))[1] == liked
        assert (await desk.ask("GET", "preferences"))[1] == liked
        assert (await desk.ask("DELETE", f"sessions/{desk.session}"))[0] == 200
        assert (await desk.ask("GET", "preferences"))[0] == 401
        await asyncio.sleep(5)
        await check_told(desk)
        everything = await everything_kept(on) + on.log.getvalue()
        assert "notesPresent" in everything
        assert not [word for word in (*CANARIES, desk.secret, "203.0.113.9") if word in everything]

    play(tmp_path, scenario)


async def check_told(desk):
    counts = {
        "session.opened": 1,
        "session.closed": 1,
        "dashboard.viewed": 1,
        "workbench.opened": 6,
        "ai_suggestion.decided": 1,
        "alert.acknowledged": 1,
        "device.heartbeat": 1,
        "sync.cursor_advanced": 1,
        "sync.handshake_completed": 1,
    }
    told = {event: await desk.told(event) for event in counts}
    relied_on = interactions("audit-lake--bff-backoffice-service")
    for event in (*counts, "operator.activity"):
        for each in await desk.told(event):
            assert mismatches(each, relied_on[f"{ROOT}.{event}.v1"]) == []
    assert {event: len(each) for event, each in told.items()} == counts
    (opened,), (closed,) = told["session.opened"], told["session.closed"]
    assert re.fullmatch("sha256:[0-9a-f]{64}", opened["payload"]["ipHash"])
    assert opened["envelope"]["pepperId"] == "p1"
    activity = await desk.told("operator.activity")
    assert closed["payload"]["reason"] == "sign_out"
    # What closes a session is counted in it by nobody: it is over.
    assert closed["payload"]["activityCount"] == len(activity) - 1
    assert closed["payload"]["mutationProxyCount"] == 4
    (idea,), (alert,) = told["ai_suggestion.decided"], told["alert.acknowledged"]
    assert idea["payload"]["decision"] == {
        "outcome": "modified",
        "modifiedDelta": {"rooms.first": "rmu_101"},
        "notesPresent": True,
    }
    assert alert["payload"]["notesPresent"] is True
    assert {each["payload"]["outcome"] for each in activity} == {"success", "failure"}
    assert {each["payload"]["errorCode"] for each in activity} == {None, "MELMASTOON.BFF.CONFLICT"}


async def everything_kept(on):
    """Return every row of the fleet's database but what is sealed, unpacked where it was packed."""
    engine, found = on.fleet.means.engine, []
    tables = [row[0] for row in engine.read("SELECT name FROM sqlite_master WHERE type = 'table'", ())]
    for table in tables:
        for row in engine.read(f"SELECT * FROM {table}", ()):
            found += [legible(value) for value in row]
    store = on.fleet.platform.documents.tenant(SILK)
    waiting = await waiting_at(KABUL, ALERTS, store) + await waiting_at(KABUL, SUGGESTIONS, store)
    return "".join([*found, repr(waiting)])


def legible(value):
    if not isinstance(value, bytes):
        return str(value)
    with contextlib.suppress(Exception):
        return unpack(value).decode()
    return value.decode(errors="replace")


def test_a_session_is_bound_to_its_machine_and_ends_with_its_reason(tmp_path):
    async def scenario(on):
        desk = BackofficeDesk(on)
        assert (await desk.sign_in(version="0.9.9"))[0] == 201
        assert (await desk.ask("GET", "preferences"))[0] == 401  # its program is too old
        await desk.sign_in()
        other = BackofficeDesk(on, user="usr_2")
        other.secret = desk.secret
        assert (await other.ask("GET", "preferences"))[0] == 401
        assert (await desk.ask("GET", "preferences", **{"backoffice-device": "dev_elsewhere"}))[0] == 401
        good, desk.secret = desk.secret, desk.secret[:-1] + "!"
        assert (await desk.ask("GET", "preferences"))[0] == 401
        desk.secret = good
        assert (await desk.ask("GET", "properties/ppt_herat/dashboard"))[0] == 404

        await desk.sign_in(fingerprint="another machine by that name")
        hands = {"appVersion": "0.9.9", "appPlatform": "win32"}
        assert (await desk.ask("POST", "sync/handshake", hands))[1]["outcome"] == "version_blocked"
        assert (await desk.ask("GET", "preferences"))[0] == 401
        await desk.sign_in()
        async with on.unscheduled():
            await asyncio.sleep(12 * 3600)
        await asyncio.sleep(90)
        assert (await desk.ask("GET", "preferences"))[0] == 401
        reasons = [each["payload"]["reason"] for each in await desk.told("session.closed")]
        assert reasons[-3:] == ["device_replaced", "version_upgrade", "expired"]

    play(tmp_path, scenario)


def test_strangers_are_refused_and_housekeepers_decide_nothing(tmp_path):
    async def scenario(on):
        await raised(on)
        maid = BackofficeDesk(on, roles=(Role.HOUSEKEEPER,))
        await maid.sign_in()
        _, alerts = await maid.ask("GET", f"{AT}/alerts")
        path = f"{AT}/alerts/{alerts['entries'][0]['id']}/acknowledgement"
        assert (await maid.ask("POST", path, {}))[0] == 403
        elsewhere = BackofficeDesk(on, at=frozenset({"ppt_herat"}))
        assert (await elsewhere.sign_in())[0] == 404
        assert (await elsewhere.ask("GET", "preferences"))[0] == 401

    play(tmp_path, scenario)
