"""A day is closed once, in order, and the same way however often whoever closes it dies on the way."""

import pytest

from shared.audit.anchor import (
    Anchored,
    Ground,
    KeepAnchor,
    KeepBody,
    KeepHead,
    Publish,
    anchor_cell,
    anchor_day,
    never_anchored,
)
from shared.audit.checkpoint import Checkpoint
from shared.audit.errors import Behind, Malformed, NotProven
from shared.audit.intake import Day, KeptHead
from shared.audit.log import Write
from shared.audit.succession import LogKey, LogKeys
from shared.audit.text import parsed
from tests.support.audit_pack import CELL, DAYS, LOG, rows_of
from tests.support.audited import TENANT, row, subject_of
from tests.support.notaries import check

KEYS = LogKeys((LogKey(LOG.key),))


class Crash(Exception):
    """The process dies."""


class Store:
    """Files, documents, and one record under compare-and-set; it outlives whoever uses it."""

    def __init__(self):
        self.files, self.bodies, self.heads, self.published = {}, {}, {}, {}
        self.record = never_anchored(LOG.name, DAYS[0])
        self.steps_left, self.vouched = None, set()

    def put(self, shelf, name, content):
        assert (id(shelf), name) not in self.vouched or shelf[name] == content
        shelf[name] = content

    def take(self, date, step):
        """Carry out a step, unless the process dies first."""
        if self.steps_left is not None:
            if not self.steps_left:
                raise Crash
            self.steps_left -= 1
        match step:
            case Write():
                self.put(self.files, step.path, step.content)
            case KeepBody():
                self.put(self.bodies, step.index, (step.entry.body, step.entry.salt))
            case KeepHead():
                self.heads[step.stream] = self.heads.get(step.stream, KeptHead()).after(date, step.head)
            case KeepAnchor():
                assert self.record == step.last
                self.record = step.next
                shelves = (self.files, self.bodies)
                self.vouched = {(id(shelf), name) for shelf in shelves for name in shelf}
            case Publish():
                assert self.published.setdefault(step.date, str(step.note)) == str(step.note)

    def close(self, date, rows, seen=()):
        """Run one process that closes a day."""
        ground = Ground(self.record, self.files.__getitem__, KEYS, LOG.sign, seen)

        def heads(stream):
            return self.heads.get(stream, KeptHead()).before(date)

        for step in anchor_day(Day.of(TENANT, date), ground, rows, heads, subject_of):
            self.take(date, step)
        return self.record

    def state(self):
        return self.files, self.bodies, self.heads, self.published, self.record


def many(date, count):
    """Return enough rows to fill a bundle and begin the next."""
    streams = [f"key_{n:04}" for n in range(count)]
    return [row(stream, 1, f"{date}T12:00:00Z") for stream in streams]


def days():
    return [(DAYS[0], many(DAYS[0], 300)), (DAYS[1], []), (DAYS[2], rows_of(DAYS[0])[:0] + last_day())]


def last_day():
    return [row("key_0007", 2, f"{DAYS[2]}T08:00:00Z"), row("key_0007", 4, f"{DAYS[2]}T09:00:00Z")]


def closed(store, upto=3):
    for date, rows in days()[:upto]:
        store.close(date, rows)
    return store


def test_three_days_are_three_checkpoints_each_the_next():
    store = closed(Store())
    assert list(store.published) == list(DAYS)
    assert store.record.checkpoint.size == 300 + 1 + 1 + 4
    assert len(store.bodies) == 302
    assert store.heads["key_0007"].head.sequence == 4
    sizes = [Checkpoint.parse(note.split("\n\n")[0] + "\n").size for note in store.published.values()]
    assert sizes == [301, 302, 306]


