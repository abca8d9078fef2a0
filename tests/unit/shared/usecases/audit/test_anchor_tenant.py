"""A tenant's days become a log: in order, once, whoever dies at it, and what comes late is said."""

import asyncio

import pytest

from shared.audit.anchor import KeepHead
from shared.audit.checkpoint import Checkpoint
from shared.audit.entries import Entry
from shared.audit.errors import Behind
from shared.audit.intake import Head, Kept
from shared.audit.subjects import Subject
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ledger.audit_log import MOST_ENTRIES, StreamRecord
from shared.ports.documents import Delete, Ref, Update
from shared.usecases.audit import frozen_day
from shared.usecases.audit.anchor_tenant import CloseDays, anchor_tenant
from shared.usecases.audit.frozen_day import RowGone
from shared.usecases.audit.log_files import folder_of
from shared.usecases.audit.retention import keep_tenant
from shared.usecases.audit.services import PLATFORM
from shared.usecases.audit.signers import check
from tests.support.audit_house import DAYS, SILK, Steady, audit_house, checked_out, later, stay
from tests.support.mortal import Died, Life


def kinds(headers):
    return [each.get("finding") or each.get("action") or each["kind"] for each in headers]


async def test_a_day_holds_what_was_told_on_it_stream_by_stream(house):
    await house.tell(*stay("key_b", DAYS[0]), *stay("key_a", DAYS[0], 12), *stay("key_c", DAYS[1]))
    await house.close(DAYS[0])
    headers = await house.headers()
    assert [(each.get("stream"), each.get("seq")) for each in headers[:-1]] == [
        ("key_a", 1),
        ("key_a", 2),
        ("key_b", 1),
        ("key_b", 2),
    ]
    assert headers[-1] | {"v": 0} == {
        "v": 0,
        "kind": "day",
        "tenant": SILK,
        "day": DAYS[0],
        "first": 0,
        "actions": 4,
        "findings": 0,
        "streams": 2,
    }


async def test_a_days_checkpoint_is_signed_by_the_logs_own_key(house):
    await house.close(DAYS[0])
    book = await house.book()
    note = await book.note(DAYS[0])
    assert book.record.keys.require(note, check) == book.record.anchored.checkpoint
    assert book.record.origin == "audit.melmastoon.ghasi.io/local/tnt_silk"
    assert (await house.cell()).record.keys.keys[-1].key.public_key != note.signatures[0].key_id


async def test_a_log_begins_with_its_oldest_row_and_misses_no_day(house):
    await house.tell(*stay("key_a", DAYS[0]))
    await house.close(DAYS[2])
    days = [each["day"] for each in await house.headers() if each["kind"] == "day"]
    assert days == list(DAYS)


async def test_rows_that_name_no_guest_are_about_the_guest_of_their_stream(house):
    await house.tell(*stay("key_a", DAYS[0]))
    await house.close(DAYS[0])
    await house.tell(*checked_out("key_a", DAYS[2]))
    await house.close(DAYS[2])
    aliases = {each["guest"] for each in await house.headers() if each["kind"] == "action"}
    assert len(aliases) == 1
    assert "gst_" not in aliases.pop()


async def test_what_comes_late_is_found_when_the_next_day_is_closed(house):
    await house.tell(*stay("key_a", DAYS[0]))
    await house.close(DAYS[0])
    await house.tell(*checked_out("key_a", DAYS[0]), *stay("key_b", DAYS[0])[:1])
    await house.tell(*stay("key_0", DAYS[1]))
    await house.close(DAYS[1])
    assert kinds(await house.headers())[3:] == [
        "late",
        "late",
        "late",
        "requested",
        "issued",
        "day",
    ]


async def test_what_is_missing_in_a_stream_is_found(house):
    await house.tell(*stay("key_a", DAYS[0]), *checked_out("key_a", DAYS[0], sequence=5))
    await house.close(DAYS[0])
    assert kinds(await house.headers()) == ["requested", "issued", "gap", "revoked", "revoke_settled", "day"]


