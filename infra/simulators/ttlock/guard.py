"""Keeps web pages out: the simulator answers to its own loopback name only, and to no other site's script."""

from collections.abc import Mapping

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
Headers = Mapping[bytes, bytes]


class Guard:
    """Judges Host and Origin; without an authority it lets everything pass."""

    def __init__(self, authority: str | None) -> None:
        port = (authority or "").rpartition(":")[2]
        names = [f"{name}:{port}" for name in LOOPBACK] if authority else []
        self._hosts = frozenset(name.encode() for name in names)
        self._origins = frozenset(f"http://{name}".encode() for name in names)

    def refusal(self, headers: Headers) -> int | None:
        """Return the status of a refusal, or nothing."""
        if not self._hosts:
            return None
        if headers.get(b"host") not in self._hosts:
            return 421
        return 403 if headers.get(b"origin", b"") not in {b"", *self._origins} else None
