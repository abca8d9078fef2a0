"""The contract on the wire: JSON in and out, an API key that ages, refusals by status and by a code."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson

from infra.simulators.kit.call import Call
from infra.simulators.kit.errors import Code, Refused
from infra.simulators.kit.operation import Answer, Operation, Operations, Reply, Request, json_fields
from infra.simulators.kit.platform import Platform
from infra.simulators.salto.cloud import Cloud
from infra.simulators.salto.routes import BODY, IDEMPOTENCY, OPERATIONS, STATUSES, canonical

API_KEY = "x-api-key"
KEY_DAYS = 90
Fields = Mapping[str, Any]


class JsonDialect:
    """How the platform reads and answers."""

    secrets = frozenset({"phone", API_KEY, BODY})
    of_every_call = frozenset({API_KEY, BODY})
    code: type[Code] = str

    def fields(self, request: Request) -> Fields | HTTPStatus:
        """Return what a request says, its keys among it."""
        fields = json_fields(request)
        if isinstance(fields, HTTPStatus):
            return fields
        told = {API_KEY: request.header(API_KEY), IDEMPOTENCY: request.header(IDEMPOTENCY)}
        return {**fields, **told, BODY: canonical(fields)}

    def admitted(self, cloud: Cloud, operation: Operation[Cloud], fields: Fields) -> Call:  # noqa: ARG002 - one rule
        """Return the call of a caller whose API key is good, and no older than ninety days."""
        known = {each.key: each.issued for each in cloud.plan.api_keys}
        key = fields[API_KEY]
        if key not in known:
            raise Refused("api_key_unknown")
        issued = known[key]
        if issued is not None and cloud.now_ms() // 1000 >= issued + KEY_DAYS * 86_400:
            raise Refused("api_key_expired")
        return Call(fields)

    def done(self, answer: Answer) -> Reply:
        """Return an answer."""
        return Reply(HTTPStatus.OK, orjson.dumps(answer), "application/json")

    def refused(self, code: Code) -> Reply:
        """Return a refusal."""
        status = STATUSES.get(code, HTTPStatus.BAD_REQUEST)
        return Reply(status, orjson.dumps({"error": {"code": code}}), "application/json")


PLATFORM: Platform[Cloud] = Platform(Operations(OPERATIONS), JsonDialect())
