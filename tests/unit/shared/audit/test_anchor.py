"""A day is closed once, in order, and the same way however often whoever closes it dies on the way."""

import pytest

from shared.audit.anchor import (
    Anchored,
    Ground,
    KeepAnchor,
    KeepHeads,
    Look,
    More,
    Publish,
    anchor_cell,
    anchor_day,
    never_anchored,
)
from shared.audit.checkpoint import Checkpoint
from shared.audit.errors import Behind, Malformed, NotProven
from shared.audit.intake import Day, KeptHead, Page
from shared.audit.log import Write
from shared.audit.notes import Note
from shared.audit.succession import LogKey, LogKeys
from shared.audit.text import parsed
from shared.audit.tiles import bundled
from tests.support.audit_pack import CELL, DAYS, LOG, rows_of
from tests.support.audited import TENANT, row, subject_of
from tests.support.notaries import check

KEYS = LogKeys((LogKey(LOG.key),))


class Crash(Exception):
    """The process dies."""


class Store:
    """Files that nobody replaces, frozen pages, heads, and one record under compare-and-set."""

    def __init__(self):
        self.files, self.heads, self.published, self.frozen = {}, {}, {}, {}
        self.record = never_anchored(LOG.name, DAYS[0])
        self.steps_left = None

    def take(self, date, step, pages):
        """Carry out a step and answer it, unless the process dies first."""
        self.live_on()
        match step:
            case Look():
                return step.question(self.files.__getitem__)
            case More():
                return next(pages, None)
            case Write():
                assert self.files.setdefault(step.path, step.content) == step.content, step.path
            case KeepHeads():
                self.heads |= {each.stream: self.after(date, each) for each in step.heads}
            case KeepAnchor():
                assert self.record == step.last
                self.record = step.next
            case Publish():
                assert self.published.setdefault(step.date, str(step.note)) == str(step.note)
        return None

    def after(self, date, each):
        """Return a stream's head after a day."""
        assert all(kept.stream == each.stream for _, kept in each.entries)
        return self.heads.get(each.stream, KeptHead()).after(date, each.head)

    def live_on(self):
        """Die, if it is time."""
        if self.steps_left == 0:
            raise Crash
        self.steps_left = self.steps_left and self.steps_left - 1

    def close(self, date, rows, seen=()):
        """Run one process that closes a day."""

        def heads(stream):
            return self.heads.get(stream, KeptHead()).before(date)

        pages = iter([Page(rows[at : at + 100], heads, subject_of) for at in range(0, len(rows), 100)])
        ground = Ground(self.record, KEYS, lambda key: LOG.sign, seen, closed_body)
        return self.run(date, anchor_day(Day.of(TENANT, date), ground), pages)

    def run(self, date, steps, pages=None):
        """Carry out every step of a day."""
        answer = None
        while True:
            try:
                step = steps.send(answer)
            except StopIteration as end:
                return end.value
            answer = self.take(date, step, pages or iter(()))

    def state(self):
        return self.files, self.heads, self.published, self.record


def closed_body(entry, subject):
    """Return a body as it is kept: here in the clear, with what seals it."""
    return subject.body_key + entry.body


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
    assert len([body for body in bodies(store) if body]) == 302
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


def test_other_rows_after_a_death_are_never_written_over_what_is_there():
    date, rows = days()[0]
    late = sorted([*rows, row("key_0003b", 1, f"{date}T12:00:00Z")], key=lambda each: each["aggregateId"])
    store = Store()
    store.steps_left = 8
    with pytest.raises(Crash):
        store.close(date, rows)
    store.steps_left = None
    with pytest.raises(AssertionError, match="tile/"):
        store.close(date, late)


def test_bodies_lie_beside_their_entries_and_go_on_from_an_unfinished_bundle():
    store = closed(Store())
    entries = [each for number in (0, 1) for each in bundle(store, "entries", number)]
    assert len(entries) == len(bodies(store)) == 306
    for header, body in zip(entries, bodies(store), strict=True):
        assert bool(body) == (b'"kind":"action"' in header)
        key = subject_of({"body": '{"data":{}}', "aggregateId": stream_of(header)}).body_key if body else b""
        assert body.startswith(key)


def test_the_record_is_set_before_anything_is_signed():
    store, order = Store(), []
    sign = lambda key: lambda text: order.append("signed") or b"s" * 64  # noqa: E731
    ground = Ground(store.record, KEYS, sign)
    carry_out = store.take
    store.take = lambda date, step, pages: order.append(type(step)) or carry_out(date, step, pages)
    store.run(DAYS[0], anchor_day(Day.of(TENANT, DAYS[0]), ground))
    assert order[-3:] == [KeepAnchor, "signed", Publish]


def test_a_new_key_signs_from_its_size_on():
    keys = KEYS.replaced(301, CELL.key)
    assert [keys.good_for(size) for size in (301, 302)] == [LOG.key, CELL.key]


def test_the_cells_day_holds_each_tenants_checkpoint_once_in_order():
    store = Store()
    store.record = never_anchored(CELL.name, DAYS[0])
    points = [Checkpoint(f"audit.example/cell-1/{name}", 3, b"r" * 32) for name in ("tnt_b", "tnt_a")]
    keys = LogKeys((LogKey(CELL.key),))
    for date in DAYS[:2]:
        ground = Ground(store.record, keys, lambda key: CELL.sign)
        store.run(date, anchor_cell(date, ground, points))
        assert keys.require(Note.parse(store.published[date].encode()), check) == store.record.checkpoint
    assert store.record == Anchored(DAYS[1], store.record.checkpoint)
    assert store.record.checkpoint.size == 4
    entries = store.files["tile/entries/000.p/2"]
    assert entries.index(b"tnt_a") < entries.index(b"tnt_b")
    assert not [path for path in store.files if "bodies" in path]


def test_late_rows_come_first_and_their_streams_go_on_behind_them():
    store = closed(Store(), 2)
    date = DAYS[2]
    late = [row("key_0002", 2, f"{DAYS[1]}T23:59:00Z"), row("key_zz", 1, f"{DAYS[1]}T23:59:00Z")]
    own = [row("key_0002", 3, f"{date}T08:00:00Z")]
    before = KeptHead().before

    def heads(stream):
        return store.heads[stream].before(date) if stream in store.heads else before(date)

    pages = iter([Page(late, heads, subject_of, late=True), Page(own, heads, subject_of)])
    ground = Ground(store.record, KEYS, lambda key: LOG.sign, (), closed_body)
    store.run(date, anchor_day(Day.of(TENANT, date), ground), pages)
    headers = [parsed(each) for each in bundle(store, "entries", 1)][-4:]
    assert [each.get("finding") or each["kind"] for each in headers] == ["late", "late", "action", "day"]
    assert headers[-1]["streams"] == 2


def test_a_day_ends_with_its_own_entry():
    store = closed(Store(), 1)
    assert parsed(store.files["tile/entries/001.p/45"][-len(end()) :])["actions"] == 300


def bundle(store, kind, number):
    """Return the last state of a bundle."""
    sized = {
        len(bundled(content)): content
        for path, content in store.files.items()
        if path.startswith(f"tile/{kind}/00{number}")
    }
    return bundled(sized[max(sized)])


def bodies(store):
    return [each for number in (0, 1) for each in bundle(store, "bodies", number)]


def stream_of(header):
    return parsed(header)["stream"]


def end():
    from shared.audit.entries import day_entry

    return day_entry(TENANT, DAYS[0], 0, {"actions": 300, "findings": 0, "streams": 300}).header
