"""What neighbours tell has its effect once, in whatever order it comes (C §15)."""

import asyncio

import orjson

from shared.domain.ids import TenantId
from shared.events.backoffice.heard_subjects import HEARD
from shared.ledger.indexes import ARRIVED_AT
from shared.ports.dead_letters import QUARANTINE_TOPIC
from shared.usecases.backoffice.feed import feed_of
from shared.usecases.backoffice.hear import EFFECTS
from tests.support.backoffice_desk import KABUL, PROVENANCE, SILK, BackofficeDesk, hear
from tests.support.simulated import play

ALERT = {"alertId": "alt_1", "propertyId": KABUL, "severity": "warning"}
IDEA = {
    "suggestionId": "sg_1",
    "propertyId": "prop_kabul",
    "category": "upsell",
    "severity": "info",
    "provenance": PROVENANCE,
}
M = "melmastoon."


async def words(on, place=KABUL):
    feed = await feed_of(place, on.fleet.platform.documents.tenant(SILK))
    return [(each.word, each.about) for each in feed.entries]


def test_each_of_the_fourteen_has_its_effect():
    assert EFFECTS.keys() == HEARD.keys()
    assert len(EFFECTS) == 14


def test_alerts_and_suggestions_come_and_go_once_in_any_order(tmp_path):
    async def scenario(on):
        for _ in range(3):
            await hear(on, f"{M}alert.raised.v1", "evt_1", ALERT)
        await hear(on, f"{M}ai.suggestion.created.v1", "evt_2", IDEA)
        await hear(on, f"{M}alert.resolved.v1", "evt_3", {"alertId": "alt_9"})
        await asyncio.sleep(3)
        await hear(on, f"{M}alert.raised.v1", "evt_4", {**ALERT, "alertId": "alt_9"})
        await hear(on, f"{M}ai.suggestion.invalidated.v1", "evt_5", {"suggestionId": "sg_1"})
        await asyncio.sleep(3)
        assert [word for word, _ in await words(on)] == ["alerts.new", "ai.new", "ai.removed"]
        await hear(on, f"{M}alert.resolved.v1", "evt_6", {"alertId": "alt_1"})
        await asyncio.sleep(3)
        assert (await words(on))[-1][0] == "alerts.removed"

    play(tmp_path, scenario)


def test_stays_tasks_and_roles_make_just_their_views_stale(tmp_path):
    async def scenario(on):
        desk = BackofficeDesk(on)
        await desk.sign_in()
        stay = {"reservationId": "rsv_1", "propertyId": KABUL}
        task = {"taskId": "t1", "propertyId": KABUL, "roomId": "rmu_101", "status": "open"}
        await hear(on, f"{M}housekeeping.task.created.v1", "evt_1", task)
        await hear(on, f"{M}maintenance.workorder.opened.v1", "evt_2", {**task, "workOrderId": "w1"})
        await hear(on, f"{M}theme.published.v1", "evt_3", {})
        await asyncio.sleep(3)
        board = f"properties/{KABUL}/workbench/housekeeping-board"
        (shown,) = (await desk.ask("GET", board))[1]["items"]
        assert (shown["task"], shown["room"], shown["status"]) == ("t1", "rmu_101", "open")
        assert (await desk.ask("GET", board))[1]["renderMode"] == "cached"
        await hear(on, f"{M}housekeeping.task.transitioned.v1", "evt_4", {"taskId": "t1", "to": "done"})
        await hear(on, f"{M}reservation.checked_in.v1", "evt_5", stay)
        await asyncio.sleep(3)
        assert (await desk.ask("GET", board))[1]["items"] == []
        told = [about for word, about in await words(on) if word == "view.stale"]
        assert {*told[:2]} == {"housekeeping_board", "maintenance_board"}
        assert {*told[2:]} == {"housekeeping_board", "dashboard", "arrivals", "in_house"}
        assert await words(on, "all") == [("view.stale", "shortcuts")]

    play(tmp_path, scenario)


