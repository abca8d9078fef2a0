"""Who may call: the checks that stand before every operation, in the order in which they refuse."""

from collections.abc import Callable, Mapping
from hmac import compare_digest

from infra.simulators.kit.call import whole_number
from infra.simulators.kit.errors import Refused
from infra.simulators.kit.windows import MINUTE_MS
from infra.simulators.ttlock.call import INVALID_PARAMETER, Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.operation import Access, Operation
from infra.simulators.ttlock.rows import Account, Application

TOLERANCE_MS = 5 * MINUTE_MS
NOBODY = Account("", 0, "")
Fields = Mapping[str, str]


def admit(cloud: Cloud, operation: Operation, fields: Fields) -> Call:
    """Return the call of a caller who may make it."""
    application = _application(cloud, fields)
    if operation.metered:
        cloud.meters[application.client_id].charge(cloud.now())
    return Call(fields, application, CHECKS[operation.access](cloud, application, fields))


def _application(cloud: Cloud, fields: Fields) -> Application:
    application = cloud.applications.get(_either(fields, "clientId", "client_id"))
    if application is None:
        raise Refused(10000)
    if application.region != cloud.plan.region:
        raise Refused(30008)
    return application


def _either(fields: Fields, camel: str, snake: str) -> str:
    # The documentation has the one spelling, clients in the wild send the other.
    return fields.get(camel) or fields.get(snake) or ""


def _secret(_cloud: Cloud, application: Application, fields: Fields) -> Account:
    given = _either(fields, "clientSecret", "client_secret")
    if not compare_digest(given.encode(), application.client_secret.encode()):
        raise Refused(10001)
    return NOBODY


def _secret_and_date(cloud: Cloud, application: Application, fields: Fields) -> Account:
    nobody = _secret(cloud, application, fields)
    _check_date(cloud, fields)
    return nobody


def _token(cloud: Cloud, application: Application, fields: Fields) -> Account:
    token = cloud.access_tokens.get(fields.get("accessToken", ""))
    if token is None:
        raise Refused(10003)
    if token.revoked or token.expires_ms <= cloud.now_ms() or token.client_id != application.client_id:
        raise Refused(10004)
    _check_date(cloud, fields)
    return cloud.accounts[token.username]


def _check_date(cloud: Cloud, fields: Fields) -> None:
    if abs(whole_number(fields.get("date", ""), INVALID_PARAMETER) - cloud.now_ms()) > TOLERANCE_MS:
        raise Refused(80000)


CHECKS: Mapping[Access, Callable[[Cloud, Application, Fields], Account]] = {
    Access.SECRET: _secret,
    Access.SECRET_AND_DATE: _secret_and_date,
    Access.TOKEN: _token,
}
