"""Tiles and bundles are named and filled as the specification has them, and every proof can be read off."""

import pytest

from shared.audit.errors import Malformed
from shared.audit.proofs import consistency_path, inclusion_path, require_consistency, require_inclusion
from shared.audit.tiles import (
    as_bundle,
    bundled,
    hashes_of,
    partial_tiles,
    stored_subtrees,
    tile_path,
    width_of,
)
from shared.audit.tree import CompactTree, leaf_hash
from tests.support import naive


def test_paths_are_the_published_ones():
    assert tile_path(0, 1234067) == "tile/0/x001/x234/067"
    assert tile_path(1, 0, 17) == "tile/1/000.p/17"
    assert tile_path("entries", 999, 255) == "tile/entries/999.p/255"
    assert tile_path("entries", 1000) == "tile/entries/x001/000"


def test_seventy_thousand_entries_are_the_published_tiles():
    assert list(partial_tiles(70_000)) == [(0, 273, 112), (1, 1, 17), (2, 0, 1)]
    assert [width_of(0, 272, 70_000), width_of(1, 0, 70_000), width_of(0, 274, 70_000)] == [256, 256, 0]
    assert list(partial_tiles(256)) == [(1, 0, 1)]
    assert list(partial_tiles(0)) == []


def test_a_bundle_comes_back_as_it_was():
    entries = (b"", b"a", b"b" * 65_535)
    assert bundled(as_bundle(entries)) == entries
    assert as_bundle((b"ab",)) == b"\x00\x02ab"


@pytest.mark.parametrize("content", [b"\x00", b"\x00\x02a", b"\x00\x01ab"])
def test_a_bundle_that_ends_inside_an_entry_is_refused(content):
    with pytest.raises(Malformed, match="bundle"):
        bundled(content)


def test_an_entry_too_long_for_its_bundle_is_refused():
    with pytest.raises(Malformed, match="65535"):
        as_bundle([b"x" * 65_536])


def test_a_tile_of_another_width_is_refused():
    with pytest.raises(Malformed, match="3 hashes"):
        hashes_of(b"x" * 64, 3)


def files_of(entries):
    """Return every tile of a log, by the definition: roots of ever larger subtrees."""
    files, level, count = {}, 0, len(entries)
    while count:
        span = 256**level
        hashes = [naive.root(entries[n * span : (n + 1) * span]) for n in range(count)]
        for n in range(0, count, 256):
            row = hashes[n : n + 256]
            files[tile_path(level, n // 256, len(row))] = b"".join(row)
        level, count = level + 1, count // 256
    return files


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 511, 700])
def test_proofs_are_read_off_the_tiles(size):
    entries = [b"%d" % n for n in range(size)]
    files, root = files_of(entries), naive.root(entries)
    subtrees = stored_subtrees(size, files.__getitem__)
    for index in {0, 1, size // 2, size - 1} & set(range(size)):
        path = inclusion_path(index, size, subtrees)
        require_inclusion(leaf_hash(entries[index]), index, size, path, root)
    for old in {1, size // 2, size - 1, size} - {0}:
        require_consistency(old, size, consistency_path(old, size, subtrees), naive.root(entries[:old]), root)


def test_a_proof_out_of_a_hundred_thousand_entries_reads_few_tiles():
    size, asked = 100_000, []
    leaves = [leaf_hash(b"%d" % n) for n in range(size)]

    def read(path):
        asked.append(path)
        level, rest = int(path.split("/")[1]), path.split("/", 2)[2]
        number = int(rest.split(".")[0].replace("x", "").replace("/", ""))
        span = 256**level
        starts = range(number * 256 * span, min((number + 1) * 256 * span, size // span * span), span)
        return b"".join(CompactTree().extended(leaves[at : at + span]).root for at in starts)

    root = CompactTree().extended(leaves).root
    path = inclusion_path(70_001, size, stored_subtrees(size, read))
    require_inclusion(leaves[70_001], 70_001, size, path, root)
    assert len(set(asked)) == len(asked) <= 5
