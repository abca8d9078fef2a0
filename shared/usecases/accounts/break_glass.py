"""Somebody must see a vendor's account: two others agree, for at most an hour, and then it is replaced.

| step | who | died here |
|---|---|---|
| 1. it is asked for, with the incident and a key of one's own | a person | it is asked for again |
| 2. two others agree, each wakes the execution | people | it looks by itself when time is over |
| 3. the account is sealed to the key of 1 | the adapter | it is sealed again |
| 4. it is closed by hand or by the clock, and replaced | execution or sweeper | the sweeper closes |

Each step calls security. The account is an argument of nothing, and is in no answer but sealed.
"""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, Final

from shared.domain.errors import InvalidInput
from shared.domain.ids import BreakGlassId, TenantId, UserId
from shared.domain.secret import Secret
from shared.keywork.services import retry_on_conflict
from shared.ledger.account_rotation import find_rotation, first_seen
from shared.ledger.break_glass import (
    ASKED_FOR,
    LONGEST,
    BreakGlass,
    GlassStage,
    destroy_box,
    find_box,
    find_glass,
)
from shared.ports.documents import TenantDocuments
from shared.usecases.accounts.deeds import Deed, saved_with
from shared.usecases.accounts.rotate import WhichAccount, start
from shared.usecases.accounts.services import KEPT_FOR, OF_CALLBACKS, WAITING, AccountServices

WORKFLOW: Final = "break_glass"
_INCIDENT: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{2,63}")
_CODE: Final = re.compile(r"[a-z][a-z_]{2,39}")
KEY_BYTES: Final = 32
Change = Callable[[BreakGlass], BreakGlass]
_DEEDS: Final[Mapping[GlassStage, str]] = {
    GlassStage.ASKED: "glass_approved",
    GlassStage.OPEN: "glass_opened",
    GlassStage.REFUSED: "glass_refused",
    GlassStage.EXPIRED: "glass_expired",
    GlassStage.CLOSED: "glass_closed",
}
"""What was done to a glass, by what has become of it."""


@dataclass(frozen=True, slots=True)
class AskFor:
    """Whose account somebody must see, for which incident, and the key that it is to be sealed to."""

    which: WhichAccount
    by: UserId
    incident: str
    because: str
    minutes: int
    seal_to: str

    def checked(self) -> "AskFor":
        """Return the wish, or refuse it by its field."""
        if not _INCIDENT.fullmatch(self.incident):
            raise InvalidInput("incident", "not an incident's number", "Name one, such as INC-7")
        if not _CODE.fullmatch(self.because):
            raise InvalidInput("because", "not one word", "Say it in one, such as vendor_outage")
        if not 1 <= self.minutes <= LONGEST.total_seconds() // 60:
            raise InvalidInput("minutes", "not from 1 to 60", "Ask for an hour at most")
        try:
            key = base64.b64decode(self.seal_to, validate=True)
        except ValueError:
            key = b""
        if len(key) != KEY_BYTES:
            raise InvalidInput("sealTo", "no X25519 public key", "Give its 32 bytes in base64")
        return self


async def ask_for(wish: AskFor, on: AccountServices) -> BreakGlass:
    """Keep what is asked for, call those who may agree, and begin the execution that waits for them."""
    store, which = await wish.which.checked(on), wish.which
    glass = BreakGlass(
        id=BreakGlassId.mint(on.ids.ulid()),
        vendor=which.vendor,
        property_id=which.property_id,
        incident=wish.incident,
        because=wish.because,
        asked_by=wish.by,
        asked_at=on.now,
        minutes=wish.minutes,
        seal_to=wish.seal_to,
    )
    lasting = glass.lasting(on.now + ASKED_FOR, on.now)
    kept = await saved_with(lasting, [Deed.of_glass("glass_asked", lasting, wish.by)], store, on)
    on.log.alert("break-glass is asked for", runbook="cloud/break-glass", **_named(kept, which.tenant))
    await _begin(kept, which.tenant, on)
    return kept


async def approve(tenant: TenantId, name: str, by: UserId, on: AccountServices) -> BreakGlass:
    """Note that somebody agrees; the second opens it."""
    glass = await _changed(tenant, name, lambda it: it.approved(by, on.now), by, on)
    if glass.stage is GlassStage.OPEN:
        on.log.alert("the glass is broken", runbook="cloud/break-glass", **_named(glass, tenant))
    await on.wake(tenant, name, {"approved": True})
    return glass


async def refuse(tenant: TenantId, name: str, by: UserId, on: AccountServices) -> BreakGlass:
    """Note that somebody does not agree: it is over."""
    glass = await _changed(tenant, name, lambda it: it.refused(by, on.now), by, on)
    on.log.alert("break-glass is refused", runbook="cloud/break-glass", **_named(glass, tenant))
    await on.wake(tenant, name, {"refused": True})
    return glass


async def close(tenant: TenantId, name: str, by: UserId, on: AccountServices) -> BreakGlass:
    """Close it before its time, and have the account replaced."""
    await retry_on_conflict(partial(_end, tenant, name, lambda it: it.closed(by, on.now), on))
    await destroy_box(on.sealed.tenant(tenant), name)
    await on.wake(tenant, name, {"closed": True})
    return await glass_of(tenant, name, on)


