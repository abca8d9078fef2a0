"""A guest who stayed, was told and used doors: exported, erased, and years later forgotten everywhere."""

import asyncio
import base64
from dataclasses import replace
from datetime import timedelta

from infra.local.simulation.loop import run_virtually
from infra.local.upkeep import _let_go
from infra.verifier.verify_pack import verify
from shared.audit.anchor import moved
from shared.ledger.audit_log import OF_CELL
from shared.runtime.platform import deployed
from shared.usecases.audit.books import open_book
from shared.usecases.audit.services import PLATFORM, AuditServices
from tests.support.guests import GUEST, SILK
from tests.support.heard_hotel import HeardHotel
from tests.support.sample_hotel import hunted
from tests.support.simulated import simulated_fleet
from tests.support.told_hotel import ToldHotel

STAY = "rsv_canary_5d1c"
WHO = {**GUEST, "id": "gst_canary_7f3a"}
REACHED = ("Zarghuna Canary", "canary@guest.test", "+93700555121")
NOW = {"validFrom": "2026-03-01T08:00:00Z", "validUntil": "2026-03-03T08:00:00Z"}


class WholeHotel(ToldHotel, HeardHotel):
    """The sample hotel whose guests are written to, and whose doors tell who tried them."""


async def call(house, function, **body):
    status, answer = await house.on.send(function, body, caller="operator")
    assert status == 200, answer
    return answer


async def of_guest(house, do):
    return await call(house, "audit-rights", do=do, tenant=SILK, guest=WHO["id"], by="usr_clerk")


async def pass_time(house, span):
    house.fleet.world.clock._beginning += span
    await house.settled()


async def one_stay(house):
    """Have a guest booked, told, let in at a door, refused at another, and checked out."""
    await house.open()
    await house.listen()
    await house.publish("evt_1", guest=WHO, reservationId=STAY, **NOW)
    await asyncio.sleep(60)
    await house.settled()
    (row,) = await house.keys_at("101")
    assert await house.try_door("101", pin=row["code"])
    await house.heard(30)
    await house.publish("evt_2", "checked_out", reservationId=STAY)
    await asyncio.sleep(60)
    await house.settled()


async def close_yesterday(house, passed_over=False):
    """Close the logs up to yesterday; years without anything in them are passed over in the records."""
    date = (house.fleet.world.clock.now() - timedelta(days=1)).date().isoformat()
    if passed_over:
        deployed.set(house.fleet._functions["anchor-tenant"].deployed)
        on = AuditServices.on(house.fleet.platform)
        for tenant, name in ((SILK, "tenant"), (PLATFORM, "tenant"), (PLATFORM, OF_CELL)):
            record = (await open_book(on, tenant, name)).record
            anchored = replace(record.anchored, date=moved(date, -1))
            await on.documents.tenant(tenant).commit([replace(record, anchored=anchored).write()])
    await call(house, "anchor-due", date=date)
    await house.settled()


def everything(house):
    """Return whatever the fleet's one file holds, table by table, and its log."""
    engine = house.fleet.means.engine
    tables = [name for (name,) in engine.read("SELECT name FROM sqlite_master WHERE type = 'table'", ())]
    rows = {name: str(engine.read(f"SELECT * FROM {name}", ())) for name in tables}
    opened = engine.read("SELECT collection, id, keys, unpacked(body) FROM packed", ())
    return {**rows, "documents": str(opened)}


def found(house, words):
    return {name for name, text in everything(house).items() if any(each in text for each in words)}


def words(stay):
    """Return what a guest was told, and how far it came."""
    return {each["kind"]: each["outcome"] for each in stay["messages"]}


async def asserted_export(house):
    """Check that an export holds the stay, its key, its attempt and its messages, and the log's proofs."""
    told = await of_guest(house, "export")
    assert verify(base64.b64decode(told["pack"]), told["policy"]).failures == []
    (stay,) = told["stays"]
    (key,) = stay["keys"]
    assert (stay["reservation"], stay["status"], key["state"]) == (STAY, "checked_out", "revoked")
    assert [(each["opened"], each["means"]) for each in key["attempts"]] == [(True, "pin")]
    assert words(stay) == {"pin_code.delivered": "reached", "key.ended": "reached"}


async def years_later(house):
    """Let the window pass, and the two nights: in the first it is announced, in the second carried out."""
    await pass_time(house, timedelta(days=1))
    await close_yesterday(house)
    await pass_time(house, timedelta(days=2_700))
    await close_yesterday(house, passed_over=True)
    for _ in range(2):
        await call(house, "audit-upkeep")
        await pass_time(house, timedelta(days=1))
        await close_yesterday(house)
    await _let_go(house.fleet)


async def assert_log_verifies(house):
    """Check that the door's evidence of those days verifies still."""
    asked = {
        "kind": "door",
        "tenant": SILK,
        "by": "usr_auditor",
        "property": "ppt_kabul",
        "rooms": ["rmu_101"],
    }
    days = {"since": "2026-03-01T00:00:00Z", "until": "2026-03-03T00:00:00Z"}
    told = await call(house, "audit-pack", **asked, **days)
    report = verify(base64.b64decode(told["pack"]), told["policy"])
    assert (report.failures, report.checked["entries"] > 3) == ([], True)


def test_a_guest_is_shown_all_is_reached_no_more_and_leads_nowhere_years_later(tmp_path):
    async def scenario(house):
        await one_stay(house)
        await pass_time(house, timedelta(days=3))
        await close_yesterday(house)
        await asserted_export(house)
        assert found(house, (WHO["id"], STAY)), "the hunt finds what is there"
        assert (await of_guest(house, "erase"))["contacts_erased"] == 1
        await house.publish("evt_1", guest=WHO, reservationId=STAY, **NOW)
        await house.settled()
        assert (await of_guest(house, "erase"))["contacts_erased"] == 0, "a confirmation came again"
        await years_later(house)
        assert found(house, (WHO["id"], STAY, *REACHED)) == set()
        assert not [each for each in REACHED if each in house.on.log.getvalue()]
        await assert_log_verifies(house)

    async def main(clock):
        house = WholeHotel(clock, 0)
        async with simulated_fleet(tmp_path, clock, 0, outside=house) as on:
            house.on = on
            return await hunted(house, scenario)

    run_virtually(main, 0)
