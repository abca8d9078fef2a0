"""What is counted of a day: by its days, its documents, its indexes, and how late what was due is tended."""

from infra.capacity.tally import DAY, Tally
from shared.ledger.indexes import DUE, KEYS_AT
from shared.ports.documents import Create, Delete, Ref, Update

KEY = Ref("credentials", "key_1")


def test_what_was_before_the_first_day_is_nobodys():
    tally = Tally()
    tally.count("reads", -1.0, 5)
    tally.called("adapter", -3.0, 1.0)
    tally.count("reads", DAY + 1.0)
    assert dict(tally.counts) == {(1, "reads"): 1}


def test_an_index_is_written_where_the_document_has_all_its_fields():
    tally = Tally()
    tally.written("tnt_a", [Create(KEY, {"due_at": 5_000, "of_property": "ppt_a"})], 1.0)
    tally.written("tnt_a", [Delete(KEY, "1")], 2.0)
    counts = {what: many for (_, what), many in tally.counts.items()}
    assert counts == {"writes to credentials": 2, f"entries of {DUE.name}": 1}
    assert f"entries of {KEYS_AT.name}" not in counts


def test_what_is_tended_after_it_was_due_is_late_by_that():
    tally = Tally(midnight=100.0)
    tally.written("tnt_a", [Create(KEY, {"due_at": 160_000})], 1.0)
    tally.written("tnt_a", [Update(KEY, {"due_at": 190_000}, "1")], 50.0)
    assert not tally.late
    tally.written("tnt_a", [Update(KEY, {}, "2")], 97.5)
    ((late),) = tally.late
    assert (late.collection, late.at, late.seconds) == ("credentials", 97.5, 7.5)


def test_the_hottest_document_is_told_by_second_and_minute():
    tally = Tally()
    for at in (0.1, 0.2, 30.0, 61.0):
        tally.written("tnt_a", [Create(KEY, {})], at)
    tally.written("tnt_b", [Create(KEY, {})], 0.3)
    assert tally.hottest() == {"credentials": (2, 3)}


def test_an_application_s_busiest_minute_is_its_own():
    tally = Tally(vendor=[(1, 0.0), (1, 59.0), (1, 60.0), (2, 1.0)])
    assert tally.most_calls_a_minute() == 2
