"""A company moves from one cell to another: its key stays at the door, and the new cell takes it back."""

import asyncio
import base64
import hashlib
import io
from contextlib import asynccontextmanager
from datetime import timedelta

import orjson
import pytest
from nacl.public import PrivateKey, SealedBox

from infra.local.ambient import SeededEntropy
from infra.local.departure import REST
from infra.local.fleet import open_fleet
from infra.local.simulation.loop import run_virtually
from infra.local.world import FleetConfig, World
from infra.manifest.load import load_manifest
from infra.manifest.resolved import function_timeout
from shared.kernel.log import Log
from shared.ledger.hotel_directory import KNOWN_FOR
from shared.ports.documents import Create, Ref, StaleVersion
from shared.usecases.audit.books import open_book
from shared.usecases.audit.services import AuditServices
from tests.support.sample_hotel import DOORS, SILK, SampleHotel, message
from tests.support.simulated import Simulated

OLD, NEW = "local", "local-b"
HOUR = 3_600
LONGER = {"anchor-tenant", "backoffice-feed"}
"""Who closes a day is stopped by another version of its log; a stream to a desktop writes nothing."""


class Cells:
    """Two cells, of which one runs at a time in this process, and the doors of the one hotel."""

    def __init__(self, root, clock):
        self.root, self.clock, self.house = root, clock, SampleHotel(clock, 0)

    @asynccontextmanager
    async def at(self, cell):
        """Run a cell for a while; the company is at home in the old one."""
        log = io.StringIO()
        world = World(
            clock=self.clock,
            threaded=False,
            entropy=SeededEntropy(cell == NEW),
            outside=self.house,
            log=Log("keyfleet", log),
        )
        config = FleetConfig(self.root / cell, sample=cell == OLD, cell=cell)
        async with open_fleet(config, world) as fleet:
            self.house.on = Simulated(fleet, log)
            yield self.house


async def asked(house, path="", body=None, method="POST"):
    raw = b"" if body is None else orjson.dumps(body)
    return await house.on.send(f"_cloud/tenants/{SILK}{path}", raw, caller="operator", method=method)


async def done(house, path, body=None, method="POST"):
    """Have something done that must be."""
    status, told = await asked(house, path, body, method)
    assert status == 200, told
    return told


async def frozen(house):
    """Freeze the company, and let the cell come to rest."""
    await done(house, "/freeze", {"to": NEW, "by": "usr_7"})
    await asyncio.sleep(REST.total_seconds())


async def exported(house, key):
    """Return an export as `keyfleet tenant export --to` writes it."""
    manifest = await done(house, "/departure", method="GET")
    boxes, place = [], ("", "", "")
    while place is not None:
        db, collection, id_ = place
        query = f"db={db}&collection={collection}&id={id_}&key={key.replace('+', '%2B')}"
        page = await done(house, f"/boxes?{query}", method="GET")
        boxes, place = boxes + page["boxes"], page["next"]
    documents, place = [], ("", "")
    while place is not None:
        page = await done(house, f"/documents?collection={place[0]}&id={place[1]}", method="GET")
        documents, place = documents + page["documents"], page["next"]
    digest = hashlib.sha256(orjson.dumps([documents, boxes])).hexdigest()
    await done(house, "/exported", {"sha256": digest})
    return {**manifest, "tenant": str(SILK), "form": 1, "sha256": digest}, boxes, documents


async def brought(house, export, crash_after=None):
    """Bring an export as `keyfleet tenant import` does, or only some steps of it."""
    manifest, boxes, documents = export
    told = {"by": "usr_7", "manifest": manifest}
    steps = [("", told)]
    steps += [("/boxes", {"boxes": boxes[at : at + 20]}) for at in range(0, len(boxes), 20)]
    steps += [("/documents", {"documents": documents[at : at + 20]}) for at in range(0, len(documents), 20)]
    for path, body in [*steps, ("/end", told)][:crash_after]:
        if path == "" and (await done(house, "/arrival", body))["here"]:
            break
        if path:
            await done(house, f"/arrival{path}", body)
    return len(steps) + 1


async def settled(house):
    """Wait until all locks are compared, and let work begin."""
    await house.settled()
    return await done(house, "/arrival/settled")


async def invited(house):
    return (await done(house, "/invitation", {"by": "usr_7"}))["key"]


async def moved(cells, lives=0, **stay):
    """Book a stay in the old cell, and move its company with the live key; return the door and the export."""
    async with cells.at(NEW) as house:
        key = await invited(house)
    async with cells.at(OLD) as house:
        await house.publish("evt_1", **stay)
        await house.settled()
        await asyncio.sleep(lives)
        before = await house.keys_at("101")
        await frozen(house)
        export = await exported(house, key)
    async with cells.at(NEW) as house:
        await brought(house, export)
        assert await settled(house) == {"waiting": []}
        assert await house.keys_at("101") == before
    return before, export


