"""Vostio on the wire: JSON in and out, a bearer token, refusals by status and by a code."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson

from infra.simulators.assa_abloy import visionline
from infra.simulators.assa_abloy.cloud import Cloud
from infra.simulators.assa_abloy.routes import BODY, IDEMPOTENCY, OPERATIONS, STATUSES, canonical
from infra.simulators.kit.call import Call
from infra.simulators.kit.errors import Code, Refused
from infra.simulators.kit.operation import Answer, Operation, Operations, Reply, Request, json_fields
from infra.simulators.kit.platform import Platform

AUTHORIZATION = "authorization"
GIVEN = ("endpoint", "cardNumber")
Fields = Mapping[str, Any]


class JsonDialect:
    """How the platform reads and answers."""

    secrets = frozenset({*GIVEN, *visionline.SECRETS, "client_secret", AUTHORIZATION, BODY})
    of_every_call = frozenset({AUTHORIZATION, BODY, visionline.SIGNED, visionline.BODY})
    code: type[Code] = str

    def fields(self, request: Request) -> Fields | HTTPStatus:
        """Return what a request says, its token and its idempotency key among it."""
        if request.path.startswith(visionline.API):
            return visionline.fields_of(request)
        fields = json_fields(request)
        if isinstance(fields, HTTPStatus):
            return fields
        told = {AUTHORIZATION: request.header(AUTHORIZATION), IDEMPOTENCY: request.header(IDEMPOTENCY)}
        return {**fields, **told, BODY: canonical(fields)}

    def admitted(self, cloud: Cloud, operation: Operation[Cloud], fields: Fields) -> Call:
        """Return the call of a caller with a token that is good, within the environment's limit."""
        if operation in visionline.OPERATIONS:
            return visionline.admitted(cloud, operation, fields)
        if operation.metered and cloud.down():
            raise Refused("maintenance")
        token = str(fields[AUTHORIZATION]).removeprefix("Bearer ")
        if operation.access and cloud.tokens.get(token, 0) <= cloud.now_ms():
            raise Refused("unauthorized")
        if operation.metered:
            cloud.meters[cloud.plan.client.client_id].charge(cloud.now())
        return Call(fields)

    def done(self, answer: Answer) -> Reply:
        """Return an answer."""
        if isinstance(answer, Reply):
            return answer
        return Reply(HTTPStatus.OK, orjson.dumps(answer), "application/json")

    def refused(self, code: Code) -> Reply:
        """Return a refusal."""
        if code in visionline.STATUSES:
            return Reply(visionline.STATUSES[code], b"", "text/plain")
        status = STATUSES.get(code, HTTPStatus.BAD_REQUEST)
        return Reply(status, orjson.dumps({"error": {"code": code}}), "application/json")


PLATFORM: Platform[Cloud] = Platform(Operations((*OPERATIONS, *visionline.OPERATIONS)), JsonDialect())
