"""Files of a fleet as somebody would read them who knows how documents are packed."""

import contextlib
import re
import zlib

import zstandard

from infra.local.storage.packing import FORMER, MAGIC, dictionary, former_words

MOST = 4096
AT_ONCE = 16


def with_what_is_packed(raw):
    """Return a file's bytes, and after them whatever was packed in it, were it long since freed."""
    return b"\n".join([raw, *_found(raw, MAGIC, _frame), *_found(raw, FORMER, _deflated)])


def _found(raw, magic, read):
    places = re.finditer(re.escape(magic), raw)
    return [read(raw[place.end() : place.end() + MOST]) for place in places]


def _frame(pressed):
    """Return a packed text, as far as its page holds it."""
    words = zstandard.ZstdCompressionDict(dictionary())
    press = zstandard.ZstdDecompressor(dict_data=words, format=zstandard.FORMAT_ZSTD1_MAGICLESS)
    return _beginning(press.decompressobj(), pressed, zstandard.ZstdError)


def _deflated(pressed):
    return _beginning(zlib.decompressobj(-13, former_words()), pressed, zlib.error)


def _beginning(press, pressed, broken):
    """Return as much of a packed text as can be read: a page may end within it."""
    read = b""
    with contextlib.suppress(broken):
        for place in range(0, len(pressed), AT_ONCE):
            read += press.decompress(pressed[place : place + AT_ONCE])
    return read