def play(root, scenario):
    async def main(clock):
        return await scenario(Cells(root, clock))

    return run_virtually(main, 0)


def pins(house, door="101"):
    """Return what opens a door, as its vendor knows it."""
    return [row.code for row in house.sim.cloud.passcodes.of(int(DOORS[door]))]


def test_a_check_out_in_the_new_cell_takes_the_key_back_that_the_old_one_made(tmp_path):
    async def scenario(cells):
        before, _ = await moved(cells)
        async with cells.at(NEW) as house:
            (key,) = (await house.documents("credentials")).values()
            await house.publish("evt_2", "checked_out")
            await house.settled()
            after = await house.keys_at("101")
            told = await house.told()
        return before, key["credential"]["state"]["type"], after, told

    before, state, after, told = play(tmp_path, scenario)
    assert len(before) == 1
    assert (state, after) == ("active", [])
    assert told[-2:] == ["revoked", "revoke_settled"]
    assert told.count("issued") == 1


def test_the_old_cell_does_nothing_any_more_and_keeps_what_it_is_told(tmp_path):
    async def scenario(cells):
        before, _ = await moved(cells, validFrom="2026-03-01T10:00:00Z", validUntil="2026-03-01T15:00:00Z")
        async with cells.at(OLD) as house:
            told = await house.told()
            await house.publish("evt_late", "checked_out")
            await house.publish("evt_new", reservationId="rsv_2", rooms=["rmu_102"])
            await asyncio.sleep(9 * HOUR)  # past the end of the stay, when its key would be taken back
            doors = [await house.keys_at(door) for door in ("101", "102", "front")]
            notes = {
                (each["subscription"].rpartition("/")[2], each["remedy"]) for each in house.quarantined()
            }
            return before, doors, notes, told == await house.told()

    before, doors, notes, silent = play(tmp_path, scenario)
    assert doors[0] == before
    assert doors[1] == []
    kept = {("on-booking-checked-out", f"publish the event in {NEW}")}
    assert notes >= kept | {("on-booking-confirmed", f"publish the event in {NEW}")}
    assert silent


def test_an_import_that_broke_off_anywhere_goes_on_and_does_nothing_twice(tmp_path):
    async def scenario(cells):
        async with cells.at(NEW) as house:
            key = await invited(house)
        async with cells.at(OLD) as house:
            await house.publish("evt_1")
            await house.settled()
            await frozen(house)
            export = await exported(house, key)
        async with cells.at(NEW) as house:
            waits = []
            for after in range(await brought(house, export, crash_after=0)):
                await brought(house, export, crash_after=after)
                waits.append(await is_refused(house))
        async with cells.at(NEW) as house:
            await brought(house, export)
            await settled(house)
            first, opens = await everything(house), pins(house)
            await brought(house, export)
            await settled(house)
            return waits, first, await everything(house), opens, pins(house)

    waits, first, again, before, after = play(tmp_path, scenario)
    assert waits == [True] * len(waits)
    assert (again, after) == (first, before)
    assert len(before) == 1


async def everything(house):
    """Return what was told, which keys there are, and where they are."""
    return [await house.documents(each) for each in ("outbox", "credentials", "grants", "reservations")]


async def is_refused(house):
    """Say whether the cell works for nobody of the company yet."""
    before = len(house.quarantined())
    await house.publish(f"evt_early_{before}", reservationId="rsv_9", rooms=["rmu_102"])
    await house.settled()
    return (len(house.quarantined()) > before, await house.keys_at("102")) == (True, [])


@pytest.mark.parametrize(
    ("spoilt", "problem"),
    [
        ({"to": "europe-west6"}, "pinned to another cell"),
        ({"form": 2}, "of a newer release"),
        ({"form": None}, "not sealed for any cell"),
        ({"tenant": "tnt_other"}, "another company's export"),
    ],
)
def test_an_export_that_is_not_for_this_cell_is_refused_before_anything_is_kept(tmp_path, spoilt, problem):
    async def scenario(cells):
        async with cells.at(NEW) as house:
            manifest = {"tenant": str(SILK), "form": 1, "to": NEW, "sha256": "0", "record": {}}
            status, told = await asked(house, "/arrival", {"by": "usr_7", "manifest": {**manifest, **spoilt}})
            record = await house.fleet.documents.tenant(SILK).get(Ref("tenant", "record"))
            return status, str(told), record

    status, told, record = play(tmp_path, scenario)
    assert (status, record) == (400, None)
    assert problem in told


