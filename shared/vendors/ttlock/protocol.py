"""The Open Platform's protocol: forms with the account's name and the time; errcodes under HTTP 200."""

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import timedelta
from email.utils import parsedate_to_datetime
from typing import Any, Final
from urllib.parse import urlencode

from shared.domain.secret import Secret
from shared.ports.ambient import Clock
from shared.vendor_kit.api_client import json_object
from shared.vendor_kit.asks import Ask, Json
from shared.vendor_kit.guard import VendorDown
from shared.vendor_kit.http import Answer, Call
from shared.vendor_kit.oauth import Proof, TokenReader
from shared.vendor_kit.refusals import Unreadable, VendorRefused
from shared.vendor_kit.tokens import VendorToken
from shared.vendors.ttlock.account import Account
from shared.vendors.ttlock.errors import CLOCK_OFF, SERVER_ERROR

FORM: Final = {"content-type": "application/x-www-form-urlencoded"}
CODE: Final = re.compile(r"0|-?[1-9][0-9]{0,4}")
YES: Final = "0"
OK: Final = 200
VERSION: Final = "/v3/"
TOO_MANY: Final = 429
MOST_DRIFT: Final = timedelta(days=1)
"""A clock that is further off than this is not put right by one answer's word."""


class FormProtocol:
    """How one account speaks to the platform; it learns of the platform's clock what answers tell."""

    def __init__(self, account: Account, clock: Clock) -> None:
        self._account, self._clock = account, clock
        self._drift = timedelta(0)

    @property
    def drift(self) -> timedelta:
        """By how much the platform's clock is ahead of ours, as far as it ever complained."""
        return self._drift

    def named(self, ask: Ask[Any]) -> str:
        """Return the operation as the vendor's documentation calls it."""
        return ask.path.removeprefix(VERSION)

    def prepared(self, ask: Ask[Any], access: Secret[str] | None) -> Call:
        """Return a request with our name, the time and perhaps a token."""
        form = urlencode(dict(self._params(ask, access)))
        url = f"{self._account.base_url}{ask.path}"
        if ask.method == "GET":
            return Call("GET", f"{url}?{form}", timeout=ask.timeout)
        return Call("POST", url, FORM, form.encode(), ask.timeout)

    def content(self, answer: Answer) -> Mapping[str, Json]:
        """Return the object that an answer is."""
        content = json_object(answer.body)
        if answer.status >= 500 or (content is not None and str(content.get("errcode")) == SERVER_ERROR):
            raise VendorDown("the platform says that it is broken")
        if answer.status == TOO_MANY:
            raise VendorRefused(str(TOO_MANY))
        if content is None:
            raise Unreadable("the answer is no JSON object")
        return content

    def judge(self, answer: Answer, content: Mapping[str, Json]) -> None:
        """Refuse what is no yes; a complaint about our clock tells us the platform's."""
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

    def token_request(self, proof: Proof, read: TokenReader) -> Ask[VendorToken]:
        """Return the request for a token."""
        params = {"clientSecret": self._account.client_secret.reveal(), **proof}
        return Ask("POST", "/oauth2/token", params, read)

    def _params(self, ask: Ask[Any], access: Secret[str] | None) -> Iterator[tuple[str, str | int]]:
        yield "clientId", self._account.client_id.reveal()
        if access is not None:
            yield "accessToken", access.reveal()
        if ask.nonce is not None:
            yield "clientNonce", ask.nonce
        yield from ask.params.items()
        yield "date", int((self._clock.now() + self._drift).timestamp() * 1000)


def _code(content: Mapping[str, Json]) -> str:
    """Return the error code; what is none may be anything, even a secret, and is repeated to nobody.

    Answers to questions have none. That an order was carried out is for its reader to see.
    """
    told = content.get("errcode")
    code = YES if told is None else str(told)
    if CODE.fullmatch(code) is None:
        raise Unreadable("the answer's error code is none")
    return code
