"""A door with a card reader, written from the README's description of a card and from nothing of the product.

It holds the property's material and the public keys it trusts, has a clock and no network, and remembers
the highest issue number that it opened for.
"""

import hashlib
import hmac
import struct
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

Y2020 = 1_577_836_800
ONE_SHOT = 2


@dataclass
class Door:
    """One door: its name, its house, and what it remembers."""

    room: str
    house: str
    material: bytes
    trusted: list[bytes]
    newest: int = 0
    spent: set[int] = field(default_factory=set)

    def present(self, card: Any, now: datetime) -> str:
        """Hold a card to the door: `opens`, or the word for why it stays shut."""
        content = _tag(card) if hasattr(card, "pages") else self._plastic(card)
        if content is None:
            return "no_key"
        return self._judge(content, card.uid, int(now.timestamp()))

    def _plastic(self, card: Any) -> bytes | None:
        content = b""
        for sector in range(1, 5):
            message = b"keyfleet sector key v1\0" + bytes((0x60, sector)) + card.uid
            key = hmac.new(self.material, message, "sha256").digest()[:6]
            card.select()
            if not card.authenticate(sector * 4, "A", key, card.uid[-4:]):
                break
            content += b"".join(card.read(sector * 4 + n) for n in range(3))
        return content or None

    def _judge(self, content: bytes, uid: bytes, now: int) -> str:
        if len(content) < 37 or content[:3] != b"KF\x01":
            return "no_key"
        end = content[3]
        body, signature = content[:end], content[end : end + 64]
        if not self._proved(body, signature, uid):
            return "forged"
        house, number, start, stop, flags = struct.unpack(">8sQIIH", content[8:34])
        doors = [body[at : at + 4] for at in range(37, end, 4)]
        checks = (
            ("another_house", house == hashlib.sha256(self.house.encode()).digest()[:8]),
            ("another_door", hashlib.sha256(self.room.encode()).digest()[:4] in doors),
            ("too_early", now >= Y2020 + start * 60),
            ("too_late", now < Y2020 + stop * 60),
            ("superseded", number >= self.newest),
            ("used_up", number not in self.spent),
        )
        for reason, holds in checks:
            if not holds:
                return reason
        return self._open(number, flags)

    def _open(self, number: int, flags: int) -> str:
        self.newest = max(self.newest, number)
        if flags & ONE_SHOT:
            self.spent.add(number)
        return "opens"

    def _proved(self, body: bytes, signature: bytes, uid: bytes) -> bool:
        for key in self.trusted:
            if hashlib.sha256(key).digest()[:4] == body[4:8]:
                try:
                    VerifyKey(key).verify(b"keyfleet key card\0" + bytes([len(uid)]) + uid + body, signature)
                except (BadSignatureError, ValueError):
                    return False
                return True
        return False


def _tag(card: Any) -> bytes:
    return b"".join(card.pages[4:40])
