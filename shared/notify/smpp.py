"""SMS by SMPP 3.4, as operators' own centres speak it: a session a message, and a visit for its receipts.

No session outlives a call, for nothing of ours stays awake: receipts wait at the centre until the next visit.
A centre cannot be asked for a message whose answer was lost; it is sent again. Codes go over TLS, or stay on
this machine.
"""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Final

from shared.notify.accounts import SmppAccount
from shared.notify.smpp_pdu import (
    ANSWER,
    DELIVER,
    ENQUIRE,
    RECEIVER,
    TRANSMITTER,
    UNBIND,
    Addressed,
    Malformed,
    Pdu,
    Receipt,
    bound,
    named,
    receipt_in,
    submitted,
    unpacked,
)
from shared.ports.messengers import NotNow, OutcomeUnknown, PduLines, PduWire, Refused, ShortMessage

LASTS_HOURS: Final = 4
STEP_SECONDS: Final = 15.0
QUIET_SECONDS: Final = 2.0
"""A centre that has said nothing for so long has no receipt more."""
MOST_AT_ONCE: Final = 200
_NO_NUMBER: Final = 0x0B
_LATER: Final = {0x14: "too_many", 0x58: "too_many", 0x0D: "login_refused", 0x0E: "login_refused"}
_REST: Final = timedelta(seconds=60)
Hears = Callable[[Receipt], Awaitable[None]]


class SmppCarrier:
    """One tenant's account at a centre."""

    def __init__(self, account: SmppAccount, lines: PduLines) -> None:
        self._account, self._lines = account, lines

    async def send(self, message: ShortMessage) -> str:
        """Hand a short message over, and return the name under which its receipt will come."""
        session = await self._session(TRANSMITTER)
        try:
            return await self._submitted(session, message)
        finally:
            await session.end()

    async def _submitted(self, session: "_Session", message: ShortMessage) -> str:
        addressed = Addressed(self._account.sender, message.to.reveal(), LASTS_HOURS)
        name = ""
        for part in submitted(session.next, message.text, addressed, payload=self._account.payload):
            try:
                answer = await session.asked(part)
            except (OSError, EOFError, Malformed):
                raise OutcomeUnknown("provider_broke") from None
            if answer.status == _NO_NUMBER:
                raise Refused("no_such_number")
            _check(answer)
            name = named(answer.body)
        return name

    async def receipts(self, hears: Hears) -> int:
        """Have each receipt that waits heard, and return how many did; one unheard is told again.

        What nobody can read is taken too: told again and again, it would keep all others from us.
        """
        session, heard = await self._session(RECEIVER), 0
        try:
            while heard < MOST_AT_ONCE and (told := await session.told()) is not None:
                receipt = _readable(told.body)
                if receipt is not None:
                    await hears(receipt)
                await session.say(told.answer(body=b"\0"))
                heard += 1
        except (OSError, EOFError, Malformed):
            raise NotNow("line_broke") from None
        finally:
            await session.end()
        return heard

    async def _session(self, command: int) -> "_Session":
        it = self._account
        try:
            wire = await self._lines.open(it.host, it.port, encrypted=not it.here)
        except OSError:
            raise NotNow("out_of_reach") from None
        session = _Session(wire)
        try:
            _check(await session.asked(bound(command, session.next, it.user, it.password.reveal())))
        except BaseException as error:
            await wire.hang_up()
            if isinstance(error, OSError | EOFError | Malformed):
                raise NotNow("line_broke") from None
            raise
        return session


class _Session:
    """A line to a centre, from its bind to its unbind."""

    def __init__(self, wire: PduWire) -> None:
        self._wire, self.next = wire, 1

    async def say(self, pdu: Pdu) -> None:
        await self._wire.say(pdu.packed())

    async def asked(self, pdu: Pdu) -> Pdu:
        """Ask, and return the answer to that."""
        self.next = pdu.sequence + 1
        await self.say(pdu)
        while True:
            heard = unpacked(await self._wire.hear(STEP_SECONDS))
            if heard.command & ANSWER and heard.sequence == pdu.sequence:
                return heard
            await self._lives(heard)

    async def told(self) -> Pdu | None:
        """Return the next message that is delivered to us; None where none comes for a while."""
        while True:
            try:
                heard = unpacked(await self._wire.hear(QUIET_SECONDS))
            except TimeoutError:
                return None
            if heard.command == DELIVER:
                return heard
            await self._lives(heard)

    async def _lives(self, heard: Pdu) -> None:
        if heard.command == ENQUIRE:
            await self.say(heard.answer())
        elif heard.command == UNBIND:
            raise EOFError

    async def end(self) -> None:
        """Say good-bye, and hang up whatever is answered."""
        try:
            async with asyncio.timeout(QUIET_SECONDS):
                await self.asked(Pdu(UNBIND, self.next))
        except (OSError, EOFError, Malformed):
            return
        finally:
            await self._wire.hang_up()


def _readable(body: bytes) -> Receipt | None:
    try:
        return receipt_in(body)
    except Malformed:
        return None


def _check(answer: Pdu) -> None:
    if answer.status:
        reason = _LATER.get(answer.status, f"centre_said_{answer.status:#x}")
        raise NotNow(reason, _REST if reason == "too_many" else None)
