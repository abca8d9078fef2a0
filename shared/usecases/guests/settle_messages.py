"""How a hotel writes to its guests, shown and changed: its own settings, or its tenant's."""

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, UserId
from shared.domain.kinds import WalletName
from shared.kernel.log import Log
from shared.keywork.services import retry_on_conflict
from shared.ledger.message_settings import OF_TENANT, MessageSettings, settings_of
from shared.messages.locales import Locale
from shared.ports.documents import Delete, TenantDocuments

TENANTS: Final = OF_TENANT.id
"""In place of a property's id: what holds for each hotel without settings of its own."""
NAMES: Final = tuple(
    each.name for each in fields(MessageSettings) if each.name not in {"version", "strays", "place"}
)
_NEEDED: Final = ("phone", "link_base")


async def kept_settings(place: str, store: TenantDocuments) -> MessageSettings | None:
    """Return the settings of a hotel's own, or the tenant's own."""
    return await settings_of(place, store)


async def keep_settings(
    place: str, told: Mapping[str, Any], version: str | None, store: TenantDocuments
) -> MessageSettings:
    """Keep settings whole, in place of those of a version, or as the first."""
    known = {**told, "wallets": tuple(map(WalletName, told.get("wallets", ())))}
    return await MessageSettings(place=place, version=version, **known).saved(store)


async def drop_settings(kept: MessageSettings, store: TenantDocuments) -> None:
    """Have a hotel write as its tenant says again, or to nobody."""
    await store.commit([Delete(kept.ref, kept.version or "")])


async def settings_asked(body: Mapping[str, Any], store: TenantDocuments, log: Log) -> dict[str, Any]:
    """Show an operator a hotel's settings, or change those that are named; the others stay as they are."""
    place = TENANTS if body.get("property") is None else PropertyId.parse(body["property"], "property")
    changes = {name: body[name] for name in NAMES if body.get(name) is not None}
    if not changes:
        kept = await settings_of(place, store)
        return {"place": place, "settings": None if kept is None else shown_settings(kept)}
    by, told = UserId.parse(body.get("by"), "by"), _checked(changes)

    async def changed() -> MessageSettings:
        before = await settings_of(place, store)
        missing = [name for name in _NEEDED if before is None and name not in told]
        if missing:
            raise InvalidInput(
                missing[0], "missing", "The first settings name the desk's phone and the links' base"
            )
        after = MessageSettings(place=place, **told) if before is None else replace(before, **told)
        return await after.saved(store)

    after = await retry_on_conflict(changed)
    log.info("how a hotel writes to its guests was changed", place=place, by=by, tenant=store.tenant)
    return {"place": place, "settings": shown_settings(after)}


def shown_settings(kept: MessageSettings) -> dict[str, Any]:
    """Return settings as an operator gives them: none of them is a secret."""
    return {**{name: getattr(kept, name) for name in NAMES}, "wallets": [each.value for each in kept.wallets]}


def _checked(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes as settings hold them, or name the one that does not fit."""
    told: dict[str, Any] = {}
    for name, said in changes.items():
        wanted = type(getattr(_SOME, name))
        if wanted is tuple:
            told[name] = _wallets(said)
        elif type(said) is not wanted:
            raise InvalidInput(
                name, f"not of the kind {wanted.__name__}", "See keyfleet message settings --help"
            )
        else:
            told[name] = said
    if told.get("locale") not in (None, *Locale):
        raise InvalidInput("locale", "no language of ours", f"Name one of {', '.join(Locale)}")
    return told


def _wallets(said: Any) -> tuple[WalletName, ...]:
    try:
        return tuple(dict.fromkeys(map(WalletName, said)))
    except (ValueError, TypeError):
        raise InvalidInput("wallets", "no wallet of ours", f"Name some of {', '.join(WalletName)}") from None


_SOME: Final = MessageSettings(phone="-", link_base="https://keys.example")
