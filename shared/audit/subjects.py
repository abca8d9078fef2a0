"""Whom an entry is about: a guest under an alias that only a key of their own can make again.

An alias is an HMAC under 256 random bits kept for one guest. While the key is kept, whoever holds it can show
which entries are that guest's, and no others. Once it is destroyed, no guess at the guest's id can be tried.
The salts of the guest's bodies come from the same key, so that a body's hash cannot be tried out either.
"""

import hmac
from dataclasses import dataclass, field
from typing import Final

from shared.audit.errors import Malformed

KEY_SIZE: Final = 32
ALIAS: Final = "alias:"
_ALIAS, _SALT = b"keyfleet/audit/subject/v1\n", b"keyfleet/audit/salt/v1\n"
_BODY = b"keyfleet/audit/body/v1"


@dataclass(frozen=True, slots=True)
class Subject:
    """The guest of a stream, or nobody in particular: then the key is the tenant's own."""

    key: bytes = field(repr=False)
    guest_id: str | None = field(default=None, repr=False)
    alias: str | None = field(init=False)
    body_key: bytes = field(init=False, repr=False, compare=False)
    """What this guest's bodies are sealed with: they lie beside the log for good, and go with the key."""

    def __post_init__(self) -> None:
        """Make alias and body's key once, and refuse a key that could be guessed."""
        if len(self.key) != KEY_SIZE:
            raise Malformed("subject key", f"it is not {KEY_SIZE} bytes long", "Draw one from the entropy")
        object.__setattr__(self, "alias", None if self.guest_id is None else self._alias(self.guest_id))
        object.__setattr__(self, "body_key", hmac.digest(self.key, _BODY, "sha256"))

    def salt(self, event_id: str) -> bytes:
        """What is hashed before a body, the same whenever the entry is made again."""
        return hmac.digest(self.key, _SALT + event_id.encode(), "sha256")

    def _alias(self, guest_id: str) -> str:
        return ALIAS + hmac.digest(self.key, _ALIAS + guest_id.encode(), "sha256").hex()
