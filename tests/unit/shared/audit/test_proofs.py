"""Proofs are the published ones, hold for every entry and size, and fail for everything else."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.audit.errors import Malformed, NotProven
from shared.audit.proofs import (
    consistency_path,
    inclusion_path,
    require_consistency,
    require_inclusion,
)
from shared.audit.tree import EMPTY_ROOT, leaf_hash
from tests.support import naive
from tests.unit.shared.audit.published import CONSISTENCY, ENTRIES, INCLUSION, ROOTS

MANY = [b"entry %d" % n for n in range(70)]
ANY_HASH = bytes.fromhex("abacaba000000000000000000000000000000000000000000060061e00123456")


def subtrees(entries):
    """Return the roots of perfect subtrees, by the recursive definition."""
    return lambda level, index: naive.root(entries[index << level : (index + 1) << level])


def as_hex(path):
    return [each.hex() for each in path]


def mutants(path):
    """Return every path of the families that the transparency community tries on verifiers."""
    yield from (path[:n] for n in range(len(path)))
    yield from (path[n:] for n in range(1, len(path)))
    yield from (path[:n] + path[n + 1 :] for n in range(len(path)))
    for odd in (b"", b"\x00", ANY_HASH, EMPTY_ROOT, b"\x00" * 32):
        yield from ([*path[:n], odd, *path[n:]] for n in range(len(path) + 1))
    yield from ([*path[:n], *path[n:][1::-1], *path[n + 2 :]] for n in range(len(path) - 1))
    for place, node in enumerate(path):
        for bit in range(len(node) * 8):
            changed = bytearray(node)
            changed[bit // 8] ^= 1 << bit % 8
            yield [*path[:place], bytes(changed), *path[place + 1 :]]
        yield [*path[:place], node[:-1], *path[place + 1 :]]
        yield [*path[:place], node + b"\x00", *path[place + 1 :]]


@pytest.mark.parametrize(("index", "size"), INCLUSION)
def test_inclusion_proofs_are_the_published_ones(index, size):
    path = inclusion_path(index, size, subtrees(ENTRIES))
    assert as_hex(path) == INCLUSION[index, size]
    require_inclusion(leaf_hash(ENTRIES[index]), index, size, path, bytes.fromhex(ROOTS[size]))


@pytest.mark.parametrize(("old", "new"), CONSISTENCY)
def test_consistency_proofs_are_the_published_ones(old, new):
    path = consistency_path(old, new, subtrees(ENTRIES))
    assert as_hex(path) == CONSISTENCY[old, new]
    require_consistency(old, new, path, bytes.fromhex(ROOTS[old]), bytes.fromhex(ROOTS[new]))


@pytest.mark.parametrize("size", range(1, len(MANY) + 1))
def test_every_entry_of_every_size_is_proven_as_the_definition_has_it(size):
    entries = MANY[:size]
    root = naive.root(entries)
    for index, entry in enumerate(entries):
        path = inclusion_path(index, size, subtrees(entries))
        assert list(path) == naive.inclusion(index, entries)
        require_inclusion(leaf_hash(entry), index, size, path, root)


@pytest.mark.parametrize("new", range(1, len(MANY) + 1))
def test_every_continuation_is_proven_as_the_definition_has_it(new):
    entries = MANY[:new]
    for old in range(1, new + 1):
        path = consistency_path(old, new, subtrees(entries))
        assert list(path) == naive.consistency(old, entries)
        require_consistency(old, new, path, naive.root(entries[:old]), naive.root(entries))


@pytest.mark.parametrize(("index", "size"), [*INCLUSION, (4, 7), (68, 69), (69, 70)])
def test_no_mutant_of_an_inclusion_proof_is_accepted(index, size):
    entries = MANY[:size]
    leaf, root, path = leaf_hash(entries[index]), naive.root(entries), naive.inclusion(index, entries)
    asked = [(leaf, index, size, each, root) for each in mutants(path)]
    asked += [(leaf, index, size, [*path, root], root), (leaf, index, size, [root, *path], root)]
    asked += [(leaf, at, size, path, root) for at in {index - 1, index + 1, index ^ 2, -1} - {index}]
    asked += [(leaf, index, of, path, root) for of in (size * 2, size // 2, 0, -1)]
    asked += [
        (other, index, size, path, root) for other in (ANY_HASH, root, EMPTY_ROOT, b"") if other != leaf
    ]
    asked += [(leaf, index, size, path, other) for other in (ANY_HASH, EMPTY_ROOT, b"")]
    for each in asked:
        with pytest.raises(NotProven):
            require_inclusion(*each)


@pytest.mark.parametrize(("old", "new"), [*CONSISTENCY, (3, 7), (4, 8), (64, 69), (65, 70)])
def test_no_mutant_of_a_consistency_proof_is_accepted(old, new):
    entries = MANY[:new]
    roots = naive.root(entries[:old]), naive.root(entries)
    path = naive.consistency(old, entries)
    asked = [(old, new, each, *roots) for each in mutants(path)]
    asked += [(old, new, [*path, root], *roots) for root in roots]
    asked += [(old, new, [root, *path], *roots) for root in roots]
    asked += [(old, new, path, ANY_HASH, roots[1]), (old, new, path, roots[0], ANY_HASH)]
    asked += [(old, new, path, roots[0], EMPTY_ROOT), (new, old - 1, path, *roots), (-1, new, path, *roots)]
    asked += [(other, new, path, *roots) for other in {old - 1, old + 1, old ^ 2, 0} - {old}]
    asked += [(old, other, path, *roots) for other in (new * 2, new // 2)]
    asked += [] if old == new else [(old, new, path, *reversed(roots)), (old, new, [], *roots)]
    for each in asked:
        with pytest.raises(NotProven):
            require_consistency(*each)


def test_the_empty_log_is_the_beginning_of_every_log_and_needs_no_proof():
    require_consistency(0, 5, (), EMPTY_ROOT, ANY_HASH)
    require_consistency(0, 0, (), EMPTY_ROOT, EMPTY_ROOT)


@pytest.mark.parametrize(
    "wrong",
    [
        (0, 5, (ANY_HASH,), EMPTY_ROOT, ANY_HASH),
        (0, 5, (), ANY_HASH, ANY_HASH),
        (0, 1, (), EMPTY_ROOT, b"no hash at all"),
        (0, 0, (), EMPTY_ROOT, ANY_HASH),
        (0, 0, (), ANY_HASH, ANY_HASH),
    ],
)
def test_an_empty_log_has_one_root_and_no_proof(wrong):
    with pytest.raises(NotProven):
        require_consistency(*wrong)


def test_what_is_no_hash_is_no_leaf_even_if_the_root_is_the_same():
    with pytest.raises(NotProven):
        require_inclusion(b"", 0, 1, (), b"")


def test_two_roots_for_one_size_are_a_fork():
    with pytest.raises(NotProven, match="forked"):
        require_consistency(5, 5, (), ANY_HASH, EMPTY_ROOT)


@pytest.mark.parametrize("ask", [(inclusion_path, 5, 5), (inclusion_path, -1, 5), (consistency_path, 0, 5)])
def test_what_no_tree_has_cannot_be_asked_for(ask):
    make, first, size = ask
    with pytest.raises(Malformed):
        make(first, size, subtrees(MANY))


@given(st.integers(1, 300), st.data())
def test_a_proof_for_one_place_proves_no_other(size, data):
    index, other = data.draw(st.integers(0, size - 1)), data.draw(st.integers(0, size - 1))
    entries = [b"%d" % n for n in range(size)]
    root, path = naive.root(entries), inclusion_path(index, size, subtrees(entries))
    require_inclusion(leaf_hash(entries[index]), index, size, path, root)
    if other != index:
        with pytest.raises(NotProven):
            require_inclusion(leaf_hash(entries[other]), index, size, path, root)


def test_a_longer_proof_belongs_to_a_longer_log():
    lengths = [len(inclusion_path(0, 1 << n, lambda *_: ANY_HASH)) for n in range(21)]
    assert all(longer == shorter + 1 for shorter, longer in pairwise(lengths))