async def test_a_day_that_is_not_over_is_not_closed(house):
    house.at(f"{DAYS[1]}T00:10:00Z")
    with pytest.raises(InvalidInput, match="not over"):
        await anchor_tenant(CloseDays(SILK, DAYS[0]), house.on)


async def test_a_tenant_of_another_cell_has_no_log_here(house):
    house.at(f"{DAYS[1]}T03:00:00Z")
    with pytest.raises(InvalidInput, match="no tenant of this cell"):
        await anchor_tenant(CloseDays(TenantId("tnt_other"), DAYS[0]), house.on)


async def test_a_long_time_away_is_made_up_in_several_calls(house):
    await house.tell(*stay("key_a", DAYS[0]))
    far = later(DAYS[0], 40)
    house.at(f"{later(far, 1)}T03:00:00Z")
    first = await anchor_tenant(CloseDays(SILK, far), house.on)
    second = await anchor_tenant(CloseDays(SILK, far), house.on)
    assert (first["behind"], second["behind"]) == (True, False)
    assert second["size"] == 2 + 41


async def test_a_day_closed_twice_is_the_same_day(house):
    await house.close(DAYS[0])
    before = (await house.book()).record
    await house.close(DAYS[0])
    assert (await house.book()).record.anchored == before.anchored


async def test_a_restored_backup_closes_no_day(house):
    """The documents are as they were before the last day, the objects are not."""
    await house.tell(*stay("key_a", DAYS[0]))
    await house.close(DAYS[0])
    backup = await house.documents.get(Ref("audit_logs", "tenant"))
    await house.close(DAYS[1])
    now = await house.documents.get(Ref("audit_logs", "tenant"))
    await house.documents.commit([Update(now.ref, backup.data, now.version)])
    with pytest.raises(Behind, match="backup"):
        await house.close(DAYS[1])
    assert house.alerts()[-1]["runbook"] == "audit/anchor"


async def test_a_row_that_is_gone_keeps_its_day_from_being_made_again(house):
    await house.tell(*stay("key_a", DAYS[0]))
    life = Life()
    life.ends_at = 40
    house.at(f"{DAYS[1]}T03:00:00Z")
    with pytest.raises(Died):
        await anchor_tenant(CloseDays(SILK, DAYS[0]), house.mortal(life))
    found = await house.documents.get(Ref("outbox", "key_a.000002"))
    await house.documents.commit([Delete(found.ref, found.version)])
    with pytest.raises(RowGone, match=r"key_a\.000002"):
        await anchor_tenant(CloseDays(SILK, DAYS[0]), house.on)


async def two_days(house, on=None, late=()):
    """Close two days; what is told between two tries of the first is late."""
    rows = [each for number in range(9) for each in stay(f"key_{number}", DAYS[0])]
    if not await house.documents.get(Ref("outbox", "key_0.000001")):
        await house.tell(*rows)
    await house.close(DAYS[0], on)
    if not await house.documents.get(Ref("outbox", "key_0.000003")):
        await house.tell(*checked_out("key_0", DAYS[1]), *stay("key_new", DAYS[1], guest="gst_of_key_1"))
    return await house.close(DAYS[1], on)


def outcome(book, cell):
    return book.record.anchored, cell.record.anchored


async def whole(folder):
    folder.mkdir()
    async with audit_house(folder, Steady()) as house:
        life = Life()
        await two_days(house, house.mortal(life))
        return outcome(await house.book(), await house.cell()), life.steps, await house.headers()


async def died(folder, at):
    folder.mkdir()
    async with audit_house(folder, Steady()) as house:
        life = Life()
        life.ends_at = at
        with pytest.raises(Died):
            await two_days(house, house.mortal(life))
        await two_days(house)
        return outcome(await house.book(), await house.cell()), await house.headers()


async def play_deaths(tmp_path, monkeypatch, every):
    monkeypatch.setattr(frozen_day, "PAGE", 4)
    expected, steps, headers = await whole(tmp_path / "whole")
    assert steps > 300
    for at in range(1, steps, every):
        after, read = await died(tmp_path / str(at), at)
        assert after == expected, f"died at {at} of {steps}"
        assert read == headers, f"died at {at} of {steps}"