def test_a_company_that_is_here_is_refused(tmp_path):
    async def scenario(cells):
        async with cells.at(OLD) as house:
            manifest = {"tenant": str(SILK), "form": 1, "to": OLD, "sha256": "0", "record": {}}
            answers = [
                await asked(house, "/arrival", {"by": "usr_7", "manifest": manifest}),
                await asked(house, "/invitation", {"by": "usr_7"}),
            ]
            return [(status, "is or was here" in str(told)) for status, told in answers]

    assert play(tmp_path, scenario) == [(400, True), (400, True)]


def test_nothing_that_opens_a_door_can_be_read_in_an_export(tmp_path):
    async def scenario(cells):
        _, (manifest, boxes, documents) = await moved(cells)
        return pins(cells.house), orjson.dumps([manifest, boxes, documents]).decode(), boxes

    secrets, text, boxes = play(tmp_path, scenario)
    assert secrets
    assert [each for each in secrets if each in text] == []
    stranger = SealedBox(PrivateKey(bytes(32)))
    with pytest.raises(Exception, match="decrypt"):
        stranger.decrypt(base64.b64decode(boxes[0]["box"]))


def test_a_company_leaves_its_region_only_where_somebody_says_which(tmp_path):
    async def scenario(cells):
        async with cells.at(OLD) as house:
            first = await asked(house, "/freeze", {"to": "europe-west6", "by": "usr_7"})
            leaves = {"to": "europe-west6", "by": "usr_7", "leaves": OLD}
            second = await asked(house, "/freeze", leaves)
            too_soon = await asked(house, "/departure", method="GET")
            await done(house, "/thaw", {"by": "usr_7"})
            await house.publish("evt_1")
            await house.settled()
            return first, second[0], too_soon, len(await house.keys_at("101"))

    first, second, too_soon, keys = play(tmp_path, scenario)
    assert first[0] == 400
    assert "where the company is pinned" in str(first[1])
    assert second == 200
    assert "frozen just now" in str(too_soon[1])
    assert keys == 1


def test_the_old_cell_lets_go_only_for_the_export_that_arrived(tmp_path):
    async def scenario(cells):
        before, (manifest, _, _) = await moved(cells)
        async with cells.at(OLD) as house:
            gone = {"tenant": str(SILK), "by": "usr_7"}
            refused = [
                (await asked(house, "/removal", {**gone, "arrived": each}))[0] for each in (None, "another")
            ]
            thawed, _ = await asked(house, "/thaw", {"by": "usr_7"})
            remains = await done(house, "/removal", {**gone, "arrived": manifest["sha256"]})
            return refused, thawed, remains, before == await house.keys_at("101")

    refused, thawed, remains, untouched = play(tmp_path, scenario)
    assert refused == [400, 400]
    assert thawed == 400
    assert {*remains["documents"], *remains["sealed"]} <= {*remains["audit"]}
    assert remains["secrets"] == 0
    assert untouched


def test_a_stay_s_events_are_told_once_and_go_on_in_their_sequence(tmp_path):
    async def scenario(cells):
        await moved(cells)
        async with cells.at(NEW) as house:
            await house.fleet.bus.publish(
                "melmastoon.reservation.booking.checked_out.v1",
                [message("evt_2", "checked_out")],
            )
            await house.settled()
            rows = [row for id_, row in (await house.documents("outbox")).items() if id_.startswith("key_")]
            return [row["sequence"] for row in rows]

    sequences = play(tmp_path, scenario)
    assert sequences == list(range(1, len(sequences) + 1))


def test_nothing_is_removed_at_a_door_before_its_locks_are_compared(tmp_path):
    async def scenario(cells):
        async with cells.at(NEW) as house:
            key = await invited(house)
        async with cells.at(OLD) as house:
            await house.publish("evt_1")
            await house.settled()
            await frozen(house)
            export = await exported(house, key)
        async with cells.at(NEW) as house:
            await house.fault("http_500", "lock/listKeyboardPwd")
            await brought(house, export)
            await house.publish("evt_2", "checked_out")
            await asyncio.sleep(HOUR)
            waiting = (await done(house, "/arrival/settled"))["waiting"]
            told, there = await house.told(), await house.keys_at("101")
            await house.mend()
            await brought(house, export)
            await asyncio.sleep(HOUR)
            settled_at_last = await done(house, "/arrival/settled")
            await asyncio.sleep(HOUR)
            return waiting, told[-1], there, settled_at_last, await house.keys_at("101")

    waiting, told, there, settled_at_last, gone = play(tmp_path, scenario)
    assert waiting == ["ppt_kabul at ttlock"]
    assert (told, len(there)) == ("revoked", 1)
    assert (settled_at_last, gone) == ({"waiting": []}, [])