async def sealed_for(glass: BreakGlass, tenant: TenantId, by: UserId, on: AccountServices) -> str | None:
    """Return the account as it is sealed to who asked, to them, while it is open."""
    if by != glass.asked_by or not glass.shows(on.now):
        return None
    box = await find_box(on.sealed.tenant(tenant), glass.id)
    if box is not None:
        shown = Deed.of_glass("glass_shown", glass, by)
        await on.documents.tenant(tenant).commit(shown.writes(tenant, on))
        on.log.warning("an account was handed out sealed", **_named(glass, tenant))
    return box


async def glass_of(tenant: TenantId, name: str, on: AccountServices) -> BreakGlass:
    """Return one, or refuse its id."""
    glass = await find_glass(on.documents.tenant(tenant), name)
    if glass is None:
        raise InvalidInput("breakGlassId", "not known", "Look at the list")
    return glass


async def look(body: Mapping[str, Any], on: AccountServices) -> dict[str, Any]:
    """Say what the execution is to do next: wait so long, show, or end."""
    tenant, name = TenantId.parse(body.get("tenant"), "tenant"), str(body.get("glass"))
    glass, execution = await glass_of(tenant, name, on), str(body.get("execution"))
    if (glass.execution or execution) != execution:
        return {"outcome": "over"}
    if glass.overdue(on.now) is not None:
        await tend_glass(name, tenant, on.documents.tenant(tenant), on)
        await destroy_box(on.sealed.tenant(tenant), name)
        return {"outcome": "over"}
    if glass.due is None:
        return {"outcome": "over"}
    if glass.execution is None:
        glass = await glass.taken_up(execution).saved(on.documents.tenant(tenant))
    if glass.shows(on.now) and await find_box(on.sealed.tenant(tenant), name) is None:
        return {"outcome": "show"}
    sealed, address = on.sealed_of(tenant), Secret(str(body.get("callback_url")).encode())
    await retry_on_conflict(partial(sealed.keep, WAITING, name, OF_CALLBACKS, address, on.now + KEPT_FOR))
    # Who agreed between the two found nobody to wake.
    changed = await _changed_since(glass, tenant, on)
    left = timedelta(0) if changed or glass.ends is None else glass.ends - on.now
    return {"outcome": "wait", "seconds": max(1, round(left.total_seconds()) + 1)}


async def _changed_since(glass: BreakGlass, tenant: TenantId, on: AccountServices) -> bool:
    return (await glass_of(tenant, glass.id, on)).version != glass.version


async def tend_glass(name: str, tenant: TenantId, store: TenantDocuments, on: Any) -> bool:
    """Close what nobody closed in time, and begin what nobody took up.

    Whoever has the sealed account keeps it, and it is replaced.
    """
    glass = await find_glass(store, name)
    if glass is None or glass.due is None or glass.due > on.now:
        return False
    over = glass.overdue(on.now)
    if over is not None:
        await _over(over, tenant, store, on)
        return True
    assert glass.ends is not None  # noqa: S101 - it is due
    looked = await glass.lasting(glass.ends, on.now).saved(store)
    if looked.execution is None:
        await _begin(looked, tenant, on)
    return True


async def _end(tenant: TenantId, name: str, change: Change, on: AccountServices) -> None:
    await _over(change(await glass_of(tenant, name, on)), tenant, on.documents.tenant(tenant), on)


async def _over(over: BreakGlass, tenant: TenantId, store: TenantDocuments, on: Any) -> None:
    """Keep the end, and in the same commit the rotation that follows; then say so, and begin it."""
    done = Deed.of_glass(_DEEDS[over.stage], over, over.ended_by or "")
    if over.stage is not GlassStage.CLOSED:
        await saved_with(over, [done], store, on)
        on.log.alert("break-glass came to nothing", runbook="cloud/break-glass", **_named(over, tenant))
        return
    known = await find_rotation(store, over.vendor, over.property_id)
    rotation = known or first_seen(over.vendor, over.property_id, on.now)
    begun, deeds = rotation.shown(str(over.asked_by), on.now), [done]
    if begun.turn > rotation.turn:
        deeds.append(Deed.of_rotation("rotation_begun", begun))
    told = [write for deed in deeds for write in deed.writes(tenant, on)]
    await store.commit([over.write(), begun.write(), *told])
    on.log.alert("the glass is closed", runbook="cloud/break-glass", **_named(over, tenant))
    await start(tenant, begun, on)


async def _changed(
    tenant: TenantId, name: str, change: Change, by: UserId, on: AccountServices
) -> BreakGlass:
    async def changed() -> BreakGlass:
        glass = change(await glass_of(tenant, name, on))
        done = Deed.of_glass(_DEEDS[glass.stage], glass, by)
        return await saved_with(glass, [done], on.documents.tenant(tenant), on)

    return await retry_on_conflict(changed)


async def _begin(glass: BreakGlass, tenant: TenantId, on: AccountServices) -> None:
    which = {"tenant": str(tenant), "property": str(glass.property_id), "vendor": str(glass.vendor)}
    argument = {**which, "glass": str(glass.id), "adapter": f"adapter-{glass.vendor}"}
    await on.sagas.start(WORKFLOW, argument)


def _named(glass: BreakGlass, tenant: TenantId) -> dict[str, str]:
    about = {"vendor": str(glass.vendor), "property": str(glass.property_id), "incident": glass.incident}
    return {"tenant": str(tenant), "glass": str(glass.id), "by": str(glass.asked_by), **about}
