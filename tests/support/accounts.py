"""People at work on vendors' accounts: over HTTP, each as who they are."""

import orjson

from infra.local.people import Badge
from shared.domain.ids import PropertyId, UserId
from shared.domain.permissions import Role
from tests.support.sample_hotel import KABUL, SILK

ADMIN, GUARD, MANAGER, OTHER = "usr_admin", "usr_guard", "usr_gm", "usr_owner"
ROLES = {
    ADMIN: Role.TENANT_ADMIN,
    GUARD: Role.SECURITY,
    MANAGER: Role.GM,
    OTHER: Role.TENANT_ADMIN,
    "usr_clerk": Role.FRONT_DESK,
}


async def ask(house, who, path, body=None, method=None, tenant=SILK, at=None):
    """Ask the API of accounts as a person; return the status and the answer."""
    where = at if at is None else frozenset(map(PropertyId, at))
    badge = Badge(tenant, UserId(who), frozenset({ROLES[who]}), where)
    token = house.fleet.people.token(badge, house.fleet.config.base_url)
    headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
    raw = b"" if body is None else orjson.dumps(body)
    how = method or ("GET" if body is None else "POST")
    return await house.on.send(f"account-api/lock/v1/{path}", raw, headers=headers, method=how)


async def rotate(house, vendor, because="by_time"):
    """Begin to replace an account."""
    body = {"propertyId": KABUL, "vendor": str(vendor), "because": because}
    status, answer = await ask(house, ADMIN, "vendor-accounts/rotations", body)
    assert status == 202, answer
    return answer


async def bring(house, vendor, account):
    """Bring the next account."""
    body = {"propertyId": KABUL, "vendor": str(vendor), "account": account}
    status, answer = await ask(house, ADMIN, "vendor-accounts/next", body)
    assert status == 202, answer
    return answer


async def account(house, vendor):
    """Return what people are shown of an account."""
    status, answer = await ask(house, ADMIN, "vendor-accounts")
    assert status == 200, answer
    return next(each for each in answer["accounts"] if each["vendor"] == str(vendor))