@pytest.mark.soak
def test_the_audit_log_goes_on_with_the_next_day_and_names_the_last_checkpoint_of_the_old_one(tmp_path):
    async def scenario(cells):
        await moved(cells, lives=24 * HOUR)
        async with cells.at(OLD) as house:
            old = await log_of(house)
        async with cells.at(NEW) as house:
            await house.publish("evt_2", "checked_out")
            await house.settled()
            await asyncio.sleep(24 * HOUR)
            follows = (await asked(house, method="GET"))[1]["audit_follows"]
            return old, follows, await log_of(house), await house.documents("audit_streams")

    old, follows, new, streams = play(tmp_path, scenario)
    same = ("origin", "date", "size", "root")
    assert [follows[name] for name in same] == [old[name] for name in same]
    assert new["origin"] == f"audit.melmastoon.ghasi.io/{NEW}/{SILK}"
    assert new["date"] > old["date"]
    (key,) = (row for id_, row in streams.items() if id_.startswith("key_"))
    told = key["head"]["sequence"]
    assert told == 5
    assert 0 < len(key["entries"]) < told  # the others are in the log of the old cell, and no gap is found


async def log_of(house):
    return (await house.fleet.documents.tenant(SILK).get(Ref("audit_logs", "tenant"))).data


@pytest.mark.soak
def test_a_log_that_stayed_behind_is_kept_for_its_time_and_read_but_closes_no_day(tmp_path):
    async def scenario(cells):
        await moved(cells, lives=24 * HOUR)
        async with cells.at(OLD) as house:
            before = await log_of(house)
            await asyncio.sleep(2 * 24 * HOUR)
            after = await log_of(house)
            body = {"tenant": str(SILK), "date": "2026-03-01"}
            status, told = await house.on.send("anchor-tenant", body, caller="workflow-anchor-day")
            return before == after, status, str(told)

    same, status, told = play(tmp_path, scenario)
    assert same
    assert (status, "no tenant of this cell" in told) == (400, True)


def test_a_key_is_found_by_its_pin_under_the_new_cell_s_own_index(tmp_path):
    async def scenario(cells):
        _, (_, _, documents) = await moved(cells)
        old = {each["id"]: each["data"]["grant"] for each in documents if each["collection"] == "grants"}
        async with cells.at(NEW) as house:
            new = {id_: row["grant"] for id_, row in (await house.documents("grants")).items()}
        return old, new

    old, new = play(tmp_path, scenario)
    assert old.keys() == new.keys()
    for field in ("pin_index", "vendor_ref_index"):
        assert all(new[id_][field] and new[id_][field] != old[id_][field] for id_ in old)
        assert len({each[field] for each in old.values()}) == len({each[field] for each in new.values()})


def test_a_check_out_that_came_during_the_move_is_handed_over_and_has_its_effect_once(tmp_path):
    async def scenario(cells):
        await moved(cells)
        async with cells.at(NEW) as house:
            key = await invited(house)
        async with cells.at(OLD) as house:
            await house.publish("evt_2", "checked_out")
            await house.settled()
            boxes = (await done(house, f"/set-aside?key={key.replace('+', '%2B')}", method="GET"))["boxes"]
        async with cells.at(NEW) as house:
            for _ in range(2):
                await done(house, "/arrival/events", {"boxes": boxes})
                await house.settled()
            return boxes, await house.told(), await house.keys_at("101")

    boxes, told, there = play(tmp_path, scenario)
    assert [each["id"] for each in boxes] == ["evt_2"]
    assert told.count("revoked") == 1
    assert there == []


def test_a_company_is_not_frozen_while_an_account_of_it_is_being_replaced(tmp_path):
    async def scenario(cells):
        async with cells.at(OLD) as house:
            tenant, ends = house.fleet.sealed.tenant(SILK), house.on.fleet.platform.clock.now()
            told = Create(Ref("next_accounts", "ttlock.ppt_kabul"), {}, ends + timedelta(hours=1))
            await tenant.commit([told])
            answers = [await asked(house, "/freeze", {"to": NEW, "by": "usr_7"})]
            await asyncio.sleep(2 * HOUR)
            return [*answers, await asked(house, "/freeze", {"to": NEW, "by": "usr_7"})]

    (refused, why), (later, _) = play(tmp_path, scenario)
    assert (refused, later) == (400, 200)
    assert "an account is being replaced" in str(why)


def test_no_process_works_longer_for_a_frozen_company_than_it_rests():
    found = load_manifest().functions.values()
    longest = max(function_timeout(each) for each in found if each.name not in LONGER)
    assert KNOWN_FOR + timedelta(seconds=longest) <= REST


def test_a_day_that_is_being_closed_as_the_company_is_frozen_is_closed_no_more(tmp_path):
    async def scenario(cells):
        async with cells.at(OLD) as house:
            await house.publish("evt_1")
            await house.settled()
            await asyncio.sleep(24 * HOUR)
            book = await open_book(AuditServices.on(house.fleet.platform), SILK)
            await done(house, "/freeze", {"to": NEW, "by": "usr_7"})
            with pytest.raises(StaleVersion):
                await book.save(book.record.anchored)

    play(tmp_path, scenario)
