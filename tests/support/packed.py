"""Files of a fleet as somebody would read them who knows how documents are packed."""

import contextlib
import re
import zlib

from infra.local.storage.packing import MAGIC, words

MOST = 4096
AT_ONCE = 16


def with_what_is_packed(raw):
    """Return a file's bytes, and after them whatever was packed in it, were it long since freed."""
    places = re.finditer(re.escape(MAGIC), raw)
    return b"\n".join([raw, *(_beginning(raw[place.end() : place.end() + MOST]) for place in places)])


def _beginning(pressed):
    """Return as much of a packed text as can be read: a page may end within it."""
    press, read = zlib.decompressobj(-13, words()), b""
    with contextlib.suppress(zlib.error):
        for place in range(0, len(pressed), AT_ONCE):
            read += press.decompress(pressed[place : place + AT_ONCE])
    return read
