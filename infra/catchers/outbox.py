"""What was caught: each message as its guest would have it, in memory alone, the oldest going first."""

from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import Any, Final

MOST: Final = 500


@dataclass(frozen=True, slots=True)
class Caught:
    """One message; nothing of it is ever printed, for it may hold a code."""

    number: int
    channel: str
    at: datetime
    to: str = field(repr=False)
    sender: str = field(default="", repr=False)
    subject: str = field(default="", repr=False)
    text: str = field(default="", repr=False)
    html: str = field(default="", repr=False)
    language: str = ""
    data: Mapping[str, str] = field(default_factory=dict, repr=False)
    square: bytes = field(default=b"", repr=False)

    def described(self) -> dict[str, Any]:
        """Return it as JSON."""
        told = {name: getattr(self, name) for name in ("number", "channel", "to", "sender", "subject")}
        more = {name: getattr(self, name) for name in ("text", "html", "language")}
        return {
            **told,
            **more,
            "at": self.at.isoformat(),
            "data": dict(self.data),
            "square": bool(self.square),
        }


class Outbox:
    """All that was caught lately."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self.now = now
        self._kept: deque[Caught] = deque(maxlen=MOST)
        self._count = 0
        self.returned: list[bytes] = []
        """What came back of the mail, until it is fetched."""

    def add(self, channel: str, to: str, **parts: Any) -> Caught:
        """Keep a message."""
        self._count += 1
        caught = Caught(self._count, channel, self.now(), to, **parts)
        self._kept.append(caught)
        return caught

    def add_mail(self, to: str, raw: bytes, comes_back_to: str = "") -> Caught:
        """Keep a mail, taken apart as a mail program would."""
        mail = message_from_bytes(raw, policy=default)
        parts = list(mail.walk())
        return self.add(
            "email",
            to,
            sender=str(mail["From"]),
            subject=str(mail["Subject"]),
            text=_content(parts, "text/plain"),
            html=_content(parts, "text/html"),
            language=str(mail["Content-Language"] or ""),
            data={"message-id": str(mail["Message-ID"]), "return-path": comes_back_to},
            square=_picture(parts),
        )

    def come_back(self, raw: bytes) -> None:
        """Keep a mail that came back, until it is fetched."""
        if len(self.returned) < MOST:
            self.returned.append(raw)

    def listed(self, channel: str | None = None) -> list[Caught]:
        """Return what was caught, the oldest first."""
        return [each for each in self._kept if channel in (None, each.channel)]

    def numbered(self, number: int) -> Caught | None:
        """Return one message."""
        return next((each for each in self._kept if each.number == number), None)


def _content(parts: list[EmailMessage], kind: str) -> str:
    return next((str(each.get_content()) for each in parts if each.get_content_type() == kind), "")


def _picture(parts: list[EmailMessage]) -> bytes:
    found = (each.get_content() for each in parts if each.get_content_type() == "image/png")
    return next((bytes(each) for each in found), b"")
