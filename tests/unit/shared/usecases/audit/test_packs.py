"""Evidence: what a pack holds, that it verifies with no access to us, and that it is noted who got it."""

import base64
import json
from dataclasses import replace

import pytest

from infra.verifier.verify_pack import verify
from shared.domain.errors import InvalidInput
from shared.domain.ids import KeyCredentialId
from shared.ledger.audit_log import EVER, ends_of
from shared.ports.documents import Create, Ref
from shared.queries.audit import proof_of_stay
from shared.usecases.audit.openings import rotate_key
from shared.usecases.audit.packs import WantPack, hand_out
from shared.usecases.audit.witnessing import cosign, request_for, trust_desk
from tests.support.audit_house import DAYS, booked, checked_out, later, stay
from tests.support.audited import PROPERTY, row
from tests.support.notaries import every_flip, witness

SHARED = "key_01HX4Q8ZT9WKE2M7VR5N3BCD6F"
ATTEMPT = "melmastoon.lock.audit.attempt.v1"
DESK = witness("desk.example/front")


async def week(house):
    """Tell of two stays in different rooms, an attempt at a door, and a person of staff; close three days."""
    device = {"id": "lck_204", "property_id": PROPERTY, "rooms": ["rmu_204"], "schema_version": 1}
    await house.documents.commit(
        [
            Create(Ref("devices", "lck_204"), device),
            Create(Ref("properties", PROPERTY), {"id": PROPERTY, "zone": "Asia/Kabul", "schema_version": 1}),
        ]
    )
    await house.tell(*stay("key_a", DAYS[0]), *stay("key_b", DAYS[0], 11, rooms=("rmu_101",)))
    await house.close(DAYS[0])
    tried = {"attemptId": "kca_1", "deviceId": "lck_204", "outcome": "granted", "keyCredentialId": "key_a"}
    told = {**tried, "propertyId": PROPERTY, "attemptedAt": f"{DAYS[1]}T20:00:00Z", "denyReason": None}
    await house.tell(row("lck_204", 1, f"{DAYS[1]}T20:00:09Z", ATTEMPT, told))
    await house.close(DAYS[1])
    await house.tell(*checked_out("key_a", DAYS[2], operatorId="usr_7"))
    await house.close(DAYS[2])


def wish(**asked):
    return WantPack.of({"tenant": "tnt_silk", "by": "usr_auditor", **asked})


def unpacked(handed):
    return base64.b64decode(handed["pack"])


def lines(handed, kind):
    return [each for each in map(json.loads, unpacked(handed).splitlines()) if each["kind"] == kind]


async def test_a_stays_pack_verifies_and_holds_its_streams_whole(house):
    await week(house)
    handed = await hand_out(wish(kind="stay", reservation="rsv_of_key_a"), house.on)
    report = verify(unpacked(handed), handed["policy"])
    assert report.failures == []
    assert report.checked == {"anchors": 2, "entries": 4 + 2, "bodies": 4}
    assert lines(handed, "pack")[0]["scope"] == {"streams": {"key_a": 4}}


async def test_packs_of_two_stays_name_the_key_that_went_on_and_each_when_it_was_its_own(house):
    first = f"rsv_of_{SHARED}"
    handed = {"reservationId": {"from": first, "to": "rsv_b"}}
    told = {"keyCredentialId": SHARED, "propertyId": PROPERTY, "changes": handed}
    updated = row(SHARED, 3, f"{DAYS[0]}T19:30:00Z", "melmastoon.lock.credential.updated.v1", told)
    keys = (KeyCredentialId(SHARED),)
    await house.documents.commit([replace(booked("rsv_b", f"gst_of_{SHARED}"), credentials=keys).write()])
    await house.tell(*stay(SHARED, DAYS[0]), updated)
    await house.close(DAYS[0])
    pages = {}
    for each in (first, "rsv_b"):
        given = await hand_out(wish(kind="stay", reservation=each), house.on)
        assert verify(unpacked(given), given["policy"]).failures == []
        bodies = [json.loads(line["body"]) for line in lines(given, "entry") if "body" in line]
        assert [body["data"]["changes"] for body in bodies if "changes" in body["data"]] == [handed]
        could = given["page"].split("</table>")[0]
        pages[each] = [f"{day} {hour}" in could for day, hour in ((DAYS[0], "14:00"), (DAYS[2], "11:00"))]
    assert pages == {first: [True, False], "rsv_b": [False, True]}
    assert len((await proof_of_stay(house.documents, "rsv_b"))["streams"]) == 1


async def test_a_doors_pack_holds_the_span_and_opens_only_what_concerns_the_door(house):
    await week(house)
    asked = {"kind": "door", "property": PROPERTY, "rooms": ["rmu_204"]}
    times = {"since": f"{DAYS[1]}T00:00:00Z", "until": f"{DAYS[1]}T23:00:00Z"}
    handed = await hand_out(wish(**asked, **times), house.on)
    assert verify(unpacked(handed), handed["policy"]).failures == []
    opened = {json.loads(each["entry"])["stream"] for each in lines(handed, "entry") if "body" in each}
    assert opened == {"key_a", "lck_204"}
    assert "rsv_of_key_b" not in unpacked(handed).decode()
    indices = [each["index"] for each in lines(handed, "entry")]
    assert indices == list(range(indices[0], indices[-1] + 1))
    assert "granted" in handed["page"]
    assert "key_b" not in handed["page"].split("</h2>")[1]


