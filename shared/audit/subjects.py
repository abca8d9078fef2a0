"""Whom an entry is about: a guest under an alias that only a key of their own can make again.

An alias is an HMAC under 256 random bits kept for one guest. While the key is kept, whoever holds it can show
which entries are that guest's, and no others. Once it is destroyed, no guess at the guest's id can be tried.
The salts of the guest's bodies come from the same key, so that a body's hash cannot be tried out either.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Final

from shared.audit.errors import Malformed

KEY_SIZE: Final = 32
ALIAS: Final = "alias:"
_ALIAS, _SALT = b"keyfleet/audit/subject/v1\n", b"keyfleet/audit/salt/v1\n"
_BODY = b"keyfleet/audit/body/v1"
_BLOCK: Final = 64
_INNER, _OUTER = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
Keyed = Callable[[bytes], bytes]


def keyed(key: bytes, beginning: bytes = b"") -> Keyed:
    """HMAC-SHA-256 (RFC 2104) of messages that begin alike, under a key of at most a block.

    Key and beginning are hashed once, whatever comes after them: a day has two million messages.
    """
    block = key.ljust(_BLOCK, b"\0")
    inner, outer = sha256(block.translate(_INNER) + beginning), sha256(block.translate(_OUTER))

    def digest(message: bytes) -> bytes:
        within, around = inner.copy(), outer.copy()
        within.update(message)
        around.update(within.digest())
        return around.digest()

    return digest


@dataclass(frozen=True, slots=True)
class Subject:
    """The guest of a stream, or nobody in particular: then the key is the tenant's own."""

    key: bytes = field(repr=False)
    guest_id: str | None = field(default=None, repr=False)
    alias: str | None = field(init=False)
    body_key: bytes = field(init=False, repr=False, compare=False)
    """What this guest's bodies are sealed with: they lie beside the log for good, and go with the key."""
    body_digest: Keyed = field(init=False, repr=False, compare=False)
    """What a body's nonce comes of."""
    _salt: Keyed = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Make once what each of the guest's entries needs, and refuse a key that could be guessed."""
        if len(self.key) != KEY_SIZE:
            raise Malformed("subject key", f"it is not {KEY_SIZE} bytes long", "Draw one from the entropy")
        digest = keyed(self.key)
        guest = None if self.guest_id is None else self.guest_id.encode()
        alias = None if guest is None else ALIAS + digest(_ALIAS + guest).hex()
        object.__setattr__(self, "alias", alias)
        object.__setattr__(self, "body_key", digest(_BODY))
        object.__setattr__(self, "body_digest", keyed(self.body_key))
        object.__setattr__(self, "_salt", keyed(self.key, _SALT))

    def salt(self, event_id: str) -> bytes:
        """What is hashed before a body, the same whenever the entry is made again."""
        return self._salt(event_id.encode())
