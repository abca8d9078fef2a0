"""A guest asks what is kept, asks to be forgotten, and is forgotten when the law allows it."""

import base64
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from infra.verifier.verify_pack import verify
from shared.audit.anchor import moved
from shared.audit.evidence import Question, read
from shared.audit.pack import Span
from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.ledger.guest_contacts import Contact, GuestContacts
from shared.ledger.guest_devices import GuestDevice, GuestDevices
from shared.ports.documents import Ref
from shared.usecases.audit import anchor_tenant
from shared.usecases.audit.forgetting import forget_announced
from shared.usecases.audit.packs import packed, policy
from shared.usecases.audit.questions import Found
from shared.usecases.audit.reader import reader_of
from shared.usecases.audit.retention import keep_tenant
from shared.usecases.audit.rights import GuestRequest, answer, erase_guest, hold, release
from shared.usecases.audit.services import PLATFORM
from tests.support.audit_house import (
    DAYS,
    SILK,
    Steady,
    audit_house,
    booked,
    checked_out,
    later,
    stay,
)
from tests.support.ledger_books import Books
from tests.support.mortal import Died, Life

GUEST = "gst_canary_7f3a"
STAY = "rsv_of_key_a"


def asked(**more):
    return {"tenant": "tnt_silk", "guest": GUEST, "by": "usr_clerk", **more}


async def one_guest(house):
    """Have a guest stay for two days, beside another."""
    await house.tell(*stay("key_a", DAYS[0], guest=GUEST), *stay("key_b", DAYS[0]))
    await house.close(DAYS[0])
    await house.tell(*checked_out("key_a", DAYS[2]), *checked_out("key_b", DAYS[2]))
    await house.close(DAYS[2])


async def years_later(house):
    """Close a day after the window is over, and do what is due behind it."""
    await years_ahead(house)
    return await keep_tenant(SILK, house.on)


async def years_ahead(house, days=2_557 + 40):
    """Close a day after the window is over, which tells who is to be forgotten; nobody is yet."""
    date = later(DAYS[2], days)
    house.at(f"{date}T12:00:00Z")
    house.clock.advance(days=2)
    await close_up_to(house, later(DAYS[2], 1))
    await keep_tenant(SILK, house.on)
    with monkeyed(anchor_tenant, "forget_announced"):
        await close_up_to(house, date)


@contextmanager
def monkeyed(module, name):
    """Have a process die before it comes to something, for once."""
    kept = getattr(module, name)

    async def nothing(_book):
        return 0

    setattr(module, name, nothing)
    try:
        yield
    finally:
        setattr(module, name, kept)


async def close_up_to(house, date):
    """Close days up to one, whatever time it is; the years between are passed over in the record."""
    book = await house.book()
    anchored = replace(book.record.anchored, date=moved(date, -1))
    await house.documents.commit([replace(book.record, anchored=anchored).write()])
    cell = await house.cell()
    anchored = replace(cell.record.anchored, date=moved(date, -1))
    await house.on.documents.tenant(PLATFORM).commit([replace(cell.record, anchored=anchored).write()])
    now = house.clock.now()
    await house.close(date, tenants=(SILK,))
    house.clock._now = max(now, house.clock.now())


async def test_an_export_holds_all_that_the_log_knows_of_a_guest_with_proofs(house):
    await one_guest(house)
    told = await answer(asked(do="export"), house.on)
    content = base64.b64decode(told["pack"])
    assert verify(content, told["policy"]).failures == []
    assert STAY.encode() in content
    assert b"rsv_of_key_b" not in content
    assert GUEST not in content.decode()
    (listed,) = (await answer({"do": "list", "tenant": "tnt_silk"}, house.on))["requests"]
    assert (listed["what"], listed["kind"], listed["by"]) == ("export", "guest", "usr_clerk")
    assert listed["about"].startswith("alias:")


async def hears_of_contact(house, stay):
    """Keep a contact, as the confirmation of a stay brings it."""
    contact = Contact(email=Secret("canary@guest.test"))
    return await GuestContacts(house.documents, house.on.cipher).keep(
        stay.id, contact, stay.stay.end, replace(stay.standing, version=2)
    )


async def reachable(house):
    """Keep how both guests can be reached."""
    stays = [booked(STAY, GUEST), booked("rsv_of_key_b", "gst_other")]
    for each in stays:
        await house.documents.commit([each.write()])
        assert await hears_of_contact(house, each)
        device, until = GuestDevice("fid", Secret("fid_canary")), house.clock.now() + timedelta(days=1)
        await GuestDevices(house.documents, house.on.cipher).register(each.id, device, until)
    return stays


async def test_erasure_is_refused_for_audit_by_its_carve_out_and_done_for_contacts(house):
    await one_guest(house)
    mine, others = await reachable(house)
    told = await erase_guest(GuestRequest.of(asked()), house.on)
    assert not told["audit"]["erased"]
    assert told["audit"]["kept_until"] == later(DAYS[2], 2_557)
    assert "A §17.4" in told["audit"]["because"]
    assert told["contacts_erased"] == 1
    contacts, devices = (kind(house.documents, house.on.cipher) for kind in (GuestContacts, GuestDevices))
    assert [await contacts.find(each.id) is None for each in (mine, others)] == [True, False]
    assert [await devices.find(each.id) is None for each in (mine, others)] == [True, False]
    assert not await hears_of_contact(house, mine), "the confirmation came again"
    assert await contacts.find(mine.id) is None
    assert (await erase_guest(GuestRequest.of(asked()), house.on))["contacts_erased"] == 0
    (listed, _) = (await answer({"do": "list", "tenant": "tnt_silk"}, house.on))["requests"]
    assert (listed["what"], listed["outcome"]) == ("erasure", "refused_by_carve_out")
    assert GUEST not in str(listed)