async def test_a_person_of_staff_is_shown_what_they_did(house):
    await week(house)
    times = {"since": f"{DAYS[0]}T00:00:00Z", "until": f"{DAYS[2]}T23:00:00Z"}
    handed = await hand_out(wish(kind="staff", staff="usr_7", **times), house.on)
    assert verify(unpacked(handed), handed["policy"]).failures == []
    opened = [json.loads(each["entry"])["action"] for each in lines(handed, "entry") if "body" in each]
    assert opened == ["revoked", "revoke_settled"]


async def test_who_was_shown_evidence_is_told_and_becomes_an_entry_itself(house):
    await week(house)
    await hand_out(wish(kind="stay", reservation="rsv_of_key_a"), house.on)
    ((topic, message),) = house.bus.published
    assert topic == "melmastoon.lock.audit.exported.v1"
    assert message.attributes["sequence"] == "1"
    date = later(DAYS[2], 1)
    await house.close(date)
    (entry,) = [each for each in await house.headers() if each.get("action") == "exported"]
    assert (entry["operator"], entry["reason"]) == ("usr_auditor", "evidence")


async def test_nothing_is_shown_when_nobody_can_note_it(house):
    await week(house)
    house.bus.down = True
    with pytest.raises(ConnectionError):
        await hand_out(wish(kind="stay", reservation="rsv_of_key_a"), house.on)
    rows = await house.on.documents.sweep(due_index(), {}, until=2**50)
    assert len(rows) == 1


def due_index():
    from shared.ledger.indexes import DUE_DISCLOSURES

    return DUE_DISCLOSURES


@pytest.mark.parametrize("language", ["en", "fr", "ar", "ps", "fa-AF"])
async def test_the_page_speaks_the_callers_language(house, language):
    await week(house)
    handed = await hand_out(wish(kind="stay", reservation="rsv_of_key_a", language=language), house.on)
    assert f'<html lang="{language}"' in handed["page"]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"kind": "moon"}, "kind"),
        ({"kind": "door", "property": PROPERTY, "rooms": ["rmu_1"]}, "since"),
        ({"kind": "stay", "reservation": "rsv_1", "language": "tlh"}, "language"),
        ({"kind": "stay", "reservation": "evt_1"}, "reservation"),
    ],
)
def test_a_question_that_cannot_be_asked_is_refused_by_field(asked, field):
    with pytest.raises(InvalidInput) as refused:
        wish(**asked)
    assert refused.value.field == field


async def test_what_is_not_in_the_log_yet_is_refused(house):
    with pytest.raises(InvalidInput, match="closed"):
        await hand_out(wish(kind="stay", reservation="rsv_1"), house.on)
    await week(house)
    with pytest.raises(InvalidInput, match="not in the log"):
        await hand_out(wish(kind="stay", reservation="rsv_nobody"), house.on)


async def test_a_desk_cosigns_the_cell_and_packs_ask_for_its_line(house):
    await week(house)
    await trust_desk({"key": str(DESK.key)}, house.on)
    asked = await request_for(0, house.on)
    line = desk_line(asked["request"])
    assert await cosign({"date": asked["date"], "line": line}, house.on) == {
        "date": DAYS[2],
        "witness": DESK.name,
    }
    handed = await hand_out(wish(kind="stay", reservation="rsv_of_key_a"), house.on)
    assert f"witness w1 {DESK.key}" in handed["policy"]
    assert verify(unpacked(handed), handed["policy"]).failures == []
    other = handed["policy"].replace(str(DESK.key), str(witness("desk.example/other").key))
    assert any("too few witnesses" in each for each in verify(unpacked(handed), other).failures)


async def test_a_line_of_a_stranger_or_a_wrong_one_is_not_kept(house):
    await week(house)
    asked = await request_for(0, house.on)
    with pytest.raises(InvalidInput, match="no desk that is trusted"):
        await cosign({"date": asked["date"], "line": desk_line(asked["request"])}, house.on)
    await trust_desk({"key": str(DESK.key)}, house.on)
    wrong = await cosign_of_another_day(house)
    with pytest.raises(InvalidInput, match="wrong"):
        await cosign({"date": asked["date"], "line": wrong}, house.on)


async def cosign_of_another_day(house):
    note = await (await house.cell()).note(DAYS[0])
    return str(DESK.cosigned(note, 1_800_000_000).signatures[-1])


def desk_line(text):
    from shared.audit.witness import Request

    request = Request.parse(text.encode())
    return str(DESK.cosigned(request.note, 1_800_000_000).signatures[-1])


async def test_a_key_that_takes_over_is_announced_and_packs_over_the_change_verify(house):
    await house.tell(*stay("key_a", DAYS[0]))
    await house.close(DAYS[0])
    old = (await house.book()).record.keys
    await rotate_key(await house.book())
    await house.close(DAYS[1])
    await house.tell(*checked_out("key_a", DAYS[2]))
    await house.close(DAYS[2])
    keys = (await house.book()).record.keys
    assert keys.keys[0].key == old.keys[0].key
    assert keys.keys[0].until == 3 + 2
    (said,) = [each for each in await house.headers() if each["kind"] == "key"]
    assert said["verifier"] == str(keys.keys[1].key)
    handed = await hand_out(wish(kind="stay", reservation="rsv_of_key_a"), house.on)
    assert verify(unpacked(handed), handed["policy"]).failures == []


async def test_every_bit_of_a_real_pack_is_answered_for(house):
    await week(house)
    handed = await hand_out(wish(kind="stay", reservation="rsv_of_key_a"), house.on)
    content = unpacked(handed)
    for number, altered in enumerate(every_flip(content[:900])):
        if number % 97 == 0:
            assert verify(altered, handed["policy"]).failures, number


def test_a_lock_that_did_not_let_go_is_open_without_end():
    assert list(ends_of([{"locks": [{"deviceId": "lck_1", "ok": False}]}])) == [EVER]
