"""The cell's log: a day of it holds the tenants' checkpoints, and is what those outside see."""

import pytest

from shared.audit.checkpoint import Checkpoint
from shared.audit.errors import Behind, Forked
from shared.audit.notes import Note
from shared.audit.tiles import bundled
from shared.audit.tree import leaf_hash
from shared.audit.witness import Request, judge
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.usecases.audit.anchor_cell import CloseCell, close_cell, place_of, require_fresh
from shared.usecases.audit.anchor_tenant import CloseDays, anchor_tenant
from shared.usecases.audit.openings import draw_next_key
from shared.usecases.audit.reader import reader_of
from shared.usecases.audit.services import PLATFORM
from shared.usecases.audit.signers import check
from shared.usecases.audit.witnessing import cosign, request_for, trust_desk
from tests.support.audit_house import CELL, DAYS, SILK, stay
from tests.support.notaries import log, witness

OTHER = TenantId("tnt_other")


async def test_a_tenant_whose_day_is_open_is_told_of_and_keeps_nobody_waiting(house):
    await house.admit(OTHER)
    told = await close_late(house, DAYS[0], (SILK, PLATFORM), (SILK, OTHER, PLATFORM))
    assert told["open"] == [OTHER]
    (alert,) = house.alerts()
    assert (alert["message"], alert["tenant"]) == ("a day of the audit log is open", OTHER)


async def close_late(house, date, closed, all_of_them):
    """Close a day of some tenants, and the cell's day of all."""
    house.at(f"{date}T00:00:00Z")
    house.clock.advance(days=1, hours=2)
    for tenant in closed:
        await anchor_tenant(CloseDays(tenant, date), house.on)
    return await close_cell(CloseCell(date, all_of_them), house.on)


async def test_a_tenant_that_was_left_out_stands_in_the_next_day_and_is_shown_from_then_on(house):
    await house.admit(OTHER)
    await house.tell(*stay("key_a", DAYS[0]), tenant=OTHER)
    both = (SILK, OTHER, PLATFORM)
    await close_late(house, DAYS[0], (SILK, PLATFORM), both)
    with pytest.raises(InvalidInput, match="no day of its log is closed"):
        await reader_of(OTHER, house.on)
    await close_late(house, DAYS[1], both, both)
    log_of_other = await reader_of(OTHER, house.on)
    assert (log_of_other.date, log_of_other.at.size) == (DAYS[1], 4)
    cell = await house.cell()
    assert await place_of(cell, DAYS[0], log_of_other.book.record.origin) is None
    entries = bundled(await cell.files.fetch("tile/entries/000.p/5"))
    assert entries[log_of_other.last.place] == log_of_other.last.note.text.encode()
    assert len({leaf_hash(each) for each in entries}) == 5


async def test_a_cell_that_is_behind_what_was_seen_stops_before_any_tenant(house):
    await house.close(DAYS[0])
    at = (await house.cell()).record.anchored.checkpoint
    await require_fresh(house.on, (at,))
    with pytest.raises(Behind):
        await require_fresh(house.on, (Checkpoint(at.origin, at.size + 1, b"r" * 32),))
    with pytest.raises(Forked):
        await require_fresh(house.on, (Checkpoint(at.origin, at.size, b"r" * 32),))
    assert [each["message"] for each in house.alerts()] == ["the cell's audit log cannot be closed"] * 2


async def test_a_cell_that_was_never_closed_is_behind_whatever_was_seen(house):
    with pytest.raises(Behind, match="backup"):
        await require_fresh(house.on, (Checkpoint(f"audit.melmastoon.ghasi.io/{CELL}", 3, b"r" * 32),))


async def test_a_cells_day_closed_twice_is_the_same_day(house):
    await house.close(DAYS[0])
    before = await (await house.cell()).note(DAYS[0])
    await house.close(DAYS[0])
    assert await (await house.cell()).note(DAYS[0]) == before


async def test_the_cells_key_is_replaced_at_a_size_and_the_day_of_the_change_is_the_old_ones(house):
    await house.close(DAYS[0])
    coming = await draw_next_key(PLATFORM, house.on)
    await house.close(DAYS[1])
    await house.close(DAYS[2])
    keys = (await house.cell()).record.keys
    assert str(keys.keys[1].key) == coming["coming"]
    signers = [(await (await house.cell()).note(day)).signatures[0].key_id for day in DAYS]
    assert signers == [keys.keys[0].key.id, keys.keys[0].key.id, keys.keys[1].key.id]


async def test_a_desk_that_remembers_an_earlier_day_is_shown_that_the_cell_continues_it(house):
    desk = witness("desk.example/front")
    await trust_desk({"key": str(desk.key)}, house.on)
    remembered = None
    for day in DAYS:
        await house.close(day)
        asked = await request_for(remembered.size if remembered else 0, house.on)
        keys = [each.key for each in (await house.cell()).record.keys.keys]
        text = asked["request"].encode()
        verdict = judge(text, lambda _, keys=keys: keys, lambda _, last=remembered: last, check)
        assert (verdict.status, asked["date"]) == (200, day), verdict.body
        remembered = verdict.keep
        line = verdict.cosigned(desk.key, desk.sign, 1_800_000_000)
        assert (await cosign({"date": day, "line": line}, house.on))["witness"] == desk.name


async def test_a_desk_asks_for_no_size_that_never_was(house):
    await house.close(DAYS[0])
    with pytest.raises(InvalidInput, match="ever had"):
        await request_for(99, house.on)


async def test_only_a_witness_key_is_trusted_as_one(house):
    for key in (str(log("log.example").key), "no key"):
        with pytest.raises(InvalidInput):
            await trust_desk({"key": key}, house.on)


def test_a_request_is_written_as_witnesses_read_it():
    note = Note("audit.example/cell\n0\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n", ())
    assert str(Request(0, (), note)).startswith("old 0\n\naudit.example/cell\n")
