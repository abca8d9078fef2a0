"""Ids: strict where they are ours, tolerant where they are not."""

import json
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.domain import ids
from shared.domain.errors import InvalidId, InvalidInput
from shared.domain.ids import ForeignId, MonotonicUlids, OwnId, ulid, ulid_number

BODY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
PREFIXES = {
    "TenantId": "tnt_",
    "PropertyId": "ppt_",
    "ReservationId": "rsv_",
    "GuestId": "gst_",
    "RoomId": "rmu_",
    "UserId": "usr_",
    "IntegratorId": "itg_",
    "ShiftId": "",
    "DesktopDeviceId": "dev_",
    "EventId": "evt_",
    "LockDeviceId": "lck_",
    "KeyCredentialId": "key_",
    "ProvisionalKeyId": "prov_keycred_",
    "MasterKeyId": "mky_",
    "GrantId": "grt_",
    "EncoderSessionId": "enc_",
    "AccessAttemptId": "kca_",
    "WebhookId": "whk_",
    "VendorAdapterId": "vad_",
    "ArtifactRef": "tk_",
    "FindingId": "fnd_",
    "SessionId": "bos_",
    "ListenerId": "lsn_",
    "SendingId": "snd_",
    "BreakGlassId": "brk_",
    "SuggestionEntryId": "aim_",
    "AlertEntryId": "ali_",
}
OWN = [name for name in PREFIXES if issubclass(getattr(ids, name), OwnId)]
FOREIGN = [name for name in PREFIXES if issubclass(getattr(ids, name), ForeignId)]


def test_the_table_of_prefixes_names_every_id_type():
    assert {kind.__name__ for kind in OwnId.__subclasses__() + ForeignId.__subclasses__()} == PREFIXES.keys()


@pytest.mark.parametrize(("name", "prefix"), PREFIXES.items())
def test_id_accepts_its_prefix_and_remains_plain_text(name, prefix):
    value = getattr(ids, name)(prefix + BODY)

    assert value == prefix + BODY
    assert json.dumps({value: value}) == json.dumps({prefix + BODY: prefix + BODY})
    assert type(pickle.loads(pickle.dumps(value))) is getattr(ids, name)


@pytest.mark.parametrize("name", [name for name, prefix in PREFIXES.items() if prefix])
@pytest.mark.parametrize("other", ["xyz_", "", "TNT_", " "])
def test_id_refuses_another_prefix_and_names_field_and_remedy(name, other):
    kind = getattr(ids, name)

    with pytest.raises(InvalidId) as refusal:
        kind(other + BODY)

    assert refusal.value.field == kind.field
    assert f"'{kind.prefix}'" in refusal.value.remedy
    assert BODY not in str(refusal.value)


@pytest.mark.parametrize(
    "body", ["", "01HX", BODY.lower(), BODY[:-1] + "U", "8" + BODY[1:], BODY + "\n", BODY + "0"]
)
@pytest.mark.parametrize("name", OWN)
def test_own_id_refuses_a_body_that_is_not_a_ulid(name, body):
    with pytest.raises(InvalidId, match="malformed"):
        getattr(ids, name)(PREFIXES[name] + body)


@pytest.mark.parametrize("body", ["1", "01HX", "a-b_C", "x" * 64])
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_id_accepts_any_tame_body(name, body):
    assert getattr(ids, name)(PREFIXES[name] + body).endswith(body)


@pytest.mark.parametrize("body", ["", "x" * 65, "a/b", "a b", "é", "a\n", "..", "۱"])
@pytest.mark.parametrize("name", FOREIGN)
def test_foreign_id_refuses_what_could_break_a_path_or_a_log(name, body):
    with pytest.raises(InvalidId):
        getattr(ids, name)(PREFIXES[name] + body)


def test_an_id_without_a_prefix_does_not_speak_of_one():
    with pytest.raises(InvalidId) as refusal:
        ids.ShiftId("")

    assert str(refusal.value) == "shiftId: malformed. Give 1 to 64 letters, digits, '_' or '-'"


@pytest.mark.parametrize("value", [None, 5, b"tnt_1", ["tnt_1"]])
def test_id_refuses_what_is_not_text(value):
    with pytest.raises(InvalidId, match="not a text"):
        ids.TenantId(value)


def test_id_parse_names_the_field_it_came_in():
    with pytest.raises(InvalidId, match=r"^data\.guest\.id: "):
        ids.GuestId.parse("rsv_1", "data.guest.id")


@pytest.mark.parametrize("name", [*OWN, "EventId"])
def test_id_mints_from_a_ulid(name):
    assert getattr(ids, name).mint(BODY) == PREFIXES[name] + BODY


def test_ulid_matches_the_published_example():
    # The ULID specification's own sample: 2016-07-30T23:54:10.259Z.
    assert ulid(1469922850259, 0)[:10] == "01ARZ3NDEK"
    assert ulid(1469922850259, 0).endswith("0" * 16)


@pytest.mark.parametrize(
    ("time", "chance", "text"), [(0, 0, "0" * 26), ((1 << 48) - 1, (1 << 80) - 1, "7" + "Z" * 25)]
)
def test_ulid_covers_its_range(time, chance, text):
    assert ulid(time, chance) == text


@pytest.mark.parametrize(("time", "chance"), [(-1, 0), (1 << 48, 0), (0, -1), (0, 1 << 80)])
def test_ulid_refuses_what_does_not_fit(time, chance):
    with pytest.raises(InvalidInput, match="outside"):
        ulid(time, chance)


@given(
    st.tuples(st.integers(0, (1 << 48) - 1), st.integers(0, (1 << 80) - 1)),
    st.tuples(st.integers(0, (1 << 48) - 1), st.integers(0, (1 << 80) - 1)),
)
def test_ulid_text_sorts_as_its_parts_do(left, right):
    assert (ulid(*left) < ulid(*right)) == (left < right)


@given(st.lists(st.integers(0, 5), min_size=2, max_size=30), st.integers(0, (1 << 80) - 1))
def test_monotonic_ulids_grow_whatever_the_clock_does(clock, chance):
    ticks = iter(clock)
    ulids = MonotonicUlids(lambda: next(ticks), lambda bits: chance)

    made = [ulids() for _ in clock]

    assert made == sorted(set(made))


def test_monotonic_ulids_count_within_a_millisecond():
    ulids = MonotonicUlids(lambda: 7, lambda bits: 41)

    assert [ulids(), ulids()] == [ulid(7, 41), ulid(7, 42)]


def test_monotonic_ulids_carry_into_the_next_millisecond_when_chance_is_used_up():
    ulids = MonotonicUlids(lambda: 7, lambda bits: (1 << bits) - 1)

    assert [ulids(), ulids()] == [ulid(7, (1 << 80) - 1), ulid(8, 0)]


@given(st.integers(0, 2**48 - 1), st.integers(0, 2**80 - 1))
def test_a_ulid_is_the_number_it_writes(time, chance):
    assert ulid_number(ulid(time, chance)) == time << 80 | chance
