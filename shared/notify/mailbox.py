"""The mailbox to which letters come back, read by POP3 (RFC 1939) over whatever line it is given.

1. The line is encrypted from its first byte, but to this very machine.
2. Each mail is read, heard, and only then marked to go; one that is too large is marked unheard.
3. QUIT lets the marked go, after a minute whatever is left: a slow server's mailbox empties too. Whoever dies
   before it hears the same mails again: they are told of twice, which changes nothing.
4. A mail with a line that is too long for any mail program would stop each visit: it goes, unheard, by a line
   of its own, with those that were heard before it.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final

from shared.notify.accounts import MailboxAccount
from shared.notify.returned_mail import LARGEST
from shared.ports.messengers import LineTooLong, MailLines, MailWire, NotNow

MOST_AT_ONCE: Final = 50
"""So many mails a visit; the next comes in minutes."""
LEAVES_AFTER: Final = 60.0
"""Seconds: no further mail is begun after them."""
_OK: Final = b"+OK"
_NUMBERS: Final = re.compile(rb"\+OK(?: (\d{1,9}))?(?: (\d{1,12}))?")
Hears = Callable[[bytes], Awaitable[bool]]
"""Hears a mail; says whether it may go."""


class Mailbox:
    """One tenant's mailbox of what came back."""

    def __init__(self, account: MailboxAccount, lines: MailLines) -> None:
        self._account, self._lines = account, lines

    async def read(self, hears: Hears) -> int:
        """Have each mail heard, and return how many went; NotNow where the mailbox cannot be read."""
        visit = _Visit()
        try:
            return await self._visited(hears, visit)
        except LineTooLong:
            return await self._cleared([*visit.going, visit.at])
        except (OSError, EOFError):
            raise NotNow("line_broke") from None

    async def _visited(self, hears: Hears, visit: "_Visit") -> int:
        wire = await self._opened()
        try:
            talk, until = _Talk(wire), asyncio.get_running_loop().time() + LEAVES_AFTER
            for visit.at in range(1, min(await talk.count(), MOST_AT_ONCE) + 1):
                if await talk.size(visit.at) > LARGEST or await hears(await talk.mail(visit.at)):
                    await talk.asked(b"DELE %d" % visit.at)
                    visit.going.append(visit.at)
                if asyncio.get_running_loop().time() >= until:
                    break
            await talk.asked(b"QUIT")
            return len(visit.going)
        finally:
            await wire.hang_up()

    async def _cleared(self, numbers: Sequence[int]) -> int:
        wire = await self._opened()
        try:
            talk = _Talk(wire)
            for number in numbers:
                await talk.asked(b"DELE %d" % number)
            await talk.asked(b"QUIT")
            return len(numbers)
        finally:
            await wire.hang_up()

    async def _opened(self) -> MailWire:
        it = self._account
        wire = await self._lines.open(it.host, it.port, encrypted=not it.here)
        talk = _Talk(wire)
        try:
            await talk.reply()
            await talk.asked(b"USER " + it.user.encode())
            await talk.asked(b"PASS " + it.password.reveal().encode())
        except BaseException:
            await wire.hang_up()
            raise
        return wire


@dataclass(slots=True)
class _Visit:
    """How far a visit came: which mail it is at, and which are marked to go."""

    at: int = 0
    going: list[int] = field(default_factory=list)


class _Talk:
    """What is said over one line."""

    def __init__(self, wire: MailWire) -> None:
        self._wire = wire

    async def asked(self, line: bytes) -> bytes:
        """Ask, and return a reply that is no refusal."""
        await self._wire.say(line + b"\r\n")
        return await self.reply()

    async def reply(self) -> bytes:
        """Return the next reply."""
        line = (await self._wire.hear()).rstrip(b"\r\n")
        if not line.startswith(_OK):
            raise NotNow("mailbox_refused")
        return line

    async def count(self) -> int:
        """Return how many mails wait."""
        return self._number(await self.asked(b"STAT"), 1)

    async def size(self, number: int) -> int:
        """Return how many bytes a mail has."""
        return self._number(await self.asked(b"LIST %d" % number), 2)

    async def mail(self, number: int) -> bytes:
        """Return one mail; a server that sends more than it said is given up."""
        await self.asked(b"RETR %d" % number)
        lines, size = list[bytes](), 0
        while (line := await self._wire.hear()) != b".\r\n":
            lines.append(line[1:] if line.startswith(b".") else line)
            size += len(line)
            if size > 2 * LARGEST:
                raise EOFError
        return b"".join(lines)

    def _number(self, reply: bytes, which: int) -> int:
        found = _NUMBERS.match(reply)
        if found is None or found[which] is None:
            raise NotNow("mailbox_unreadable")
        return int(found[which])
