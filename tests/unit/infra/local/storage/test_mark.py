"""The high-water mark: two slots, of which a torn write spoils at most one."""

import pytest

from infra.local.storage.mark import Mark, MarkBroken

OURS, OTHER = b"o" * 16, b"x" * 16


@pytest.fixture
def path(tmp_path):
    return tmp_path / "fleet.mark"


@pytest.fixture
def mark(path):
    mark = Mark(path)
    yield mark
    mark.close()


def test_a_new_mark_promises_nothing(mark):
    assert mark.read() is None


def test_a_mark_rises_with_each_commit(mark):
    for commit in range(1, 6):
        mark.write(OURS, commit)
        assert mark.read() == (OURS, commit)


def test_a_mark_is_read_by_the_next_process(mark, path):
    mark.write(OURS, 7)
    other = Mark(path)
    assert other.read() == (OURS, 7)
    other.close()


@pytest.mark.parametrize("place", range(28))
@pytest.mark.parametrize("slot", [0, 1])
def test_a_torn_slot_leaves_the_other(mark, path, slot, place):
    mark.reset(OURS, 4)
    mark.write(OURS, 5)
    content = bytearray(path.read_bytes())
    content[slot * 28 + place] ^= 0x10
    path.write_bytes(content)
    assert mark.read() == (OURS, 4 if slot == 1 else 5)


@pytest.mark.parametrize("length", [1, 27])
def test_a_mark_of_which_nothing_is_readable_is_broken(mark, path, length):
    path.write_bytes(b"\xff" * length)
    with pytest.raises(MarkBroken):
        mark.read()


def test_a_reset_forgets_what_was_higher(mark):
    mark.write(OTHER, 99)
    mark.reset(OURS, 3)
    assert mark.read() == (OURS, 3)


def test_a_cleared_mark_promises_nothing(mark):
    mark.reset(OURS, 3)
    mark.clear()
    assert mark.read() is None
