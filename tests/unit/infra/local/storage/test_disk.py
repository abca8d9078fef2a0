"""A wait is handed over only where it outlasts the handing over, and one slow commit is no slow disk."""

import asyncio
import threading

import pytest

from infra.local.counters import Counters
from infra.local.storage.disk import LOOK_EVERY, QUICK_SECONDS, REMEMBERED, Disk
from infra.local.storage.engine import Engine
from tests.unit.infra.local.storage.notebook import SlowDisk, keep, names, open_notebook

SLOW, QUICK = 10 * QUICK_SECONDS, QUICK_SECONDS / 10


def learned(*seconds):
    disk = Disk()
    for each in seconds:
        disk.took(each)
    return disk


def test_a_disk_is_taken_for_quick_until_it_is_known():
    assert Disk().quick


def test_a_slow_disk_is_handed_over_to():
    assert not learned(*[SLOW] * REMEMBERED).quick


def test_one_slow_commit_among_quick_ones_changes_nothing():
    assert learned(*[QUICK] * REMEMBERED, SLOW, SLOW).quick


def test_a_slow_disk_is_looked_at_now_and_then_and_believed_when_it_is_quick_again():
    disk = learned(*[SLOW] * REMEMBERED)
    looks = [number for number in range(1, 3 * LOOK_EVERY + 1) if disk.quick]
    assert looks == [LOOK_EVERY, 2 * LOOK_EVERY, 3 * LOOK_EVERY]
    for _ in range(REMEMBERED):
        disk.took(QUICK)
    assert disk.quick


class QuickDisk(Disk):
    """A disk that is always waited for where the statements ran."""

    quick = True


class Where:
    """Faults that never come, and that note on which thread each commit was finished."""

    def __init__(self):
        self.finished = []

    def reach(self, boundary):
        if boundary == "after-commit":
            self.finished.append(threading.current_thread() is threading.main_thread())


@pytest.mark.parametrize(("disk", "on_the_loop"), [(QuickDisk(), True), (SlowDisk(), False)])
async def test_the_disk_decides_where_a_commit_is_waited_for(tmp_path, disk, on_the_loop):
    where = Where()
    engine = Engine(open_notebook(tmp_path), faults=where, counters=Counters(), disk=disk)
    engine.start()
    await engine.write(keep("a"))
    await engine.close()
    assert set(where.finished) == {on_the_loop}


async def test_what_is_read_is_the_last_commit_whichever_way_it_was_waited_for(tmp_path):
    for disk in (QuickDisk(), SlowDisk()):
        folder = tmp_path / type(disk).__name__
        engine = Engine(open_notebook(folder), faults=Where(), counters=Counters(), disk=disk)
        engine.start()
        await engine.write(keep("a"))
        writing = asyncio.ensure_future(engine.write(keep("b")))
        seen = []
        while not writing.done():
            seen.append(names(engine))
            await asyncio.sleep(0)
        assert set(map(tuple, seen)) <= {("a",), ("a", "b")}
        assert (seen[0], names(engine)) == (["a"], ["a", "b"])
        await engine.close()
