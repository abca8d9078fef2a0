"""A mail server that delivers to an outbox: SMTP as RFC 5321 has it, no relay, no TLS, on loopback alone.

A mail to an address that begins with `bounce` is taken and comes back, as does one whose fault is `bounces`.
"""

import asyncio
import contextlib
import re
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from infra.catchers.mailbox_server import PopSession, report
from infra.catchers.outbox import Outbox

LONGEST_LINE: Final = 4096
LARGEST_MAIL: Final = 10 * 1024 * 1024
_ADDRESS: Final = re.compile(r"(?:FROM|TO):<([^<>]*)>", re.IGNORECASE)
_END: Final = b".\r\n"


class SmtpSession:
    """One client's dialogue: lines in, replies out."""

    def __init__(self, outbox: Outbox, faults: "deque[str]") -> None:
        self._outbox, self._faults = outbox, faults
        self._from = self._to = ""
        self._mail: list[bytes] | None = None
        self._fault = ""
        self.over = False

    def greeting(self) -> bytes:
        """What a client is told first."""
        self._fault = self._faults.popleft() if self._faults else ""
        return b"421 later\r\n" if self._fault == "away" else b"220 catcher ready\r\n"

    def received(self, line: bytes) -> bytes:
        """Take a line, and return what to answer, which is nothing within a mail."""
        if self._mail is not None:
            return self._within(line)
        words = line.decode("latin-1").strip()
        verb = words[:4].upper()
        answers = {
            "EHLO": b"250-catcher\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n",
            "HELO": b"250 catcher\r\n",
            "AUTH": b"235 welcome\r\n",
            "RSET": b"250 ok\r\n",
            "NOOP": b"250 ok\r\n",
        }
        special = {"MAIL": self._sender, "RCPT": self._receiver, "DATA": self._data, "QUIT": self._quit}
        return special[verb](words) if verb in special else answers.get(verb, b"500 what\r\n")

    def overlong(self) -> bytes:
        """Answer a line that is longer than we take; where the next begins, nobody knows."""
        self.over = True
        return b"500 5.5.2 line too long\r\n"

    def _sender(self, words: str) -> bytes:
        named = _ADDRESS.search(words)
        self._from = named[1] if named else ""
        return b"250 ok\r\n"

    def _receiver(self, words: str) -> bytes:
        if self._fault == "bad_address":
            return b"550 5.1.1 nobody of that name\r\n"
        if self._fault == "busy":
            return b"452 4.2.2 later\r\n"
        named = _ADDRESS.search(words)
        self._to = named[1] if named else ""
        return b"250 ok\r\n" if self._to else b"501 to whom\r\n"

    def _data(self, _: str) -> bytes:
        self._mail = []
        return b"354 go ahead\r\n" if self._to else b"503 to whom\r\n"

    def _quit(self, _: str) -> bytes:
        self.over = True
        return b"221 bye\r\n"

    def _within(self, line: bytes) -> bytes:
        assert self._mail is not None  # noqa: S101 - the caller looked
        if line != _END:
            self._mail.append(line[1:] if line.startswith(b".") else line)
            return b""
        caught = self._outbox.add_mail(self._to, b"".join(self._mail), self._from)
        if self._fault == "bounces" or self._to.startswith("bounce"):
            self._outbox.come_back(report(self._from, self._to))
        self._mail, self._to = None, ""
        if self._fault == "breaks":
            self.over = True
            return b""
        return f"250 2.0.0 ok {caught.number}\r\n".encode()


class Dialogue(Protocol):
    """One client's dialogue by lines."""

    over: bool

    def greeting(self) -> bytes:
        """What a client is told first."""

    def received(self, line: bytes) -> bytes:
        """Take a line, and return what to answer."""

    def overlong(self) -> bytes:
        """Answer a line that is longer than is taken."""


async def serve_mail(outbox: Outbox, faults: "deque[str]", port: int) -> asyncio.Server:
    """Take mail on loopback, and return the server."""
    return await _serve(lambda: SmtpSession(outbox, faults), port)


async def serve_returned(outbox: Outbox, port: int) -> asyncio.Server:
    """Give out on loopback what came back, and return the server."""
    return await _serve(lambda: PopSession(outbox.returned), port)


async def _serve(begin: Callable[[], Dialogue], port: int) -> asyncio.Server:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        session = begin()
        # A client may hang up wherever it likes, and what it had not handed over is its own still.
        with contextlib.closing(writer), contextlib.suppress(OSError):
            writer.write(session.greeting())
            while not session.over and (answer := await _answer(session, reader)) is not None:
                writer.write(answer)
                await writer.drain()

    return await asyncio.start_server(talk, "127.0.0.1", port, limit=LONGEST_LINE)


async def _answer(session: Dialogue, reader: asyncio.StreamReader) -> bytes | None:
    """Return what to answer to the next line; None where there is none any more."""
    try:
        line = await reader.readline()
    except ValueError:
        return session.overlong()
    return session.received(line) if line else None
