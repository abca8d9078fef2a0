"""Mail by SMTP submission (RFC 6409): the dialogue, step by step, over whatever line it is given.

| step | a refusal for good (5xx) | a refusal for now (4xx) | the line breaks |
|---|---|---|---|
| greeting, EHLO, STARTTLS, AUTH, MAIL | the account's fault: later | later | later |
| RCPT | the address will never do | later | later |
| DATA, before its end | later | later | later |
| DATA, after its end | the letter will never do | later | it may have gone |

A password goes over an encrypted line only, or to this very machine.
"""

import base64
from collections.abc import Iterator
from email.header import Header
from email.message import EmailMessage
from email.policy import SMTP
from typing import Final

from shared.messages.letter import QR_CONTENT_ID
from shared.notify.accounts import MailAccount
from shared.notify.return_path import return_path
from shared.ports.messengers import Letter, MailLines, MailWire, NotNow, OutcomeUnknown, Refused

HELLO: Final = b"EHLO keyfleet\r\n"
LONGEST_REPLY: Final = 64
OK: Final = range(200, 400)
NEVER: Final = range(500, 600)


class SmtpCarrier:
    """One tenant's account; a line a letter."""

    def __init__(self, account: MailAccount, lines: MailLines) -> None:
        self._account, self._lines = account, lines

    async def send(self, message: Letter) -> str:
        """Hand a letter over."""
        address, raw = message.to.reveal(), written(message, self._account.sender)
        bounces = self._account.bounces
        sender = (bounces and return_path(message.name, bounces)) or self._account.sender
        try:
            wire = await self._lines.open(
                self._account.host, self._account.port, encrypted=self._account.encrypted
            )
        except OSError:
            raise NotNow("out_of_reach") from None
        try:
            return await _Dialogue(wire, self._account).delivered(sender, address, raw)
        finally:
            await wire.hang_up()


class _Dialogue:
    """One letter's way over one line."""

    def __init__(self, wire: MailWire, account: MailAccount) -> None:
        self._wire, self._account = wire, account
        self._abilities: frozenset[str] = frozenset()

    async def delivered(self, sender: str, address: str, raw: bytes) -> str:
        try:
            await self._introduce()
            await self._accepted(f"MAIL FROM:<{sender}>{self._wide(address)}\r\n".encode())
            await self._receiver(address)
            await self._accepted(b"DATA\r\n")
        except (OSError, EOFError):
            raise NotNow("line_broke") from None
        try:
            return await self._handed_over(raw)
        except (OSError, EOFError):
            raise OutcomeUnknown("line_broke") from None

    async def _introduce(self) -> None:
        await self._expect(await self._heard())
        await self._hello()
        if not self._account.encrypted and "STARTTLS" in self._abilities:
            await self._accepted(b"STARTTLS\r\n")
            await self._wire.encrypt(self._account.host)
            await self._hello()
        elif not self._account.encrypted and not self._account.here:
            raise NotNow("server_not_encrypted")
        if self._account.user:
            said = f"\0{self._account.user}\0{self._account.password.reveal()}".encode()
            await self._accepted(b"AUTH PLAIN " + base64.b64encode(said) + b"\r\n")

    async def _hello(self) -> None:
        lines = await self._accepted(HELLO)
        self._abilities = frozenset(line.upper() for line in lines[1:])

    async def _receiver(self, address: str) -> None:
        code, _ = await self._asked(f"RCPT TO:<{address}>\r\n".encode())
        if code in NEVER:
            raise Refused("no_such_address")
        if code not in OK:
            raise NotNow("provider_refused")

    async def _handed_over(self, raw: bytes) -> str:
        code, lines = await self._asked(b"".join(_stuffed(raw)) + b".\r\n")
        if code in NEVER:
            raise Refused("letter_refused")
        if code not in OK:
            raise NotNow("provider_refused")
        return lines[0][:200]

    async def _accepted(self, line: bytes) -> list[str]:
        return await self._expect(await self._asked(line))

    async def _expect(self, reply: tuple[int, list[str]]) -> list[str]:
        code, lines = reply
        if code not in OK:
            raise NotNow("provider_refused")
        return lines

    async def _asked(self, line: bytes) -> tuple[int, list[str]]:
        await self._wire.say(line)
        return await self._heard()

    async def _heard(self) -> tuple[int, list[str]]:
        """Return a reply: its code, and the words of each of its lines."""
        said: list[str] = []
        while len(said) < LONGEST_REPLY:
            line = (await self._wire.hear()).decode("latin-1").rstrip("\r\n")
            if not line[:3].isdecimal():
                raise EOFError
            said.append(line[4:])
            if line[3:4] != "-":
                return int(line[:3]), said
        raise EOFError

    def _wide(self, address: str) -> str:
        return "" if address.isascii() else " SMTPUTF8"


def _stuffed(raw: bytes) -> Iterator[bytes]:
    """Yield a letter's lines so that none of them looks like its end."""
    for line in raw.splitlines():
        yield (b"." if line.startswith(b".") else b"") + line + b"\r\n"


def written(message: Letter, sender: str) -> bytes:
    """Return a letter as it travels: plain text, HTML, and the picture that the HTML shows."""
    address, mail = message.to.reveal(), EmailMessage(policy=SMTP)
    if any(each in address for each in "\r\n<>, ") or "@" not in address:
        raise Refused("no_such_address")
    domain = sender.partition("@")[2]
    mail["To"] = address
    mail["Message-ID"] = f"<{message.name}@{domain}>"
    mail["Auto-Submitted"] = "auto-generated"
    mail.set_content(message.text, cte="base64")
    mail.add_alternative(message.html, subtype="html", cte="base64")
    if message.square is not None:
        body = mail.get_payload()[1]  # type: ignore[index]  # the HTML that was added a line ago
        body.add_related(message.square, "image", "png", cid=f"<{QR_CONTENT_ID}>")  # type: ignore[union-attr]
    mail["Content-Language"] = message.language  # last: setting a content takes such headers away
    return (
        _worded("Subject", message.subject)
        + _worded("From", message.sender, f" <{sender}>")
        + mail.as_bytes()
    )


def _worded(name: str, words: str, rest: str = "") -> bytes:
    """Return a header of any script's words (RFC 2047); the newer classes lose spaces where they fold one."""
    plain = " ".join(words.split())
    charset = "us-ascii" if plain.isascii() and not rest else "utf-8"
    said = Header(plain, charset, header_name=name).encode(linesep="\r\n")
    return f"{name}: {said}{rest}\r\n".encode()