async def test_a_death_at_any_line_ends_in_the_same_roots(tmp_path, monkeypatch):
    await play_deaths(tmp_path, monkeypatch, 61)


@pytest.mark.soak
async def test_a_death_at_every_third_line_ends_in_the_same_roots(tmp_path, monkeypatch):
    await play_deaths(tmp_path, monkeypatch, 3)


async def test_what_comes_between_a_death_and_the_next_try_is_late_and_not_among_the_days(house, monkeypatch):
    monkeypatch.setattr(frozen_day, "PAGE", 4)
    await house.tell(*(each for number in range(4) for each in stay(f"key_{number}", DAYS[0])))
    house.at(f"{DAYS[1]}T03:00:00Z")
    life = Life()
    life.ends_at = 60
    with pytest.raises(Died):
        await anchor_tenant(CloseDays(SILK, DAYS[0]), house.mortal(life))
    await house.tell(*stay("key_1a", DAYS[0]))
    await house.close(DAYS[0])
    await house.close(DAYS[1])
    findings = [each["stream"] for each in await house.headers() if each["kind"] == "finding"]
    assert findings == ["key_1a", "key_1a"]


async def test_two_who_close_a_day_at_once_close_it_once(house):
    await house.tell(*stay("key_a", DAYS[0]))
    house.at(f"{DAYS[1]}T03:00:00Z")
    tries = [anchor_tenant(CloseDays(SILK, DAYS[0]), house.on) for _ in range(4)]
    await asyncio.gather(*tries, return_exceptions=True)
    await house.close(DAYS[0])
    assert kinds(await house.headers()) == ["requested", "issued", "day"]


async def test_each_guest_has_an_alias_of_their_own_the_same_in_every_stay(house):
    await house.tell(*stay("key_a", DAYS[0], guest="gst_1"), *stay("key_b", DAYS[0], guest="gst_2"))
    await house.close(DAYS[0])
    await house.tell(*stay("key_c", DAYS[1], guest="gst_1"))
    await house.close(DAYS[1])
    of = {each["stream"]: each["guest"] for each in await house.headers() if each["kind"] == "action"}
    assert of["key_a"] == of["key_c"] != of["key_b"]


async def test_the_platforms_own_events_have_a_log_too(house):
    await house.tell(*stay("vad_1", DAYS[0]), tenant=PLATFORM)
    await house.close(DAYS[0])
    assert len(await house.headers(PLATFORM)) == 3


def test_no_two_tenants_share_a_folder():
    names = ["tnt_silk", "tnt_Silk", "tnt_SILK", "tnt-silk", "tnt_01HX4Q8ZT9WKE2M7VR5N3BCD6F"]
    assert len({folder_of(TenantId(each)) for each in names if each.startswith("tnt_")}) == 4


async def test_the_cells_day_holds_the_checkpoint_of_each_tenant(house):
    told = await house.close(DAYS[0])
    assert told["open"] == []
    at = Checkpoint.parse(told["checkpoint"])
    assert (at.origin, at.size) == ("audit.melmastoon.ghasi.io/local", 2)


async def test_a_stream_that_goes_on_after_its_rows_were_let_go_of_is_about_the_same_guest(house):
    await house.tell(*stay("key_a", DAYS[0]))
    await house.close(DAYS[0])
    house.clock.advance(days=91)
    assert (await keep_tenant(SILK, house.on))["streams"] == 1
    await house.tell(*checked_out("key_a", later(DAYS[0], 3)))
    await house.close(later(DAYS[0], 3))
    guests = [each["guest"] for each in await house.headers() if each["kind"] == "action"]
    assert (len(guests), len({*guests})) == (4, 1)


def test_a_stream_remembers_the_newest_of_very_many_entries():
    subject = Subject(b"k" * 32)
    many = tuple((at, Kept(Entry(b"{}"), "lck_1", Head(at + 1))) for at in range(MOST_ENTRIES + 7))
    record = StreamRecord("lck_1").after(DAYS[0], KeepHead("lck_1", Head(9), many), subject)
    assert (len(record.entries), record.entries[0]) == (MOST_ENTRIES, 7)
