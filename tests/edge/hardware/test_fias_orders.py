"""FIAS from the other end: records that the other end reads as they were meant, and every answer."""

from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_agent.hardware.errors import DeviceRefused, LinkLost, NoAnswer
from edge_agent.hardware.property_systems.fias import (
    AnswerStatus,
    KeyRequest,
    KeyType,
    Record,
    RecordRefused,
    key_request,
)
from edge_agent.hardware.property_systems.fias_orders import REFUSALS, accepted, ordered

PUBLISHED = b"KR|WS3|KC1|RN101|KTN|GA251201|GD251204|G#4711|"
ORDER = KeyRequest(
    record="KR",
    encoder="1",
    station="3",
    room="101",
    reservation="4711",
    arrival=date(2025, 12, 1),
    departure=date(2025, 12, 4),
)
WORD = st.text("ABCDEFGHIJ0123456789", min_size=1, max_size=6)
DAY = st.dates(date(2020, 1, 1), date(2060, 1, 1))
CARDS = st.builds(
    KeyRequest,
    record=st.just("KR"),
    encoder=WORD,
    station=WORD,
    room=WORD,
    reservation=WORD,
    key_type=st.sampled_from(KeyType),
    more_rooms=st.lists(WORD, max_size=3).map(tuple),
    areas=st.lists(st.booleans(), max_size=6).map(tuple),
    arrival=st.none() | DAY,
    departure=st.none() | DAY,
    leaves_at=st.none() | st.times().map(lambda at: at.replace(second=0, microsecond=0)),
    copies=st.integers(1, 99),
)


def test_the_published_request_is_written():
    assert bytes(ordered(ORDER)) == PUBLISHED


@given(CARDS)
def test_what_is_ordered_is_read_as_it_was_meant(request):
    assert key_request(Record.parse(bytes(ordered(request)))) == request


def test_a_move_names_both_rooms_and_its_reservation():
    move = KeyRequest("KM", "1", "3", "102", "4711", old_room="101", leaves_at=time(11))
    assert bytes(ordered(move)) == b"KM|WS3|KC1|RN102|RO101|DT11:00|G#4711|"
    assert key_request(ordered(move)) == move


@pytest.mark.parametrize(("record", "missing"), [("KR", "RN"), ("KM", "RN"), ("KD", "RN"), ("KZ", "KC")])
def test_what_lacks_a_field_is_not_sent(record, missing):
    with pytest.raises(RecordRefused, match=missing):
        ordered(KeyRequest(record, "" if missing == "KC" else "1", "3"))


def test_a_bar_in_a_field_is_not_sent():
    with pytest.raises(RecordRefused, match="bar"):
        ordered(KeyRequest("KZ", "1|KTN", "3"))


def test_a_yes_is_one():
    accepted(ORDER, ORDER.answer(AnswerStatus.OK))


@pytest.mark.parametrize("status", REFUSALS)
def test_every_other_answer_is_an_error_of_its_own(status):
    kind, _ = REFUSALS[status]
    with pytest.raises(kind) as caught:
        accepted(ORDER, ORDER.answer(status))
    assert caught.value.code == status.value


def test_all_answers_have_a_meaning():
    assert REFUSALS.keys() == set(AnswerStatus) - {AnswerStatus.OK}
    assert {kind for kind, _ in REFUSALS.values()} == {LinkLost, NoAnswer, DeviceRefused}


@pytest.mark.parametrize(
    "answer",
    [
        b"KA|WS3|KC1|ASOK|G#4712|",
        b"KA|WS3|KC2|ASOK|G#4711|",
        b"LA|DA251201|TI120000|",
        b"KA|WS3|KC1|G#4711|",
        b"KA|WS3|KC1|ASXX|G#4711|",
    ],
)
def test_an_answer_to_another_question_is_none(answer):
    with pytest.raises(NoAnswer):
        accepted(ORDER, Record.parse(answer))
