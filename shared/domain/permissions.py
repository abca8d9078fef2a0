"""Who may do what, and where: one row per permission. What is not said here is not allowed.

A request passes four questions, in this order, and the first *no* ends it:

1. Is somebody proven? Else: unauthenticated.
2. Does the principal hold the permission? Else: forbidden, which tells nothing about anybody's things.
3. Does the principal work where the thing is? Else the answer is that of a thing that is not there.
4. Does the permission ask for fresh proof, and is the sign-in older than five minutes? Else: sign in again.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import IntegratorId, PropertyId, TenantId, UserId

FRESH_FOR: Final = timedelta(minutes=5)


class Role(StrEnum):
    """What a member of staff is at a hotel (A §12.1, C §4)."""

    FRONT_DESK = "front_desk"
    FRONT_DESK_SUPERVISOR = "front_desk_supervisor"
    NIGHT_AUDITOR = "night_auditor"
    CONCIERGE = "concierge"
    HOUSEKEEPER = "housekeeper"
    HOUSEKEEPING_LEAD = "housekeeping_lead"
    ENGINEER = "engineer"
    SECURITY = "security"
    GM = "gm"
    TENANT_ADMIN = "tenant_admin"
    AUDITOR = "auditor"


class Permission(StrEnum):
    """What may be done."""

    KEY_READ = "lock.key.read"
    KEY_ISSUE = "lock.key.issue"
    KEY_ISSUE_OFFLINE = "lock.key.issue.offline"
    KEY_EXTEND = "lock.key.extend"
    KEY_REPLACE = "lock.key.replace"
    KEY_SUSPEND = "lock.key.suspend"
    KEY_REVOKE = "lock.key.revoke"
    KEY_ASK_AGAIN = "lock.key.ask_again"
    PIN_REVEAL = "lock.pin.reveal"
    GUEST_SERVE = "lock.guest.serve"
    DOOR_READ = "lock.door.read"
    MASTER_KEY_READ = "lock.master_key.read"
    MASTER_KEY_ISSUE = "lock.master_key.issue"
    MASTER_KEY_REVOKE = "lock.master_key.revoke"
    DEVICE_READ = "lock.device.read"
    DEVICE_WRITE = "lock.device.write"
    BULK_REVOKE = "lock.bulk.revoke"
    SAGA_READ = "lock.saga.read"
    SAGA_STEER = "lock.saga.steer"
    RESIDUE_READ = "lock.residue.read"
    RESIDUE_CLOSE = "lock.residue.close"
    DESK_PAIR = "lock.desk.pair"
    BREAK_GLASS_ASK = "lock.break_glass.ask"
    BREAK_GLASS_APPROVE = "lock.break_glass.approve"
    HOTEL_READ = "lock.hotel.read"
    HOTEL_WRITE = "lock.hotel.write"
    TENANT_READ = "lock.tenant.read"
    TENANT_WRITE = "lock.tenant.write"
    VENDOR_ACCOUNT_WRITE = "lock.vendor_account.write"
    WEBHOOK_MANAGE = "lock.webhook.manage"
    DEAD_LETTER_READ = "lock.dead_letter.read"
    DEAD_LETTER_DECIDE = "lock.dead_letter.decide"
    AUDIT_READ = "lock.audit.read"
    GUEST_RIGHTS = "lock.guest.rights"
    BACKOFFICE_READ = "lock.backoffice.read"
    BACKOFFICE_DECIDE = "lock.backoffice.decide"


class Where(StrEnum):
    """How far a permission reaches."""

    PROPERTY = "property"
    """At the properties that the principal works at."""
    TENANT = "tenant"
    """For the company as a whole: only for those who work at all its properties."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One row: who holds a permission, where, and on what terms."""

    meaning: str
    roles: frozenset[Role]
    where: Where = Where.PROPERTY
    fresh: bool = False
    """Whether it asks for a sign-in of the last five minutes; a service account has none to show."""
    configurable: bool = False
    """Whether a tenant may say itself which roles hold it."""
    integrators: bool = False
    """Whether a service account of the tenant may be given it."""


