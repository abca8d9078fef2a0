"""The Open Platform: asks in the account's name, and once more after what can be put right at once."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

import orjson

from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.vendor_kit.guard import Guard, VendorDown
from shared.vendor_kit.http import Answer, Call, Http
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.recording import noted
from shared.vendor_kit.refusals import Unreadable, VendorRefused
from shared.vendor_kit.tokens import Tokens, VendorToken, read_text
from shared.vendor_kit.turns import Turn
from shared.vendors.ttlock.account import Account
from shared.vendors.ttlock.api import Ask, Page
from shared.vendors.ttlock.errors import BAD_REFRESH_TOKEN, CLOCK_OFF, SERVER_ERROR, STALE_TOKEN

T = TypeVar("T")
Json = Any
FORM: Final = {"content-type": "application/x-www-form-urlencoded"}
CODE: Final = re.compile(r"0|-?[1-9][0-9]{0,4}")
YES: Final = "0"
OK: Final = 200
VERSION: Final = "/v3/"
TOO_MANY: Final = 429
MOST_DRIFT: Final = timedelta(days=1)
"""A clock that is further off than this is not put right by one answer's word."""
READINGS: Final = 3
MENDABLE: Final = (STALE_TOKEN, (CLOCK_OFF,))
MALFORMED: Final = (KeyError, TypeError, ValueError, AttributeError, OverflowError)


class Line:
    """A line to the platform: sends what it is given, and reads what comes back."""

    def __init__(self, account: Account, http: Http, guard: Guard, clock: Clock) -> None:
        self._account, self._http, self._guard, self._clock = account, http, guard, clock
        self._drift = timedelta(0)

    @property
    def drift(self) -> timedelta:
        """By how much the platform's clock is ahead of ours, as far as it ever complained."""
        return self._drift

    async def send(
        self, ask: Ask[T], urgency: Urgency, access: Secret[str] | None = None, turn: Turn | None = None
    ) -> T:
        """Send one request, with our name, the time and perhaps a token, and return what it was answered."""
        await self._guard.turn(urgency)
        if turn is not None:
            # Last of all: nothing is waited for any more between this and the call.
            await turn.keep(ask.timeout)
        with noted(ask.path.removeprefix(VERSION), self._clock):
            with self._guard.watched():
                answer = await self._http.send(self._call(ask, access))
                content = _content(answer)
            self._heed(answer, content)
            try:
                return ask.read(content)
            except MALFORMED:
                raise Unreadable(f"{ask.path} was answered without what it promises") from None

    def _call(self, ask: Ask[Any], access: Secret[str] | None) -> Call:
        form = urlencode(dict(self._params(ask, access)))
        url = f"{self._account.base_url}{ask.path}"
        if ask.method == "GET":
            return Call("GET", f"{url}?{form}", timeout=ask.timeout)
        return Call("POST", url, FORM, form.encode(), ask.timeout)

    def _params(self, ask: Ask[Any], access: Secret[str] | None) -> Iterator[tuple[str, str | int]]:
        yield "clientId", self._account.client_id.reveal()
        if access is not None:
            yield "accessToken", access.reveal()
        if ask.nonce is not None:
            yield "clientNonce", ask.nonce
        yield from ask.params.items()
        yield "date", int((self._clock.now() + self._drift).timestamp() * 1000)

    def _heed(self, answer: Answer, content: Mapping[str, Json]) -> None:
        code = _code(content)
        if code == CLOCK_OFF:
            # Where the platform does not say what time it is, we go on with ours.
            with suppress(ValueError, TypeError):
                drift = parsedate_to_datetime(answer.headers.get("date", "")) - self._clock.now()
                self._drift = drift if abs(drift) <= MOST_DRIFT else self._drift
        if code != YES:
            raise VendorRefused(code)
        if answer.status != OK:
            raise Unreadable(f"a yes under status {answer.status} is none")


class OpenPlatform:
    """What the adapter asks."""

    def __init__(self, line: Line, tokens: Tokens) -> None:
        self._line, self._tokens = line, tokens

    @property
    def drift(self) -> timedelta:
        """By how much the platform's clock is ahead of ours, as far as it ever complained."""
        return self._line.drift

    async def ask(self, ask: Ask[T], urgency: Urgency, turn: Turn | None = None) -> T:
        """Return the answer; a refused token or clock is put right, each once, and the request repeated."""
        access, left = await self._tokens.current(), list(MENDABLE)
        while True:
            try:
                return await self._line.send(ask, urgency, access, turn)
            except VendorRefused as refused:
                trouble = next((codes for codes in left if refused.code in codes), None)
                if trouble is None:
                    raise
            left.remove(trouble)
            if trouble is STALE_TOKEN:
                access = await self._tokens.current(refused=access)

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


class Logins:
    """Gets tokens: refreshes the old one, or logs in with the app account's password."""

    def __init__(self, account: Account, line: Line, clock: Clock) -> None:
        self._account, self._line, self._clock = account, line, clock

    async def __call__(self, old: VendorToken | None) -> VendorToken:
        """Return a new token."""
        if old is not None and old.refresh is not None:
            try:
                proof = {"refresh_token": old.refresh.reveal(), "grant_type": "refresh_token"}
                return await self._ask(proof, old.refresh)
            except VendorRefused as refused:
                if refused.code not in (*STALE_TOKEN, BAD_REFRESH_TOKEN):
                    raise
        account = self._account
        proof = {"username": account.username.reveal(), "password": account.password_md5.reveal()}
        return await self._ask(proof)

    async def _ask(self, proof: Mapping[str, str], kept: Secret[str] | None = None) -> VendorToken:
        """Ask for a token; an answer without a refresh token lets us keep the one we have."""

        def read(answer: Json) -> VendorToken:
            expires_at = self._clock.now() + timedelta(seconds=int(answer["expires_in"]))
            refresh = read_text(answer["refresh_token"]) if "refresh_token" in answer else kept
            return VendorToken(read_text(answer["access_token"]), refresh, expires_at)

        params = {"clientSecret": self._account.client_secret.reveal(), **proof}
        return await self._line.send(Ask("POST", "/oauth2/token", params, read), Urgency.REVOKE)


def _code(content: Mapping[str, Json]) -> str:
    """Return the error code; what is none may be anything, even a secret, and is repeated to nobody.

    Answers to questions have none. That an order was carried out is for its reader to see.
    """
    told = content.get("errcode")
    code = YES if told is None else str(told)
    if CODE.fullmatch(code) is None:
        raise Unreadable("the answer's error code is none")
    return code


def _content(answer: Answer) -> Mapping[str, Json]:
    content = _object(answer.body)
    if answer.status >= 500 or (content is not None and str(content.get("errcode")) == SERVER_ERROR):
        raise VendorDown("the platform says that it is broken")
    if answer.status == TOO_MANY:
        raise VendorRefused(str(TOO_MANY))
    if content is None:
        raise Unreadable("the answer is no JSON object")
    return content


def _object(body: bytes) -> Mapping[str, Json] | None:
    try:
        content = orjson.loads(body)
    except ValueError:
        return None
    return content if isinstance(content, dict) else None
