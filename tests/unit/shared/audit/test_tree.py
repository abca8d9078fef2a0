"""The tree agrees with the published vectors and with the recursive definition, however it is grown."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audit.errors import Malformed
from shared.audit.tree import EMPTY_ROOT, CompactTree, leaf_hash, node_hash, root_of, row_above
from tests.support import naive
from tests.unit.shared.audit.published import ENTRIES, LEAF_HASHES, ROOTS


def test_prefixes_keep_leaves_and_nodes_apart():
    assert leaf_hash(b"L123456").hex() == "395aa064aa4c29f7010acfe3f25db9485bbd4b91897b6ad7ad547639252b4d56"
    assert (
        node_hash(b"N123", b"N456").hex()
        == "aa217fe888e47007fa15edab33c2b492a722cb106c64667fc2b044444de66bbb"
    )
    assert EMPTY_ROOT.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert leaf_hash(b"N123N456") != node_hash(b"N123", b"N456")


@pytest.mark.parametrize("size", range(len(ENTRIES) + 1))
def test_roots_are_the_published_ones(size):
    assert root_of(ENTRIES[:size]).hex() == ROOTS[size]


def test_the_row_above_is_of_neighbours_two_by_two():
    a, b, c, d = map(leaf_hash, (b"a", b"b", b"c", b"d"))
    assert row_above(a + b + c + d) == node_hash(a, b) + node_hash(c, d)


def test_leaf_hashes_are_the_published_ones():
    assert [leaf_hash(each).hex() for each in ENTRIES] == LEAF_HASHES


@pytest.mark.parametrize("size", [*range(40), 255, 256, 257, 1000])
def test_roots_are_those_of_the_recursive_definition(size):
    entries = [b"%d" % n for n in range(size)]
    assert root_of(entries) == naive.root(entries)


@given(st.lists(st.lists(st.binary(max_size=8), max_size=9), max_size=8))
def test_growing_in_batches_gives_the_same_tree_as_growing_at_once(batches):
    tree = CompactTree()
    for batch in batches:
        tree = tree.extended(map(leaf_hash, batch))
    together = [entry for batch in batches for entry in batch]
    assert tree == CompactTree().extended(map(leaf_hash, together))
    assert tree.root == naive.root(together)


def test_a_tree_keeps_one_peak_for_each_bit_of_its_size():
    assert len(CompactTree().extended([b"x" * 32] * 1_000).peaks) == (1_000).bit_count()


@pytest.mark.parametrize(("size", "peaks"), [(1, ()), (3, (b"a" * 32,)), (-1, (b"a" * 32,))])
def test_peaks_of_another_size_are_refused(size, peaks):
    with pytest.raises(Malformed, match="peaks"):
        CompactTree(size, peaks)
