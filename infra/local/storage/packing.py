"""How a document's text lies in the file: pressed by a dictionary of the words that all documents share.

A document of ours is a kilobyte of which nine tenths are names of fields. Zstandard with a trained dictionary
keeps a sixth of it for four microseconds, and saves as much again in pages, log and checksums. What is
short, or gains nothing, stays text. The dictionary is a part of the format: a packed text names it, and it is
never changed; a better one is another file beside it. Decisions 0078 and 0170.
"""

import threading
import zlib
from functools import cache
from pathlib import Path
from typing import Final

import zstandard

MAGIC: Final = b"\xfaP\x02"
"""What packed text begins with: no text does, in UTF-8. The last byte is the dictionary's number."""
FORMER: Final = b"\xfaP\x01"
"""What a release before began with: deflated, with words that were chosen by hand."""
SHORTEST: Final = 64
_LEVEL, _USUAL_LENGTH, _FORMER_WINDOW = 3, 1024, -13
"""Beyond this level a document grows no smaller by what it costs."""
Kept = str | bytes


class _Tools(threading.local):
    """What one thread presses and reads with: neither may be two threads' at once."""

    def __init__(self) -> None:
        words = zstandard.ZstdCompressionDict(dictionary())
        # Frames without the mark that says what they are: ours says it, and which dictionary they need.
        plainly = zstandard.FORMAT_ZSTD1_MAGICLESS
        how = zstandard.ZstdCompressionParameters.from_level(
            _LEVEL,
            source_size=_USUAL_LENGTH,
            dict_size=len(dictionary()),
            format=plainly,
            write_content_size=True,
            write_dict_id=False,
        )
        self.press = zstandard.ZstdCompressor(dict_data=words, compression_params=how).compress
        self.read = zstandard.ZstdDecompressor(dict_data=words, format=plainly).decompress


@cache
def _tools() -> _Tools:
    return _Tools()


def pack(plain: bytes) -> Kept:
    """Return a document's text as it is kept."""
    if len(plain) < SHORTEST:
        return plain.decode()
    packed = MAGIC + _tools().press(plain)
    return packed if len(packed) < len(plain) else plain.decode()


def unpack(kept: Kept) -> bytes:
    """Return a document's text; what a release before kept was packed otherwise, or never."""
    if isinstance(kept, str):
        return kept.encode()
    if kept.startswith(MAGIC):
        return _tools().read(kept[len(MAGIC) :])
    if kept.startswith(FORMER):
        return zlib.decompressobj(_FORMER_WINDOW, former_words()).decompress(kept[len(FORMER) :])
    raise ValueError("packed by a release that this one does not know: deploy that one")


def unpacked(kept: Kept | None) -> str | None:
    """Return it for SQL."""
    return None if kept is None else unpack(kept).decode()


@cache
def dictionary() -> bytes:
    """Return the dictionary."""
    return Path(__file__).with_name("packing.v2.dict").read_bytes()


@cache
def former_words() -> bytes:
    """Return the words that a release before packed with."""
    return Path(__file__).with_name("packing.v1.txt").read_bytes()