_R = Role
_DESK: Final = frozenset({_R.FRONT_DESK, _R.FRONT_DESK_SUPERVISOR, _R.NIGHT_AUDITOR, _R.GM})
_LEAD: Final = frozenset({_R.FRONT_DESK_SUPERVISOR, _R.NIGHT_AUDITOR, _R.GM})
_GUARD: Final = frozenset({_R.SECURITY, _R.GM})
_HOUSE: Final = frozenset({_R.HOUSEKEEPING_LEAD, _R.ENGINEER})
_GM: Final = frozenset({_R.GM})
_ADMIN: Final = frozenset({_R.TENANT_ADMIN})
_READS: Final = _DESK | _GUARD | {_R.AUDITOR}

_P, _TENANT = Permission, Where.TENANT
RULES: Final[Mapping[Permission, Rule]] = {
    _P.KEY_READ: Rule("See keys, their history and a stay's", _READS | {_R.CONCIERGE}, integrators=True),
    _P.KEY_ISSUE: Rule("Make keys of a stay, and copies", _DESK, integrators=True),
    _P.KEY_ISSUE_OFFLINE: Rule("Make keys at a desk without network", _LEAD, configurable=True),
    _P.KEY_EXTEND: Rule("Extend or move a stay's keys", _DESK, integrators=True),
    _P.KEY_REPLACE: Rule("Replace a lost key", _DESK),
    _P.KEY_SUSPEND: Rule("Put keys to rest, and wake them", _LEAD | _GUARD, integrators=True),
    _P.KEY_REVOKE: Rule("Revoke keys", _DESK | _GUARD, integrators=True),
    _P.KEY_ASK_AGAIN: Rule("Have a vendor asked again now", _DESK | _GUARD | {_R.ENGINEER}),
    _P.PIN_REVEAL: Rule("See a PIN in plain digits, with a reason", _LEAD, fresh=True, configurable=True),
    _P.GUEST_SERVE: Rule("Sign guests in and redeem their keys", frozenset(), integrators=True),
    _P.DOOR_READ: Rule("See who can open a door, and why one refused", _READS | {_R.ENGINEER}),
    _P.MASTER_KEY_READ: Rule("See staff's keys", _GUARD | {_R.HOUSEKEEPING_LEAD, _R.AUDITOR}),
    _P.MASTER_KEY_ISSUE: Rule("Give staff a key", _GM, fresh=True),
    _P.MASTER_KEY_REVOKE: Rule("Take a staff's key back", _GUARD | {_R.HOUSEKEEPING_LEAD}),
    _P.DEVICE_READ: Rule("See locks and how they are", _READS | _HOUSE, integrators=True),
    _P.DEVICE_WRITE: Rule("Map locks, take them in and out of use", _GM | {_R.ENGINEER}, fresh=True),
    _P.BULK_REVOKE: Rule("Revoke keys of many at once", _GUARD, fresh=True),
    _P.SAGA_READ: Rule("See sagas step by step", _GUARD | {_R.ENGINEER, _R.AUDITOR}),
    _P.SAGA_STEER: Rule("Retry, cancel or fork a saga", _GM, fresh=True),
    _P.RESIDUE_READ: Rule("See what is left at locks", _READS | _HOUSE),
    _P.RESIDUE_CLOSE: Rule("Close a residue, having been at the door", _GUARD, fresh=True),
    _P.DESK_PAIR: Rule("Pair a front-desk machine", _GM, fresh=True),
    _P.BREAK_GLASS_ASK: Rule("Ask for a vendor's secret in an emergency", _GUARD, fresh=True),
    _P.BREAK_GLASS_APPROVE: Rule("Agree to what another asks", _GM | _ADMIN, fresh=True),
    _P.HOTEL_READ: Rule("See how a hotel is set up", _READS | _HOUSE | _ADMIN, integrators=True),
    _P.HOTEL_WRITE: Rule("Change a hotel's rooms, doors and policy", _GM | _ADMIN, fresh=True),
    _P.TENANT_READ: Rule("See the company's settings", _ADMIN | {_R.AUDITOR}, _TENANT),
    _P.TENANT_WRITE: Rule("Change the company's settings, roles and people", _ADMIN, _TENANT, fresh=True),
    _P.VENDOR_ACCOUNT_WRITE: Rule("Change a vendor's account", _ADMIN, _TENANT, fresh=True),
    _P.WEBHOOK_MANAGE: Rule("Have events sent to an address", _ADMIN, _TENANT, fresh=True),
    _P.DEAD_LETTER_READ: Rule("See messages that were set aside", _ADMIN | {_R.AUDITOR}, _TENANT),
    _P.DEAD_LETTER_DECIDE: Rule("Replay or discard those", _ADMIN, _TENANT, fresh=True),
    _P.AUDIT_READ: Rule("Read the audit trail and its proofs", _GM | {_R.AUDITOR, _R.SECURITY}),
    _P.GUEST_RIGHTS: Rule("Export, erase or hold what is kept of a guest", _ADMIN, _TENANT, fresh=True),
    _P.BACKOFFICE_READ: Rule("Work at a desktop: boards, inboxes, synchronisation", frozenset(Role)),
    _P.BACKOFFICE_DECIDE: Rule("Decide suggestions, and take alerts on", _DESK | _GUARD | _HOUSE),
}

