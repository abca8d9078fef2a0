"""Asking the fleet's API as a person: with a token of this home's issuer, over the home's own socket.

Whoever can read the home can be anybody there, so these commands name the person and vouch for nothing. On
Google Cloud the same routes are asked with tokens of one's own.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from infra.cli.address import FleetAddress
from infra.cli.control import PATIENCE_SECONDS, exchange, not_running
from infra.cli.problems import Failed, Refused
from infra.cli.token import mint
from infra.local.own_socket import ForeignPeer, HomeConnection
from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId, UserId
from shared.domain.permissions import Role

Json = Mapping[str, Any]
WELL: Final = frozenset({200, 201, 202})
MISSING: Final = 404
UNKNOWN: Final = 401
"""A token of this home's own is refused only as one of another tenant's."""


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody of a tenant, in one role, who works at all of its properties."""

    at: FleetAddress
    tenant: str
    name: str
    role: Role

    def ask(self, path: str, body: Json | None = None, method: str | None = None) -> Json:
        """Ask a function's route; refusals are told as the API tells them."""
        how = method or ("GET" if body is None else "POST")
        return asked_by(self.at, self._token(), f"{how} {path}", body, self.tenant)

    def _token(self) -> str:
        from infra.local.people import Badge

        try:
            badge = Badge(TenantId(self.tenant), UserId(self.name), frozenset({self.role}), None)
        except InvalidInput as wrong:
            raise Refused(f"{wrong.field}: {wrong.problem}", wrong.remedy) from None
        return mint(self.at, badge)


def tenant_admin(at: FleetAddress, tenant: str, by: str) -> Person:
    """Return whoever may order what is a tenant's whole: accounts, trials, prices."""
    return Person(at, tenant, by, Role.TENANT_ADMIN)


def asked_by(at: FleetAddress, token: str, what: str, body: Json | None, tenant: str) -> Json:
    """Ask a function's route by a token of a person of a tenant: `what` is a method, and a path."""
    how, _, path = what.partition(" ")
    try:
        connection = HomeConnection(at.home, at.port, PATIENCE_SECONDS)
        status, raw = exchange(connection, how, f"/{path}", body, token)
    except (ForeignPeer, OSError):
        raise not_running(at) from None
    answer = _object(raw)
    if status in WELL:
        return answer
    if status == UNKNOWN:
        raise Refused(f"the fleet knows nobody of {tenant!r}", "name a tenant of this fleet")
    raise _refusal(status, answer)


def _object(raw: bytes) -> Json:
    try:
        answer = json.loads(raw)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _refusal(status: int, answer: Json) -> Exception:
    wrong = "; ".join(f"{each['field']}: {each['problem']}" for each in answer.get("errors", ()))
    said = wrong or str(answer.get("detail") or answer.get("title") or f"HTTP {status}")
    remedies = [str(each["remedy"]) for each in answer.get("errors", ())]
    remedy = next(iter(remedies), str(answer.get("remedy") or "look at the fleet's log"))
    if status >= 500:
        return Failed(f"the fleet could not do it now: {said}", "try again")
    return Refused("nothing of that name is there" if status == MISSING else said, remedy)