async def test_of_a_stranger_nothing_is_kept_and_nothing_refused(house):
    await one_guest(house)
    told = await erase_guest(GuestRequest.of(asked(guest="gst_stranger")), house.on)
    assert told["audit"] == {"erased": True, "kept_until": None, "because": None}


async def test_within_the_window_nobody_is_forgotten(house):
    await one_guest(house)
    house.clock.advance(days=2_000)
    assert (await keep_tenant(SILK, house.on))["guests"] == 0
    assert GUEST in house.everything()


async def test_after_the_window_nothing_leads_to_the_guest_and_the_log_verifies(house):
    await one_guest(house)
    await years_later(house)
    log = await reader_of(SILK, house.on)
    everything = await log.entries(range(log.at.size))
    assert not any(STAY.encode() in each.body for each in everything.values())
    assert GUEST not in house.everything()
    assert STAY not in house.everything()
    said = [each for each in await house.headers() if each["kind"] == "expiry"]
    assert [(each["policy"], each["count"]) for each in said] == [("regulated", 4)] * 2
    with pytest.raises(InvalidInput, match="not in the log"):
        await answer(asked(do="export"), house.on)


async def forgotten(folder, ends_at=None):
    """Forget a guest by a process that may die at a line, and by one that follows it."""
    folder.mkdir()
    async with audit_house(folder, Steady()) as house:
        await one_guest(house)
        await years_ahead(house)
        life = Life()
        life.ends_at = ends_at
        try:
            await forget_announced(replace(await house.book(), on=house.mortal(life)))
            died = False
        except Died:
            died = True
            await forget_announced(await house.book())
        left = house.everything()
        return died, life.steps, [name for name in (GUEST, STAY) if name in left]


async def play_deaths(tmp_path, every):
    _, steps, left = await forgotten(tmp_path / "whole")
    assert (left, steps > 20) == ([], True), steps
    for at in range(1, steps, every):
        died, _, left = await forgotten(tmp_path / str(at), at)
        assert (died, left) == (True, []), at


async def test_a_death_amid_forgetting_leaves_nothing_behind(tmp_path):
    await play_deaths(tmp_path, 7)


@pytest.mark.soak
async def test_a_death_at_each_line_of_forgetting_leaves_nothing_behind(tmp_path):
    await play_deaths(tmp_path, 1)


async def test_after_the_window_a_pack_of_the_day_that_tells_of_it_still_verifies(house):
    await one_guest(house)
    await years_later(house)
    log = await reader_of(SILK, house.on)
    whole = await log.entries(range(log.at.size))
    span = Span(0, log.at.size)
    question = Question(house.clock.now(), house.clock.now())
    found = Found(question, span, whole, frozenset(whole), told=tuple(read(whole)))
    report = verify(await packed(found, log, house.on), await policy(SILK, house.on))
    assert report.failures == []
    assert report.checked["bodies"] == 0


async def test_a_hold_keeps_a_guest_beyond_the_window_until_it_is_released(house):
    await one_guest(house)
    request = GuestRequest.of(asked(reason="police_request"))
    assert (await hold(request, house.on))["holds"] == ["police_request"]
    await years_later(house)
    assert (await house.on.sealed.tenant(SILK).get(Ref("guest_keys", GUEST))) is not None
    assert (await release(request, house.on))["holds"] == []
    house.clock.advance(days=31)
    assert (await keep_tenant(SILK, house.on))["guests"] == 1


async def test_a_tenant_may_ask_for_longer_and_never_for_less(house):
    with pytest.raises(InvalidInput, match="2557"):
        await answer({"do": "keep", "tenant": "tnt_silk", "days": 365}, house.on)
    await answer({"do": "keep", "tenant": "tnt_silk", "days": 3_650}, house.on)
    await one_guest(house)
    told = await erase_guest(GuestRequest.of(asked()), house.on)
    assert told["audit"]["kept_until"] == later(DAYS[2], 3_650)
    house.clock.advance(days=2_700)
    assert (await keep_tenant(SILK, house.on))["guests"] == 0


async def test_what_is_idle_and_anchored_is_let_go_of_and_the_log_knows_it_still(house):
    await one_guest(house)
    assert (await keep_tenant(SILK, house.on))["streams"] == 0
    house.clock.advance(days=91)
    assert (await keep_tenant(SILK, house.on))["streams"] == 2
    assert await house.documents.get(Ref("outbox", "key_a.000001")) is None
    told = await answer(asked(do="export"), house.on)
    assert verify(base64.b64decode(told["pack"]), told["policy"]).failures == []


async def test_a_key_that_may_still_open_a_lock_is_not_let_go_of(house, tmp_path):
    books = Books(tmp_path)
    books.clock, books.ids = house.clock, house.on.ids
    record, _ = books.requested()
    await house.documents.commit([record.write()])
    await house.tell(*stay(str(record.id), DAYS[0]))
    await house.close(DAYS[0])
    house.clock.advance(days=91)
    assert (await keep_tenant(SILK, house.on))["streams"] == 0
    assert await house.documents.get(Ref("outbox", f"{record.id}.000001")) is not None