def test_who_is_in_the_house_is_who_the_youngest_word_of_reception_says(tmp_path):
    stay = {"reservationId": "rsv_1", "propertyId": KABUL}
    came, went = f"{M}reservation.checked_in.v1", f"{M}reservation.checked_out.v1"

    async def scenario(on):
        async def says(event, subject, hour):
            await hear(on, subject, event, stay, time=f"2026-03-01T{hour:02}:00:00Z")
            await asyncio.sleep(3)
            store = on.fleet.platform.documents.tenant(SILK)
            return [each.ref.id for each in await store.query(ARRIVED_AT, {"property_id": KABUL}, limit=9)]

        assert await says("evt_1", went, 9) == []
        assert await says("evt_2", came, 8) == []  # it is of before
        assert await says("evt_3", came, 10) == ["rsv_1"]  # by mistake it was said that they went
        assert await says("evt_4", went, 9) == ["rsv_1"]
        assert await says("evt_5", went, 11) == []

    play(tmp_path, scenario)


def test_preferences_are_forgotten_with_a_changed_role(tmp_path):
    async def scenario(on):
        desk = BackofficeDesk(on)
        await desk.sign_in()
        liked = {"startView": "arrivals", "locale": "fa-AF", "shortcuts": False, "sound": True}
        await desk.ask("PUT", "preferences", liked)
        await hear(on, f"{M}tenant.operator_role.updated.v1", "evt_6", {"operatorId": "opr_1"})
        await asyncio.sleep(3)
        assert (await desk.ask("GET", "preferences"))[1]["startView"] == "dashboard"
        assert ("view.stale", "preferences") in await words(on, "usr_1")

    play(tmp_path, scenario)


def test_identity_takes_sessions_back_and_later_ones_stay(tmp_path):
    async def scenario(on):
        desk, spare = BackofficeDesk(on), BackofficeDesk(on, device="dev_back")
        await desk.sign_in()
        await asyncio.sleep(1)
        now = on.fleet.platform.clock.now().isoformat().replace("+00:00", "Z")
        await asyncio.sleep(1)
        await spare.sign_in()
        await hear(on, f"{M}iam.session.revoked.v1", "evt_1", {"userId": "usr_1"}, time=now)
        await asyncio.sleep(3)
        assert (await desk.ask("GET", "preferences"))[0] == 401
        assert (await spare.ask("GET", "preferences"))[0] == 200
        assert await words(on, "usr_1") == [("forceLogout", desk.session)]
        await hear(on, f"{M}iam.session.revoked.v1", "evt_2", {"sessionId": spare.session})
        await asyncio.sleep(3)
        assert (await spare.ask("GET", "preferences"))[0] == 401
        (closed,) = await spare.told("session.closed")
        assert (closed["payload"]["reason"], closed["envelope"]["causationId"]) == ("revoked", "evt_2")

    play(tmp_path, scenario)


def test_what_cannot_be_heard_is_set_aside_and_of_no_other_tenant(tmp_path):
    async def scenario(on):
        await hear(on, f"{M}alert.raised.v1", "evt_1", {**ALERT, "severity": "Ahmad Zahir"})
        await hear(on, f"{M}alert.raised.v1", "evt_2", {**ALERT, "tenantId": "tnt_other"})
        await hear(on, f"{M}alert.raised.v1", "evt_3", ALERT, tenant=TenantId("tnt_nobody"))
        await asyncio.sleep(3)
        waiting = await on.fleet.platform.dead_letters.waiting(topic=QUARANTINE_TOPIC)
        fields = [each.notes["field"] for each in waiting]
        assert fields == ["severity", "data.tenantId", "tenantId"]
        assert "Zahir" not in orjson.dumps([dict(each.notes) for each in waiting]).decode()
        assert await words(on) == []

    play(tmp_path, scenario)
