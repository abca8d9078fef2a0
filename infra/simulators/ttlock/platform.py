"""The Open Platform on the wire: forms and queries in, JSON under HTTP 200 out; and all its operations."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import orjson

from infra.simulators.kit.errors import Code
from infra.simulators.kit.operation import Operations, Reply, Request, form_fields
from infra.simulators.kit.platform import Platform
from infra.simulators.ttlock.access import admit
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.errors import refusal
from infra.simulators.ttlock.operation import Answer, Operation
from infra.simulators.ttlock.routes import (
    applications,
    cards,
    ekeys,
    gateways,
    locks,
    passcodes,
    qr_codes,
    random_passcodes,
    records,
    remote_lock,
)

RESOURCES = (
    applications, locks, remote_lock, gateways, passcodes, random_passcodes, ekeys, cards, qr_codes, records,
)  # fmt: skip


class FormDialect:
    """A POST takes a form, a GET its query; a refusal is an errcode under HTTP 200."""

    of_every_call = frozenset({"clientId", "clientSecret", "accessToken", "date", "pageNo", "pageSize"})
    code: type[Code] = int
    secrets = frozenset(
        {
            "accessToken", "cardNumber", "clientSecret", "client_secret", "keyboardPwd", "newKeyboardPwd",
            "password", "qrCodeNumber", "refresh_token", "searchStr",
        }
    )  # fmt: skip

    def fields(self, request: Request) -> Mapping[str, str] | HTTPStatus:
        """Return the fields of a form or of a query."""
        return form_fields(request)

    def admitted(self, cloud: Cloud, operation: Operation, fields: Mapping[str, Any]) -> Call:
        """Return the call of a caller who may make it."""
        return admit(cloud, operation, fields)

    def done(self, answer: Answer) -> Reply:
        """Return an answer."""
        return Reply(HTTPStatus.OK, orjson.dumps(answer))

    def refused(self, code: Code) -> Reply:
        """Return a refusal."""
        return Reply(HTTPStatus.OK, orjson.dumps(refusal(code)))


OPERATIONS = Operations(operation for resource in RESOURCES for operation in resource.OPERATIONS)
PLATFORM: Platform[Cloud] = Platform(OPERATIONS, FormDialect())
