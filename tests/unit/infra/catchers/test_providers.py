"""What catchers remember of the messages that they took."""

import base64
from datetime import UTC, datetime
from urllib.parse import urlencode

import orjson
from starlette.requests import Request

from infra.catchers.outbox import MOST, Outbox
from infra.catchers.providers import Providers

NOW = datetime(2026, 11, 20, tzinfo=UTC)
ACCOUNT, TOKEN = "AC0", "secret"
PROVEN = base64.b64encode(f"{ACCOUNT}:{TOKEN}".encode())


def asked(method, query=b"", **form):
    async def receive():
        return {"type": "http.request", "body": urlencode(form).encode()}

    headers = [(b"authorization", b"Basic " + PROVEN)]
    scope = {"type": "http", "method": method, "path": "/", "query_string": query, "headers": headers}
    return Request(scope, receive)


async def test_a_provider_that_runs_for_long_remembers_the_last_messages_only():
    async def tell(*_):
        pass

    providers = Providers(Outbox(lambda: NOW), tell, ACCOUNT, TOKEN)
    for number in range(MOST + 5):
        sms = asked("POST", To="+15550100", From="hotel", Body=str(number), StatusCallback="http://x/")
        assert (await providers.sms(sms)).status_code == 201
    listed = orjson.loads((await providers.sms_sent(asked("GET", b"To=%2B15550100"))).body)["messages"]
    assert len(listed) == MOST
