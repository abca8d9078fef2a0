"""How a document's text lies in the file: pressed by a dictionary of the words that all documents share.

A document of ours is a kilobyte of which nine tenths are names of fields. Deflate with a preset dictionary
keeps a fifth of it for a dozen microseconds, and saves as much again in pages, log and checksums. What is
short, or gains nothing, stays text. The dictionary is a part of the format: a packed text names it, and it is
never changed; a better one is another file beside it. Decision 0078.
"""

import zlib
from functools import cache
from pathlib import Path
from typing import Final

MAGIC: Final = b"\xfaP\x01"
"""What packed text begins with: no text does, in UTF-8. The last byte is the dictionary's number."""
SHORTEST: Final = 64
_LEVEL, _WINDOW, _MEMORY = 3, -13, 6
"""Beyond these a document grows no smaller by what it costs; eight kilobytes hold the dictionary."""
Kept = str | bytes


def pack(plain: bytes) -> Kept:
    """Return a document's text as it is kept."""
    if len(plain) < SHORTEST:
        return plain.decode()
    press = _press().copy()
    packed = MAGIC + press.compress(plain) + press.flush()
    return packed if len(packed) < len(plain) else plain.decode()


def unpack(kept: Kept) -> bytes:
    """Return a document's text; what a release before kept was never packed."""
    if isinstance(kept, str):
        return kept.encode()
    if not kept.startswith(MAGIC):
        raise ValueError("packed by a release that this one does not know: deploy that one")
    return zlib.decompressobj(_WINDOW, words()).decompress(kept[len(MAGIC) :])


def unpacked(kept: Kept | None) -> str | None:
    """Return it for SQL."""
    return None if kept is None else unpack(kept).decode()


@cache
def words() -> bytes:
    """Return the dictionary."""
    return Path(__file__).with_name("packing.v1.txt").read_bytes()


@cache
def _press() -> "zlib._Compress":
    # To prime one with the dictionary takes as long as to press a document: each is a copy of the first.
    return zlib.compressobj(_LEVEL, zlib.DEFLATED, _WINDOW, _MEMORY, zlib.Z_DEFAULT_STRATEGY, words())
