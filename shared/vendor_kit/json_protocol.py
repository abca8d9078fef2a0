"""The protocol most vendors speak: JSON over HTTP, a bearer token, refusals by status and by a code."""

from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import urlencode

import orjson

from shared.domain.secret import Secret
from shared.vendor_kit.api_client import json_object
from shared.vendor_kit.asks import Ask, Json
from shared.vendor_kit.guard import VendorDown
from shared.vendor_kit.http import Answer, Call
from shared.vendor_kit.refusals import Unreadable, VendorRefused

JSON: Final = {"content-type": "application/json"}
QUERIED: Final = ("GET", "DELETE")
BROKEN, REFUSED = 500, 400


def code_in_error(answer: Mapping[str, Json]) -> str | None:
    """Return the code that a refusal's body has under `error`, if it has one."""
    error = answer.get("error")
    return str(error.get("code")) if isinstance(error, dict) else None


class JsonProtocol:
    """Speaks JSON to one address; `code_of` finds the vendor's code in a refusal's body, if it has one."""

    def __init__(self, base_url: str, code_of: Callable[[Mapping[str, Json]], str | None]) -> None:
        self._base_url, self._code_of = base_url, code_of

    def named(self, ask: Ask[Any]) -> str:
        """Return the method and the path's first word after the version: the rest may be anybody's id."""
        return " ".join((ask.method, *ask.path.strip("/").split("/")[1:2]))

    def prepared(self, ask: Ask[Any], access: Secret[str] | None) -> Call:
        """Return a request with its fields in the query or the body, and perhaps a token."""
        bearer = {} if access is None else {"authorization": f"Bearer {access.reveal()}"}
        nonce = {} if ask.nonce is None else {"idempotency-key": ask.nonce}
        url = f"{self._base_url}{ask.path}"
        if ask.method in QUERIED:
            query = f"?{urlencode(ask.params)}" if ask.params else ""
            return Call(ask.method, url + query, {**bearer, **nonce}, timeout=ask.timeout)
        body = orjson.dumps(dict(ask.params))
        return Call(ask.method, url, {**JSON, **bearer, **nonce}, body, ask.timeout)

    def content(self, answer: Answer) -> Mapping[str, Json]:
        """Return the object that an answer is; an empty one is an empty object."""
        if answer.status >= BROKEN:
            raise VendorDown("the platform says that it is broken")
        content = {} if not answer.body else json_object(answer.body)
        if content is None and answer.status >= REFUSED:
            content = {}
        if content is None:
            raise Unreadable("the answer is no JSON object")
        return content

    def judge(self, answer: Answer, content: Mapping[str, Json]) -> None:
        """Refuse what is no yes: by the vendor's code if the body has one, else by the status."""
        if answer.status >= REFUSED:
            code = self._code_of(content)
            raise VendorRefused(code if code and code.isidentifier() else str(answer.status))
        if answer.status >= 300:
            raise Unreadable(f"nobody is asked to go elsewhere under status {answer.status}")
