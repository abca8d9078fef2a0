"""What a process remembers: for its time, up to its number, until it is told to forget."""

from datetime import timedelta

from shared.kernel.remembered import Remembered
from tests.contract.embedded import ManualClock


def remembered(**limits):
    clock = ManualClock()
    return clock, Remembered(clock.now, timedelta(minutes=5), **limits)


def test_a_value_is_remembered_for_its_time():
    clock, memory = remembered()
    memory.put("a", 1)
    clock.advance(minutes=4, seconds=59)
    assert memory.get("a") == 1
    clock.advance(seconds=1)
    assert memory.get("a") is None
    assert (memory.last("a"), memory.last("b")) == (1, None)


def test_the_longest_unread_gives_way():
    _, memory = remembered(most=2)
    for key in ("a", "b"):
        memory.put(key, key)
    memory.get("a")
    memory.put("c", "c")
    assert [memory.get(key) for key in ("a", "b", "c")] == ["a", None, "c"]


def test_what_changed_is_forgotten_and_counted():
    _, memory = remembered()
    for key in (("x", 1), ("x", 2), ("y", 1)):
        memory.put(key, key)
    memory.forget(lambda key: key[0] == "x")
    assert [memory.get(key) for key in (("x", 1), ("x", 2), ("y", 1))] == [None, None, ("y", 1)]
    assert memory.changes == 1