@pytest.mark.parametrize("day", range(3))
def test_a_death_before_any_step_and_another_run_end_as_if_nobody_had_died(day):
    whole = closed(Store(), day + 1)
    date, rows = days()[day]
    steps, died = 0, True
    while died:
        store = closed(Store(), day)
        store.steps_left = steps
        try:
            store.close(date, rows)
            died = False
        except Crash:
            store.steps_left = None
            store.close(date, rows)
        assert store.state() == whole.state(), f"died before step {steps}"
        steps += max(1, steps // 8)
    assert steps > 3


def test_a_day_closed_twice_is_published_again_and_nothing_else():
    store = closed(Store())
    before = store.record
    assert store.close(*days()[2]) == before


def test_days_are_closed_in_their_order():
    with pytest.raises(Malformed, match=f"Close {DAYS[0]} next"):
        Store().close(DAYS[1], [])
    store = closed(Store(), 2)
    for wrong in (DAYS[0], "2026-11-20"):
        with pytest.raises(Malformed, match=f"Close {DAYS[2]} next"):
            store.close(wrong, [])


def test_a_restored_backup_closes_no_day():
    ahead = closed(Store()).record.checkpoint
    with pytest.raises(Behind, match="backup"):
        closed(Store(), 2).close(*days()[2], seen=(ahead,))


def test_altered_files_close_no_day():
    store = closed(Store(), 2)
    path = next(path for path in store.files if path.startswith("tile/1/"))
    store.files[path] = b"x" * 32
    with pytest.raises(NotProven, match="altered"):
        store.close(*days()[2])


def test_a_row_that_comes_between_a_death_and_the_next_run_is_kept():
    date, rows = days()[0]
    late = sorted([*rows, row("key_0003b", 1, f"{date}T12:00:00Z")], key=lambda each: each["aggregateId"])
    whole = Store()
    whole.close(date, late)
    for steps in (0, 1, 200, 303, 305):
        store = Store()
        store.steps_left = steps
        with pytest.raises(Crash):
            store.close(date, rows)
        store.steps_left = None
        store.close(date, late)
        assert (store.record, store.published) == (whole.record, whole.published)
        assert store.files.items() >= whole.files.items()
        assert (store.bodies, store.heads) == (whole.bodies, whole.heads)


def test_the_record_is_set_before_anything_is_signed():
    store, order = Store(), []
    ground = Ground(
        store.record, store.files.__getitem__, KEYS, lambda text: order.append("signed") or b"s" * 64
    )
    heads = KeptHead().before
    for step in anchor_day(Day.of(TENANT, DAYS[0]), ground, [], heads, subject_of):
        order.append(type(step))
        store.take(DAYS[0], step)
    assert order[-3:] == [KeepAnchor, "signed", Publish]


def test_a_new_key_signs_from_its_size_on():
    keys = KEYS.replaced(301, CELL.key)
    assert [keys.good_for(size) for size in (301, 302)] == [LOG.key, CELL.key]


def test_the_cells_day_holds_each_tenants_checkpoint_once_in_order():
    files, record = {}, never_anchored(CELL.name, DAYS[0])
    points = [Checkpoint(f"audit.example/cell-1/{name}", 3, b"r" * 32) for name in ("tnt_b", "tnt_a")]
    keys = LogKeys((LogKey(CELL.key),))
    for date in DAYS[:2]:
        for step in anchor_cell(date, Ground(record, files.__getitem__, keys, CELL.sign), points):
            if isinstance(step, Write):
                files[step.path] = step.content
            if isinstance(step, KeepAnchor):
                record = step.next
            if isinstance(step, Publish):
                assert keys.require(step.note, check) == record.checkpoint
    assert record == Anchored(DAYS[1], record.checkpoint)
    assert record.checkpoint.size == 4
    assert files["tile/entries/000.p/2"].index(b"tnt_a") < files["tile/entries/000.p/2"].index(b"tnt_b")


def test_a_day_ends_with_its_own_entry():
    store = closed(Store(), 1)
    assert parsed(store.files["tile/entries/001.p/45"][-len(end()) :])["actions"] == 300


def end():
    from shared.audit.entries import day_entry

    return day_entry(TENANT, DAYS[0], 0, {"actions": 300, "findings": 0, "streams": 300}).header
