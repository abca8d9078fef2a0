"""A vendor's API as every adapter calls it: in turn, recorded, and once more after what can be put right.

One request goes: guard, turn, record, send, judge, read. The vendor's own `WireProtocol` says how a request
is put into bytes, and whether an answer is a yes.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

import orjson

from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.vendor_kit.asks import Ask, Json, Page
from shared.vendor_kit.guard import Guard
from shared.vendor_kit.http import Answer, Call, Http
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.recording import record_exchange
from shared.vendor_kit.refusals import Unreadable, VendorRefused
from shared.vendor_kit.tokens import Tokens
from shared.vendor_kit.turns import Turn

T = TypeVar("T")
READINGS: Final = 3
MALFORMED: Final = (KeyError, TypeError, ValueError, AttributeError, OverflowError)
"""What a reader raises at an answer that is not what the vendor says its answers are."""


class WireProtocol(Protocol):
    """How a vendor is spoken to; sans I/O."""

    def prepared(self, ask: Ask[Any], access: Secret[str] | None) -> Call:
        """Return a request as it goes over the wire, with our name, the time and perhaps a token."""

    def content(self, answer: Answer) -> Json:
        """Return what an answer holds; raise VendorDown or Unreadable where it is none of the vendor's."""

    def judge(self, answer: Answer, content: Json) -> None:
        """Raise VendorRefused where the vendor says no; it may heed what else the answer tells."""

    def named(self, ask: Ask[Any]) -> str:
        """Return what a request is called where exchanges are recorded; it holds no secret."""


class ApiClient:
    """Sends what it is given, and reads what comes back."""

    def __init__(self, protocol: WireProtocol, http: Http, guard: Guard, clock: Clock) -> None:
        self._protocol, self._http, self._guard, self._clock = protocol, http, guard, clock

    async def send(
        self, ask: Ask[T], urgency: Urgency, access: Secret[str] | None = None, turn: Turn | None = None
    ) -> T:
        """Send one request, perhaps with a token, and return what it was answered."""
        await self._guard.turn(urgency)
        if turn is not None:
            # Last of all: nothing is waited for any more between this and the call.
            await turn.keep(ask.timeout)
        with record_exchange(self._protocol.named(ask), self._clock):
            async with self._guard.watched():
                answer = await self._http.send(self._protocol.prepared(ask, access))
                content = self._protocol.content(answer)
            self._protocol.judge(answer, content)
            try:
                return ask.read(content)
            except MALFORMED:
                raise Unreadable(f"{ask.path} was answered without what it promises") from None


class VendorApi:
    """What an adapter asks: with a token, which is renewed once if it is refused, and lists as wholes.

    `stale` are the codes that refuse a token. `mendable` are groups of other codes after which the same
    request may be sent once more, because judging the answer put right what was wrong.
    """

    def __init__(
        self,
        client: ApiClient,
        tokens: Tokens,
        stale: Sequence[str],
        mendable: Sequence[Sequence[str]] = (),
    ) -> None:
        self._client, self._tokens, self._stale = client, tokens, stale
        self._mendable = (stale, *mendable)

    async def ask(self, ask: Ask[T], urgency: Urgency, turn: Turn | None = None) -> T:
        """Return the answer; each thing that can be put right is put right once, and the request repeated."""
        access, left = await self._tokens.current(), list(self._mendable)
        while True:
            try:
                return await self._client.send(ask, urgency, access, turn)
            except VendorRefused as refused:
                trouble = next((codes for codes in left if refused.code in codes), None)
                if trouble is None:
                    raise
            left.remove(trouble)
            if trouble is self._stale:
                access = await self._tokens.current(refused=access)

    async def ask_openly(self, ask: Ask[T], urgency: Urgency) -> T:
        """Return the answer to what a vendor tells anybody, such as that nobody can log in now."""
        return await self._client.send(ask, urgency)

    async def whole(
        self, pages: Callable[[int], Ask[Page[T]]], urgency: Urgency, turn: Turn | None = None
    ) -> list[T]:
        """Return every row of a list; it is read anew if it changes meanwhile, for then rows change pages."""
        for _ in range(READINGS):
            number, page = 1, await self.ask(pages(1), urgency, turn)
            rows, total = [*page.rows], page.total
            while page.more and page.total == total:
                page = await self.ask(pages(number := number + 1), urgency, turn)
                rows += page.rows
            if page.total == total:
                return rows
        raise Unreadable("the list changed each time while it was read")


def json_object(body: bytes) -> Mapping[str, Json] | None:
    """Return a JSON object, or None if the bytes are no such thing."""
    try:
        content = orjson.loads(body)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None
