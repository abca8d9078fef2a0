"""Service accounts over HTTP: programs of a tenant, each with a key of its own that is shown once."""

from typing import Annotated, Final

from pydantic import Field

from functions.lock_api.places import as_state, store_of
from functions.lock_api.shown import At, Paged, shown
from shared.domain.ids import IntegratorId, PropertyId
from shared.domain.permissions import RULES, Permission
from shared.events.wire import Flag, Instant, Maybe, Published, text
from shared.events.wire import PropertyId as AtProperty
from shared.kernel.api_keys import ApiKey
from shared.queries.hotels import properties
from shared.queries.pages import Place
from shared.queries.service_accounts import Account, accounts_paged, find_account, shown_account
from shared.runtime.asked import Answered, Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.hotels.service_accounts import (
    AccountWanted,
    issue_account,
    rotate_account,
    stop_account,
)

AccountId = Annotated[str, Field(pattern="^itg_[0-7][0-9A-HJKMNP-TV-Z]{25}$")]
MAY_HOLD: Final = tuple(str(each) for each, rule in RULES.items() if rule.integrators)
Held = Annotated[str, Field(pattern=f"^({'|'.join(each.replace('.', '[.]') for each in MAY_HOLD)})$")]


class ServiceAccount(Published):
    """A program of the tenant: what it may do, where, until when; its secret is kept by nobody."""

    id: AccountId
    name: str
    permissions: tuple[str, ...]
    properties: tuple[AtProperty, ...]
    everywhere: Flag
    secrets: int
    """Two while one is changed for another."""
    expires_at: At
    stopped_at: Maybe[At] = None
    live: Flag


class ServiceAccounts(Published):
    """Programs of the tenant; while there is a cursor there may be more."""

    accounts: tuple[ServiceAccount, ...]
    cursor: Maybe[str] = None


class ServiceAccountWanted(Published):
    """A program that is to have a key."""

    name: Annotated[str, text(80)]
    permissions: Annotated[tuple[Held, ...], Field(min_length=1, max_length=30)]
    properties: Annotated[tuple[AtProperty, ...], Field(max_length=200)] = ()
    everywhere: bool = False
    expires_at: Instant


class ServiceAccountKey(Published):
    """A program, and its key: shown this once."""

    account: ServiceAccount
    key: Annotated[str, Field(max_length=256)]


class Rotation(Published):
    """Whether the secret before this one ends at once."""

    at_once: bool = False


async def list_service_accounts(asked: Asked, on: Platform) -> ServiceAccounts:
    """Return the tenant's programs."""
    place = Place(asked.query.cursor, asked.query.limit)
    page = await accounts_paged(store_of(asked, on), place)
    return ServiceAccounts(accounts=tuple(_shown(each, asked) for each in page.accounts), cursor=page.cursor)


async def get_service_account(asked: Asked, on: Platform) -> Answered:
    """Return a program of the tenant."""
    account = await _there(asked, on)
    return Answered(_shown(account, asked), version=account.version)


async def issue_service_account(asked: Asked, on: Platform) -> Answered:
    """Make a program, and show its key."""
    said, store = asked.body, store_of(asked, on)
    wanted = AccountWanted(
        name=said.name,
        permissions=tuple(dict.fromkeys(map(Permission, said.permissions))),
        properties=tuple(dict.fromkeys(map(PropertyId, said.properties))),
        everywhere=said.everywhere,
        expires_at=said.expires_at,
    )
    wanted.check(asked.now, await properties(store))
    name = IntegratorId.mint(on.ids.ulid())
    account, key = await issue_account(wanted, name, store, on.entropy.token)
    on.log.info("a service account was issued", account=name, by=asked.by)
    return _with_key(account, key, asked)


async def rotate_service_account(asked: Asked, on: Platform) -> Answered:
    """Give a program another key, and show it."""
    account, store = await _expected(asked, on), store_of(asked, on)
    with as_state():
        news, key = await rotate_account(
            account, store, on.entropy.token, asked.now, at_once=asked.body.at_once
        )
    on.log.info("a service account has another secret", account=news.integrator.id, by=asked.by)
    return _with_key(news, key, asked)


async def stop_service_account(asked: Asked, on: Platform) -> Answered:
    """Have a program call no more."""
    stopped = await stop_account(await _expected(asked, on), store_of(asked, on), asked.now)
    on.log.info("a service account was stopped", account=stopped.integrator.id, by=asked.by)
    return Answered(_shown(stopped, asked), version=stopped.version)


async def _expected(asked: Asked, on: Platform) -> Account:
    account = await _there(asked, on)
    asked.expects(account.version or "")
    return account


async def _there(asked: Asked, on: Platform) -> Account:
    account = await find_account(asked.ids["integratorId"], store_of(asked, on))
    if account is None:
        raise NotThere("no such service account")
    return account


def _with_key(account: Account, key: ApiKey, asked: Asked) -> Answered:
    return Answered(ServiceAccountKey(account=_shown(account, asked), key=key.text), version=account.version)


def _shown(account: Account, asked: Asked) -> ServiceAccount:
    return shown(ServiceAccount, shown_account(account, asked.now))


_P: Final = Permission
_ALL: Final = "/lock/v1/service-accounts"
_ONE: Final = f"{_ALL}/{{integratorId}}"
ROUTES: Final = (
    Route(
        method="GET",
        path=_ALL,
        summary="Programs that may call",
        use_case=list_service_accounts,
        query=Paged,
        answer=ServiceAccounts,
        permission=_P.TENANT_READ,
    ),
    Route(
        method="GET",
        path=_ONE,
        summary="A program that may call",
        use_case=get_service_account,
        answer=ServiceAccount,
        permission=_P.TENANT_READ,
    ),
    Route(
        method="POST",
        path=_ALL,
        summary="Give a program a key, shown this once",
        use_case=issue_service_account,
        request=ServiceAccountWanted,
        answer=ServiceAccountKey,
        permission=_P.TENANT_WRITE,
        status=201,
        remembered=False,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/rotate",
        summary="Give a program another key; the one before it counts a while",
        use_case=rotate_service_account,
        request=Rotation,
        answer=ServiceAccountKey,
        permission=_P.TENANT_WRITE,
        remembered=False,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/stop",
        summary="Have a program call no more",
        use_case=stop_service_account,
        answer=ServiceAccount,
        permission=_P.TENANT_WRITE,
    ),
)
