"""An operator says which booking apps open guests' links; that takes the place of what was said before."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId, UserId
from shared.kernel.log import Log
from shared.keywork.services import retry_on_conflict
from shared.ledger.admission import NOBODY
from shared.ledger.guest_apps import AndroidApp, GuestApps, guest_apps
from shared.ports.documents import DocumentStore


async def name_apps(body: Mapping[str, Any], documents: DocumentStore, log: Log) -> dict[str, Any]:
    """Keep the apps that are named, or only show them where none are."""
    if "apple" not in body and "android" not in body:
        return shown_apps(await guest_apps(documents))
    by = UserId.parse(body.get("by"), "by")
    apple, android = _texts(body, "apple"), _texts(body, "android")

    async def kept() -> GuestApps:
        before = await guest_apps(documents)
        after = replace(before, apple=apple, android=tuple(_android(android)))
        return await after.saved(documents.tenant(TenantId(NOBODY)))

    after = await retry_on_conflict(kept)
    log.info("the apps that open guests' links were named", by=by, apps=len(apple) + len(after.android))
    return shown_apps(after)


def shown_apps(apps: GuestApps) -> dict[str, Any]:
    """Return the apps as an operator gives them."""
    android = [f"{each.package}={one}" for each in apps.android for one in each.prints]
    return {"apple": list(apps.apple), "android": android}


async def named_apps(documents: DocumentStore) -> dict[str, Any]:
    """Return the apps as phones are told of them."""
    apps = await guest_apps(documents)
    return {"apple": list(apps.apple), "android": {each.package: each.prints for each in apps.android}}


def _texts(body: Mapping[str, Any], name: str) -> tuple[str, ...]:
    said = body.get(name, [])
    if not isinstance(said, list) or not all(isinstance(each, str) for each in said):
        raise InvalidInput(name, "not a list of texts", "Name each app once")
    return tuple(dict.fromkeys(said))


def _android(said: tuple[str, ...]) -> list[AndroidApp]:
    prints: dict[str, tuple[str, ...]] = {}
    for package, _, one in (each.partition("=") for each in said):
        prints[package] = (*prints.get(package, ()), one.upper())
    return [AndroidApp(package=package, prints=each) for package, each in prints.items()]
