"""SMS by the API that Twilio made and others speak: how a message is made, and whose word its status is.

The provider has no idempotency. What may have been sent before is looked for by its receiver and time; a
second SMS of the same code would do no harm, one that never came would.
"""

import base64
import hashlib
import hmac
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlencode

from shared.domain.secret import Secret
from shared.notify.accounts import SmsAccount
from shared.notify.answers import answered, put_off_by, said_in
from shared.ports.messengers import OutcomeUnknown, Refused, ShortMessage
from shared.vendor_kit.http import Answer, Call, Http

LASTS: Final = timedelta(hours=4)
TIMEOUT: Final = 15.0
LOOKS_BACK: Final = timedelta(minutes=2)
_NEVER: Final[Mapping[int, str]] = {
    21211: "no_such_number",
    21610: "opted_out",
    21612: "no_route",
    21614: "no_mobile",
    21635: "no_mobile",
    30005: "no_such_number",
    30006: "no_mobile",
}
"""What the provider says of an address for good; every other error is one of the moment."""


class TwilioCarrier:
    """One tenant's account."""

    def __init__(self, account: SmsAccount, http: Http) -> None:
        self._account, self._http = account, http

    async def send(self, message: ShortMessage) -> str:
        """Hand a short message over; one that went already is found and not sent again."""
        if message.tried_since is not None and (found := await self._sent(message)) is not None:
            return found
        form = {
            "To": message.to.reveal(),
            "From": self._account.sender,
            "Body": message.text,
            "StatusCallback": message.status_url,
            "ValidityPeriod": str(int(LASTS.total_seconds())),
            "ContentRetention": "discard",
            "AddressRetention": "obfuscate",
        }
        answer = await self._asked("POST", "", urlencode(form).encode())
        return str(_read(answer).get("sid", ""))

    async def _sent(self, message: ShortMessage) -> str | None:
        assert message.tried_since is not None  # noqa: S101 - asked by the caller
        since = (message.tried_since - LOOKS_BACK).strftime("%Y-%m-%dT%H:%M:%SZ")
        query = urlencode({"To": message.to.reveal(), "DateSent>": since, "PageSize": "20"})
        listed = _read(await self._asked("GET", f"?{query}", b"")).get("messages")
        rows = [each for each in listed if isinstance(each, dict)] if isinstance(listed, list) else []
        return next((str(row.get("sid")) for row in rows if row.get("from") == self._account.sender), None)

    async def _asked(self, method: str, query: str, body: bytes) -> Answer:
        account = self._account
        basic = base64.b64encode(f"{account.account}:{account.token.reveal()}".encode()).decode()
        url = f"{account.address}/2010-04-01/Accounts/{account.account}/Messages.json{query}"
        headers = {"authorization": f"Basic {basic}"}
        if body:
            headers["content-type"] = "application/x-www-form-urlencoded"
        return await answered(self._http, Call(method, url, headers, body, TIMEOUT))


def _read(answer: Answer) -> Mapping[str, Any]:
    said = said_in(answer)
    if answer.status < 300:
        return said
    if answer.status >= 500:
        raise OutcomeUnknown("provider_broke")
    code = said.get("code")
    if isinstance(code, int) and code in _NEVER:
        raise Refused(_NEVER[code])
    raise put_off_by(answer)


def signature_of(token: Secret[str], url: str, form: Mapping[str, str]) -> str:
    """Return how the provider signs a status: over the address that it called, and every field by name."""
    said = url + "".join(f"{name}{form[name]}" for name in sorted(form))
    # SHA-1 is the provider's choice; as an HMAC it is sound.
    signed = hmac.digest(token.reveal().encode(), said.encode(), hashlib.sha1)
    return base64.b64encode(signed).decode()
