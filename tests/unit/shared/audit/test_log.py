"""A log grows file by file, and a crash anywhere leaves what leads to the same log."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audit.errors import Malformed, NotProven
from shared.audit.log import Edge, Write, append, edge_at, require_edge
from shared.audit.proofs import inclusion_path, require_inclusion
from shared.audit.tiles import bundled, partial_tiles, stored_subtrees, tile_path
from shared.audit.tree import CompactTree, leaf_hash
from tests.support import naive
from tests.support.notaries import flipped


class Files(dict):
    """A bucket that creates and never replaces."""

    def keep(self, write):
        assert self.setdefault(write.path, write.content) == write.content, write.path


def grown(files, edge, entries):
    """Append entries, keep the files, return the edge."""
    growing = append(edge, entries)
    while True:
        try:
            files.keep(next(growing))
        except StopIteration as end:
            return end.value


def some(count, start=0):
    return [b"entry %d" % n for n in range(start, start + count)]


@pytest.mark.parametrize("size", [0, 1, 2, 255, 256, 257, 1000])
def test_a_log_has_the_root_of_its_entries(size):
    files = Files()
    edge = grown(files, Edge(), some(size))
    assert (edge.size, edge.root) == (size, naive.root(some(size)))
    assert edge_at(size, files.__getitem__) == edge


def test_the_edges_of_a_large_log_are_those_of_the_specification():
    files, size = Files(), 65_536 + 300
    edge = grown(files, Edge(), some(size))
    assert edge.root == CompactTree().extended(map(leaf_hash, some(size))).root
    assert [len(each) for each in edge.levels] == [44, 1, 1]
    assert {tile_path(*each) for each in partial_tiles(size)} <= files.keys()
    assert "tile/1/000" in files
    assert edge_at(size, files.__getitem__) == edge


@given(st.lists(st.integers(0, 300), max_size=6))
def test_a_log_grown_in_batches_is_the_log_grown_at_once(batches):
    files, edge = Files(), Edge()
    for batch in batches:
        edge = grown(files, edge, some(batch, edge.size))
        assert edge_at(edge.size, files.__getitem__) == edge
    whole = grown(Files(), Edge(), some(sum(batches)))
    assert edge == whole


def test_every_entry_stands_in_its_bundle_and_is_proven_by_the_tiles():
    files = Files()
    edge = grown(files, grown(files, Edge(), some(200)), some(400, 200))
    subtrees = stored_subtrees(edge.size, files.__getitem__)
    for index in range(edge.size):
        last = edge.size % 256 if index // 256 == edge.size // 256 else 256
        entry = bundled(files[tile_path("entries", index // 256, last)])[index % 256]
        assert entry == some(1, index)[0]
        require_inclusion(
            leaf_hash(entry), index, edge.size, inclusion_path(index, edge.size, subtrees), edge.root
        )


def test_a_crash_after_any_write_and_the_same_batch_again_make_the_same_log():
    files = Files()
    before = grown(files, Edge(), some(250))
    writes = list(append(before, some(300, 250)))
    whole = grown(Files(files), before, some(300, 250))
    for survived in range(len(writes) + 1):
        left = Files(files)
        for write in writes[:survived]:
            left.keep(write)
        again = require_edge(250, before.root, left.__getitem__)
        assert grown(left, again, some(300, 250)) == whole


def test_full_tiles_come_before_the_partial_ones_that_a_checkpoint_needs():
    paths = [each.path for each in append(Edge(), some(300))]
    assert paths == [
        "tile/entries/000",
        "tile/0/000",
        "tile/entries/001.p/44",
        "tile/0/001.p/44",
        "tile/1/000.p/1",
    ]


def test_nothing_appended_writes_nothing():
    edge = grown(Files(), Edge(), some(3))
    assert list(append(edge, [])) == []


def test_an_altered_file_is_no_ground_to_go_on_from():
    files = Files()
    edge = grown(files, Edge(), some(300))
    paths = ("tile/entries/001.p/44", "tile/0/001.p/44", "tile/1/000.p/1")
    for path in paths:
        altered = files | {path: flipped(files[path], 100)}
        with pytest.raises((NotProven, Malformed)):
            require_edge(300, edge.root, altered.__getitem__)
    assert require_edge(300, edge.root, files.__getitem__) == edge


def test_a_root_of_another_log_is_refused():
    files = Files()
    grown(files, Edge(), some(3))
    with pytest.raises(NotProven, match="altered"):
        require_edge(3, naive.root(some(4)), files.__getitem__)


def test_an_entry_that_no_bundle_holds_is_refused():
    with pytest.raises(Malformed):
        list(append(Edge(), [b"x" * 65_536]))


def test_a_write_is_a_path_and_its_content():
    assert next(append(Edge(), [b"a"])) == Write("tile/entries/000.p/1", b"\x00\x01a")
