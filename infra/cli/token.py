"""`keyfleet token`: a token for the fleet's API, as one of a hotel's people."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, plain
from infra.cli.control import never_started
from infra.cli.problems import Refused, parted
from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId, UserId
from shared.domain.permissions import Role

if TYPE_CHECKING:
    from infra.local.people import Badge

T = TypeVar("T")
EVERY_PROPERTY = "*"
Tenant = Annotated[str, typer.Option(help="The hotel company, such as tnt_silk.")]
Roles = Annotated[
    list[Role], typer.Option("--role", help="What the person is there; give it again for more.")
]
Properties = Annotated[
    list[str],
    typer.Option(
        "--property", help="Where, such as ppt_kabul; give it again for more, or '*' for everywhere."
    ),
]
User = Annotated[str, typer.Option(help="The person, as history and audit will name them.")]


def token(
    at: FleetAddress, tenant: Tenant, role: Roles, property_: Properties, user: User = "usr_local"
) -> Answer:
    """Print a token that the fleet of this home takes for an hour, as the person's who is named."""
    from infra.local.people import LIFETIME_SECONDS

    badge = _badge(tenant, user, role, property_)
    text = mint(at, badge)
    facts = {
        "token": text,
        "audience": at.base_url,
        "expires_in": LIFETIME_SECONDS,
        "tenant": badge.tenant,
        "user": badge.user,
        "roles": sorted(badge.roles),
        "properties": list(badge.where),
    }
    return Answer(facts, (plain(text),))


def minted(at: FleetAddress, tenant: str, user: str, role: list[Role], named: list[str]) -> str:
    """Return a token that the fleet of this home takes for an hour."""
    return mint(at, _badge(tenant, user, role, named))


def _badge(tenant: str, user: str, role: list[Role], named: list[str]) -> "Badge":
    from infra.local.people import Badge

    return Badge(
        _checked(TenantId, tenant, "--tenant"),
        _checked(UserId, user, "--user"),
        frozenset(role),
        _properties(named),
    )


def mint(at: FleetAddress, badge: "Badge") -> str:
    """Return a token of this home's issuer for a person."""
    from infra.local.ambient import SystemEntropy
    from infra.local.home_clock import HomeClock
    from infra.local.keyfile import KeyFileRefused
    from infra.local.people import PEOPLE_KEY, LocalPeople

    file = at.home / PEOPLE_KEY
    try:
        if not file.exists():
            raise never_started(at)
        people = LocalPeople.at(file, HomeClock.of(at.home).now, SystemEntropy().token)
    except KeyFileRefused as refusal:
        raise Refused(*parted(str(refusal))) from None
    except OSError as error:
        raise Refused(f"cannot read {file}: {error.strerror}", "run as the user who runs the fleet") from None
    return people.token(badge, at.base_url)


def _properties(named: list[str]) -> frozenset[PropertyId] | None:
    if EVERY_PROPERTY in named:
        return None
    return frozenset(_checked(PropertyId, each, "--property") for each in named)


def _checked(kind: Callable[[str], T], text: str, option: str) -> T:
    try:
        return kind(text)
    except InvalidInput as problem:
        raise Refused(f"{option}: {problem.problem}", problem.remedy) from None