RoleAttributes = Mapping[Permission, frozenset[Role]]
"""Which roles hold the configurable permissions at one tenant."""


def role_attributes(told: Mapping[str, Iterable[str]]) -> RoleAttributes:
    """Read what a tenant says of its roles, or refuse it: most permissions are not the tenant's to give."""
    return {_configurable(name): frozenset(map(_role, roles)) for name, roles in told.items()}


def held_by_roles(roles: Iterable[Role], attributes: RoleAttributes) -> frozenset[Permission]:
    """Return what some roles hold together."""
    mine = frozenset(roles)
    return frozenset(each for each, rule in RULES.items() if mine & attributes.get(each, rule.roles))


def held_by_key(named: Iterable[str]) -> frozenset[Permission]:
    """Return what a service account's key names, as far as such a key may hold it."""
    found = frozenset(Permission(name) for name in named if name in set(Permission))
    return frozenset(each for each in found if RULES[each].integrators)


class Verdict(StrEnum):
    """What becomes of a request."""

    ALLOWED = "allowed"
    FORBIDDEN = "forbidden"
    ELSEWHERE = "elsewhere"
    """Answered as if the thing were not there."""
    STALE_PROOF = "stale_proof"


@dataclass(frozen=True, slots=True)
class Principal:
    """A proven person or service account of one tenant, and what it may do where."""

    id: UserId | IntegratorId
    tenant: TenantId
    permissions: frozenset[Permission]
    properties: frozenset[PropertyId] | None
    """Where it works; None is at every property of the tenant."""
    roles: frozenset[Role] = frozenset()
    signed_in_at: datetime | None = None
    second_factor: bool = False
    """Whether its issuer attests that the sign-in took more than one factor (RFC 8176, `amr`)."""

    def works_at(self, property_id: PropertyId) -> bool:
        """Say whether the principal works at a property."""
        return self.properties is None or property_id in self.properties

    def verdict(self, permission: Permission, now: datetime) -> Verdict:
        """Return what becomes of a request before it is known where the thing is."""
        rule = RULES[permission]
        if permission not in self.permissions:
            return Verdict.FORBIDDEN
        if rule.where is Where.TENANT and self.properties is not None:
            return Verdict.FORBIDDEN
        if rule.fresh and not self._proven_of_late(now):
            return Verdict.STALE_PROOF
        return Verdict.ALLOWED

    def verdict_at(self, permission: Permission, property_id: PropertyId, now: datetime) -> Verdict:
        """Return what becomes of a request about a thing at a property."""
        if permission in self.permissions and not self.works_at(property_id):
            return Verdict.ELSEWHERE
        return self.verdict(permission, now)

    def _proven_of_late(self, now: datetime) -> bool:
        return self.signed_in_at is not None and now < self.signed_in_at + FRESH_FOR


def _configurable(name: str) -> Permission:
    if name not in set(Permission) or not RULES[Permission(name)].configurable:
        ours = ", ".join(each for each, rule in RULES.items() if rule.configurable)
        raise InvalidInput("roleAttributes", "not a permission that tenants give", f"Name one of: {ours}")
    return Permission(name)


def _role(name: str) -> Role:
    if name not in set(Role):
        raise InvalidInput("role", "not a role", f"Name one of: {', '.join(Role)}")
    return Role(name)
