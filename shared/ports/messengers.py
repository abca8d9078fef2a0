"""Messengers: whoever carries a message to a guest; what they can carry, and how they may refuse.

| a messenger | the message |
|---|---|
| returns its own name for it | is with the provider: that it arrives is told later, or never |
| raises `Refused` | will never go to this address; `reason` says why |
| raises `NotNow` | did not go, and may later |
| raises `OutcomeUnknown` | may have gone: whoever sends it again looks first, if the provider can be asked |
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Protocol

from shared.domain.secret import Secret


@dataclass(frozen=True, slots=True)
class Letter:
    """A mail: its words in both forms, and a picture for those that have one."""

    to: Secret[str]
    subject: str
    text: str = field(repr=False)
    html: str = field(repr=False)
    language: str
    sender: str
    name: str
    """By which a bounce names it: the same however often it is tried."""
    square: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class ShortMessage:
    """An SMS."""

    to: Secret[str]
    text: str = field(repr=False)
    status_url: str = field(repr=False)
    tried_since: datetime | None = None
    """When it may have been sent before: the provider is asked for it first."""


@dataclass(frozen=True, slots=True)
class PushMessage:
    """A push to a guest's own app; what only the app reads stands in `data`."""

    to: Secret[str]
    address_kind: str
    title: str
    body: str
    data: Mapping[str, str] = field(repr=False)
    lasts: timedelta


class MessengerTrouble(Exception):
    """A message that did not go, as far as is known; `reason` is one of our words."""

    def __init__(self, reason: str, after: timedelta | None = None) -> None:
        super().__init__(reason.replace("_", " "))
        self.reason, self.after = reason, after


class Refused(MessengerTrouble):
    """It will never go to this address."""


class NotNow(MessengerTrouble):
    """It did not go, and may later; `after` is when, where the provider says so."""


class OutcomeUnknown(MessengerTrouble):
    """It may have gone."""


class LineTooLong(ConnectionError):
    """A mail server's line is longer than any that a mail program writes."""


class MailWire(Protocol):
    """A line to a mail server: what is said goes out whole, what comes back is read line by line."""

    async def say(self, line: bytes) -> None:
        """Send bytes."""

    async def hear(self) -> bytes:
        """Return the next line with its end, or raise ConnectionError."""

    async def encrypt(self, host: str) -> None:
        """Go on under TLS, with a server that proves to be this host."""

    async def hang_up(self) -> None:
        """End the call."""


class MailLines(Protocol):
    """Opens lines to mail servers."""

    async def open(self, host: str, port: int, *, encrypted: bool) -> MailWire:
        """Return a line, or raise OSError."""


class PduWire(Protocol):
    """A line to an SMS centre: PDUs go out and come back whole."""

    async def say(self, pdu: bytes) -> None:
        """Send a PDU."""

    async def hear(self, within: float) -> bytes:
        """Return the next PDU, or raise TimeoutError, another OSError, or EOFError where it was hung up."""

    async def hang_up(self) -> None:
        """End the call."""


class PduLines(Protocol):
    """Opens lines to SMS centres."""

    async def open(self, host: str, port: int, *, encrypted: bool) -> PduWire:
        """Return a line, or raise OSError."""
