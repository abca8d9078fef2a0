"""Proofs of RFC 9162: that an entry is in a tree, and that a tree is an earlier one with more at its end.

Making one asks for the roots of perfect subtrees (`Subtrees`: level, index), so that a proof out of a million
entries reads three tiles. Checking one walks two numbers up the tree: where we are at that level, and where
the last node is. A node that is last and even has no neighbour there, so the walk climbs until it has one.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

from shared.audit.errors import Malformed, NotProven
from shared.audit.tree import EMPTY_ROOT, HASH_SIZE, joined, node_hash

Subtrees = Callable[[int, int], bytes]
"""The root of the perfect subtree of a level (0 are leaf hashes) that stands at an index of that level."""
Path = tuple[bytes, ...]
LONGEST_PATH = 63
"""Hashes of the longest proof: more than the entries any log will see, and C2SP's limit."""


def inclusion_path(index: int, size: int, subtrees: Subtrees) -> Path:
    """The hashes that lead from an entry to the root, its sibling first."""
    if not 0 <= index < size:
        raise Malformed("index", f"no entry of a tree of {size}", "Ask within the tree")
    start, end, path = 0, size, list[bytes]()
    while end - start > 1:
        middle = _split(start, end)
        if index < middle:
            path.append(_root(subtrees, middle, end))
            end = middle
        else:
            path.append(_root(subtrees, start, middle))
            start = middle
    return tuple(reversed(path))


def consistency_path(old: int, new: int, subtrees: Subtrees) -> Path:
    """The hashes that show the tree of `old` entries at the beginning of the tree of `new`."""
    if not 0 < old <= new:
        raise Malformed("old", f"no beginning of a tree of {new}", "Ask for 1 to its size")
    start, end, path = 0, new, list[bytes]()
    while old != end:
        middle = _split(start, end)
        if old <= middle:
            path.append(_root(subtrees, middle, end))
            end = middle
        else:
            path.append(_root(subtrees, start, middle))
            start = middle
    if start:
        path.append(_root(subtrees, start, end))
    return tuple(reversed(path))


def require_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> None:
    """Refuse a proof that does not lead from this leaf at this index to this root."""
    if root_by_inclusion(leaf, index, size, path) != root:
        raise NotProven(f"entry {index} is not in the tree of {size}: its proof leads to another root")


def root_by_inclusion(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes:
    """The root that a proof leads to; the hashing stands in the loop, for it is done a million times."""
    if not 0 <= index < size:
        raise NotProven(f"entry {index} cannot be in a tree of {size}")
    at, last, node = index, size - 1, leaf
    for sibling in path:
        if not last:
            raise NotProven(f"the proof of entry {index} is too long for a tree of {size}")
        if at & 1 or at == last:
            node = sha256(b"\x01" + sibling + node).digest()
            lifted = (at & -at).bit_length() - 1
            at, last = at >> lifted, last >> lifted
        else:
            node = sha256(b"\x01" + node + sibling).digest()
        at >>= 1
        last >>= 1
    if last:
        raise NotProven(f"the proof of entry {index} is too short for a tree of {size}")
    _require_hashes((leaf, *path))
    return node


def require_consistency(old: int, new: int, path: Sequence[bytes], old_root: bytes, new_root: bytes) -> None:
    """Refuse a tree that is not the earlier one with more at its end."""
    if not 0 <= old <= new:
        raise NotProven(f"a tree of {new} cannot continue one of {old}")
    _require_hashes((old_root, new_root, *path))
    if old in {0, new}:
        _require_trivial(old, new, path, old_root, new_root)
    elif _roots_by_consistency(old, new, path, old_root) != (old_root, new_root):
        raise NotProven(f"the tree of {new} does not continue the tree of {old}: history was rewritten")


def _require_trivial(old: int, new: int, path: Sequence[bytes], old_root: bytes, new_root: bytes) -> None:
    if path:
        raise NotProven("trees of which one is empty, or both the same, need no hashes to compare")
    if (old == new and old_root != new_root) or (not old and old_root != EMPTY_ROOT):
        raise NotProven(f"two roots for one size, {old}: the log was forked")


def _roots_by_consistency(old: int, new: int, path: Sequence[bytes], old_root: bytes) -> tuple[bytes, bytes]:
    """Both roots that a proof leads to, walked up from the last perfect subtree of the old tree."""
    lifted = (old & -old).bit_length() - 1
    at, last = (old - 1) >> lifted, (new - 1) >> lifted
    hashes = list(path) if at else [old_root, *path]
    if not hashes:
        raise NotProven("the proof is empty")
    before = after = hashes[0]
    for sibling in hashes[1:]:
        if not last:
            raise NotProven(f"the proof is too long for trees of {old} and {new}")
        if at & 1 or at == last:
            before, after = node_hash(sibling, before), node_hash(sibling, after)
            lifted = (at & -at).bit_length() - 1
            at, last = at >> lifted, last >> lifted
        else:
            after = node_hash(after, sibling)
        at, last = at >> 1, last >> 1
    if last:
        raise NotProven(f"the proof is too short for trees of {old} and {new}")
    return before, after


def _require_hashes(path: Sequence[bytes]) -> None:
    if len(path) > LONGEST_PATH or not {HASH_SIZE}.issuperset(map(len, path)):
        raise NotProven("the proof holds what is no hash")


def _split(start: int, end: int) -> int:
    """Return where a tree parts: after its largest power of two that is not all of it."""
    return start + (1 << ((end - start - 1).bit_length() - 1))


def _root(subtrees: Subtrees, start: int, end: int) -> bytes:
    """Return the root of entries from `start` to `end`, put together of perfect subtrees."""
    peaks = list[bytes]()
    while start < end:
        level = (end - start).bit_length() - 1
        peaks.append(subtrees(level, start >> level))
        start += 1 << level
    return joined(peaks)
