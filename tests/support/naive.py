"""RFC 9162 written down a second time, by its recursive definitions and with no regard for speed."""

from hashlib import sha256


def split(count):
    """Return the largest power of two below a count."""
    k = 1
    while 2 * k < count:
        k *= 2
    return k


def root(entries):
    """MTH of §2.1.1."""
    if not entries:
        return sha256(b"").digest()
    if len(entries) == 1:
        return sha256(b"\x00" + entries[0]).digest()
    k = split(len(entries))
    return sha256(b"\x01" + root(entries[:k]) + root(entries[k:])).digest()


def inclusion(index, entries):
    """PATH of §2.1.3.1."""
    if len(entries) == 1:
        return []
    k = split(len(entries))
    if index < k:
        return [*inclusion(index, entries[:k]), root(entries[k:])]
    return [*inclusion(index - k, entries[k:]), root(entries[:k])]


def consistency(old, entries, *, whole=True):
    """SUBPROOF of §2.1.4.1."""
    if old == len(entries):
        return [] if whole else [root(entries)]
    k = split(len(entries))
    if old <= k:
        return [*consistency(old, entries[:k], whole=whole), root(entries[k:])]
    return [*consistency(old - k, entries[k:], whole=False), root(entries[:k])]
