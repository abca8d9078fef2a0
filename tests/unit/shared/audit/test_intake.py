"""A day becomes the same entries whoever makes them; what does not belong there is found and said."""

from itertools import chain

import pytest

from shared.audit.errors import Malformed
from shared.audit.intake import Day, Head, day_of_entries
from shared.audit.text import parsed
from shared.audit.tree import leaf_hash
from tests.support.audited import TENANT, row, subject_of

DAY = Day.of(TENANT, "2026-11-18")
NEW = {}


def told(rows, heads=NEW, day=DAY, first=0):
    """Return the headers of a day."""
    kept = day_of_entries(day, first, rows, lambda stream: heads.get(stream, Head()), subject_of)
    return [parsed(each.entry.header) for each in kept]


def summed_up(headers):
    """Return what each entry is, in a word or two."""
    return [each.get("finding") or (each.get("stream"), each.get("seq")) for each in headers[:-1]]


def heads_after(rows, heads=NEW):
    kept = day_of_entries(DAY, 0, rows, lambda stream: heads.get(stream, Head()), subject_of)
    return {each.stream: each.head for each in kept if each.stream}


def at(hour, minute=0):
    return f"2026-11-18T{hour:02}:{minute:02}:00Z"


def test_a_day_is_its_rows_in_order_and_an_end():
    rows = [row("key_a", 1), row("key_a", 2, at(11)), row("key_b", 1, at(9))]
    headers = told(rows, first=40)
    assert summed_up(headers) == [("key_a", 1), ("key_a", 2), ("key_b", 1)]
    assert headers[-1] == {
        "v": 1,
        "kind": "day",
        "tenant": TENANT,
        "day": "2026-11-18",
        "first": 40,
        "actions": 3,
        "findings": 0,
        "streams": 2,
    }


def test_a_leaf_that_goes_with_an_entry_is_the_entrys_own():
    rows = [row("key_a", 1), row("key_a", 3, at(11)), row("key_b", 1, at(9))]
    kept = [*day_of_entries(DAY, 0, rows, lambda _: Head(), subject_of)]
    assert [each.leaf or None for each in kept].count(None) == 2  # what was found amiss, and the day's end
    assert {each.leaf for each in kept} <= {b"", *(leaf_hash(each.entry.header) for each in kept)}


def test_an_empty_day_has_an_end():
    (only,) = told([])
    assert (only["kind"], only["actions"]) == ("day", 0)


def test_a_stream_goes_on_over_days():
    before = heads_after([row(sequence=1), row(sequence=2, time=at(23, 59))])
    tomorrow = Day.of(TENANT, "2026-11-19")
    assert summed_up(told([row(sequence=3, time="2026-11-19T00:00:00Z")], before, tomorrow)) == [("key_a", 3)]


def test_a_row_told_twice_is_kept_once():
    assert summed_up(told([row(), row(), row(sequence=2), row(sequence=2)])) == [("key_a", 1), ("key_a", 2)]


def test_a_gap_is_found_and_the_stream_goes_on_behind_it():
    headers = told([row(sequence=1), row(sequence=4), row(sequence=5)])
    assert summed_up(headers) == [("key_a", 1), "gap", ("key_a", 4), ("key_a", 5)]
    assert (headers[1]["expected"], headers[1]["seq"]) == (2, 4)
    assert headers[-1]["findings"] == 1


def test_a_stream_that_does_not_begin_at_one_has_a_gap():
    assert summed_up(told([row(sequence=2)])) == ["gap", ("key_a", 2)]


def test_a_row_that_says_something_else_than_before_is_found():
    before = heads_after([row(sequence=1), row(sequence=2)])
    assert summed_up(told([row(sequence=2, reason="lost")], before)) == ["rewritten"]
    assert summed_up(told([row(sequence=1)], before)) == ["rewritten"]
    assert summed_up(told([row(), row(reason="lost"), row(sequence=2)])) == [
        ("key_a", 1),
        "rewritten",
        ("key_a", 2),
    ]


def test_a_row_earlier_than_the_last_of_its_stream_is_found():
    rows = [row(sequence=1, time=at(10)), row(sequence=2, time=at(9, 59)), row(sequence=3, time=at(12))]
    assert summed_up(told(rows)) == [("key_a", 1), "redated", ("key_a", 3)]


@pytest.mark.parametrize(
    ("time", "finding"),
    [
        ("2026-11-17T23:59:59.999Z", "late"),
        ("2026-11-19T00:00:00Z", "ahead"),
        ("2026-11-18T01:00:00+02:00", "late"),
    ],
)
def test_a_row_of_another_day_is_found(time, finding):
    headers = told([row(time=time), row(sequence=2)])
    assert headers[0]["finding"] == finding
    assert summed_up(headers)[1:] in ([("key_a", 2)], ["redated"])


def test_the_first_and_the_last_instant_belong_to_the_day():
    rows = [row("key_a", time="2026-11-18T00:00:00Z"), row("key_b", time="2026-11-18T23:59:59.999Z")]
    assert summed_up(told(rows)) == [("key_a", 1), ("key_b", 1)]


def test_a_refused_row_is_in_the_log_as_a_hash_only():
    (finding, _) = told(
        [row(time=at(1), reason="the_reason") | {"sequence": 1}], day=Day.of(TENANT, "2026-11-20")
    )
    assert "the_reason" not in str(finding)
    assert len(finding["row"]) == 44


def test_the_same_day_again_is_the_same_day():
    rows = [row("key_a", 1), row("key_a", 3), row("key_b", 1, at(9)), row("key_b", 2, at(8))]
    assert told(rows) == told(rows)


@pytest.mark.parametrize(
    "rows",
    [
        [row("key_b"), row("key_a")],
        [row("key_a", 2), row("key_a", 1)],
        [row("key_a") | {"tenantId": "tnt_other"}],
    ],
)
def test_rows_that_would_make_another_tree_are_refused(rows):
    with pytest.raises(Malformed):
        told(rows)


def test_a_date_is_a_date():
    with pytest.raises(Malformed, match="day"):
        Day.of(TENANT, "yesterday")


def test_a_day_is_made_row_by_row():
    endless = chain.from_iterable([row("key_a", n)] for n in range(1, 10**9))
    kept = day_of_entries(DAY, 0, endless, lambda _: Head(), subject_of)
    assert [next(kept).head.sequence for _ in range(3)] == [1, 2, 3]
