"""The backlog holds heads only, reads each row once, and keeps the order of keys."""

import dataclasses
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st

from infra.local.bus import backlog as module
from infra.local.bus.backlog import Backlog


@dataclasses.dataclass
class Rows:
    """An engine that holds (key, due) rows, numbered from 1, and counts what was read of them."""

    rows: list = dataclasses.field(default_factory=list)
    reads: Counter = dataclasses.field(default_factory=Counter)
    queries: int = 0

    def read(self, sql, parameters):
        self.queries += 1
        if sql == module.NEXT_PAGE:
            _, cursor, limit = parameters
            found = range(cursor + 1, min(cursor + limit, len(self.rows)) + 1)
        else:
            _, key, after, last = parameters
            found = [seq for seq in range(after + 1, last + 1) if self.rows[seq - 1][0] == key][:1]
        self.reads.update(found)
        return [(seq, seq, self.rows[seq - 1][0], 0, self.rows[seq - 1][1]) for seq in found]


def drained(backlog, now=0.0):
    while delivery := backlog.take(now, 0):
        yield delivery
        backlog.finish(delivery, now, 0)


def test_of_a_blocked_key_only_the_head_is_held():
    rows = Rows([("A", 0)] * (module.PAGE - 1))
    backlog = Backlog(rows, "on-booking", 600.0)
    head = backlog.take(0, 0)
    assert head.seq == 1
    assert backlog.take(0, 0) is None
    assert (len(backlog._ready), len(backlog._resting), len(backlog._last_of_key)) == (0, 0, 1)


def test_nothing_is_looked_for_behind_the_last_of_a_key():
    rows = Rows([("A", 0)])
    backlog = Backlog(rows, "on-booking", 600.0)
    only = backlog.take(0, 0)
    read = rows.queries
    backlog.finish(only, 0, 0)
    assert rows.queries == read
    assert backlog._last_of_key == {}


def test_a_page_full_of_a_blocked_key_leaves_the_rest_to_be_read():
    rows = Rows([("A", 0)] * module.PAGE + [("B", 0)])
    backlog = Backlog(rows, "on-booking", 600.0)
    assert backlog.take(0, 0).ordering_key == "A"
    assert backlog.unread
    assert backlog.take(0, 0).ordering_key == "B"
    assert not backlog.unread


def test_a_resting_head_lets_its_key_wait_until_its_time():
    backlog = Backlog(Rows([("A", 0), ("A", 0)]), "on-booking", 600.0)
    head = backlog.take(0, 0)
    backlog.rest(head, 5.0)
    assert backlog.take(4.9, 0) is None
    assert backlog.next_due == 5.0
    assert backlog.take(5.0, 0) is head


def test_a_stored_due_time_is_kept_after_a_restart():
    backlog = Backlog(Rows([("A", 3_000_000), ("A", 0)]), "on-booking", 600.0)
    assert backlog.take(100.0, 1_000_000) is None
    assert backlog.next_due == 102.0


def test_no_more_is_read_while_too_many_rest(monkeypatch):
    monkeypatch.setattr(module, "MOST_RESTING", 2)
    backlog = Backlog(Rows([("", 0)] * (module.PAGE + 1)), "on-booking", 600.0)
    for _ in range(module.PAGE):
        backlog.rest(backlog.take(0, 0), 9.0)
    assert backlog.take(0, 0) is None
    assert not backlog.unread
    assert not backlog.idle
    assert backlog.take(9.0, 0) is not None


@settings(max_examples=200)
@given(
    batches=st.lists(st.lists(st.sampled_from(["", "A", "B", "C"]), max_size=6), max_size=6),
    chance=st.randoms(use_true_random=False),
)
def test_every_row_is_handed_out_once_and_each_key_in_order_one_at_a_time(batches, chance):
    rows, handed, held = Rows(), [], []
    backlog = Backlog(rows, "on-booking", 600.0)
    waiting = list(batches)
    while waiting or held or not backlog.idle:
        if waiting and chance.random() < 0.3:
            rows.rows += [(key, 0) for key in waiting.pop(0)]
            backlog.look_again()
        elif held and chance.random() < 0.5:
            backlog.finish(held.pop(chance.randrange(len(held))), 0, 0)
        elif delivery := backlog.take(0, 0):
            handed.append(delivery)
            held.append(delivery)
            busy = Counter(each.ordering_key for each in held if each.ordering_key)
            assert all(count == 1 for count in busy.values())
        elif held:
            backlog.finish(held.pop(), 0, 0)
    assert sorted(each.seq for each in handed) == list(range(1, len(rows.rows) + 1))
    for key in "ABC":
        order = [each.seq for each in handed if each.ordering_key == key]
        assert order == sorted(order)


def test_every_row_of_many_keys_is_read_at_most_twice():
    rows = Rows([("AB"[seq % 2], 0) for seq in range(1000)])
    assert len(list(drained(Backlog(rows, "on-booking", 600.0)))) == 1000
    assert max(rows.reads.values()) <= 2
