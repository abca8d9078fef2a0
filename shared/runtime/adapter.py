"""A vendor's adapter as a function: all that a vendor adds is what opens it.

    @adapter
    def adapter_acme() -> OpenVendor:
        from shared.vendors.acme.adapter import open_vendor
        return open_vendor

The function's name says whose adapter it is. The vendor is imported by that statement, so that no function's
code reaches a vendor it does not name, and only when it is first called, so that starting costs nothing.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from shared.runtime.entry import Entry, step
from shared.runtime.platform import Platform, this_function

Body = Mapping[str, Any]
Work = Callable[[Body, Platform, Any], Awaitable[Body]]
OpenVendor = Callable[[Any, Any], Any]
"""What `shared.vendor_kit.binding` says in full, which is not loaded to start a function."""
PREFIX: Final = "adapter_"
COMPARE, HEAR, BULK, ACCOUNT = "compare", "hear", "bulk", "account"
LOOK, CHALLENGE, READ_BACK, BUILD = "look", "challenge", "read_back", "build"


def adapter(opener: Callable[[], OpenVendor]) -> Entry:
    """Make the entry point of a vendor's adapter: each call is one attempt at a key."""
    vendor = vendor_of(opener.__name__)

    async def attempt(body: Body, on: Platform) -> Body:
        from shared.runtime.attempts import attempt_at, desks_at

        desks = desks_at(vendor, opener(), on)
        work: Work = OTHER_WORK.get(str(body.get("work")), attempt_at)
        return await work(body, on, desks)

    for name in ("__name__", "__qualname__", "__module__", "__doc__"):
        setattr(attempt, name, getattr(opener, name))
    return step(attempt)


async def _tell_build(_body: Body, _on: Platform, _desks: Any) -> Body:
    """Tell which build this is."""
    return {"build": this_function().build}


async def _walk(body: Body, on: Platform, desks: Any) -> Body:
    """Compare some locks with the ledger; who makes keys need not load it."""
    from shared.ledger.finding_refs import FindingRefs
    from shared.runtime.keys import services_of
    from shared.usecases.reconcile.walk_locks import WalkCall, walk_locks

    call = WalkCall.of(body)
    refs = FindingRefs(on.sealed.tenant(call.tenant), on.cipher, desks.vendor)
    return await walk_locks(call, services_of(on), desks, refs)


async def _hear(body: Body, on: Platform, desks: Any) -> Body:
    """Hear what happened at a property's doors."""
    from shared.runtime.keys import services_of
    from shared.usecases.attempts.begin_hearing import HearDoors
    from shared.usecases.attempts.hear_doors import hear_doors

    return await hear_doors(HearDoors.of(body), services_of(on), desks)


async def _remove_many(body: Body, on: Platform, desks: Any) -> Body:
    """Take a page of keys off their locks; who makes keys need not load it."""
    from shared.runtime.keys import services_of
    from shared.usecases.bulk.remove_page import PageCall, remove_page

    return await remove_page(PageCall.of(body), services_of(on), desks)


async def _look(body: Body, on: Platform, desks: Any) -> Body:
    """Look at a property's locks."""
    from shared.runtime.keys import services_of
    from shared.usecases.attempts.begin_hearing import HearDoors
    from shared.usecases.devices.look_at_locks import look_at_locks

    return await look_at_locks(HearDoors.of(body), services_of(on), desks)


async def _challenge(body: Body, on: Platform, desks: Any) -> Body:
    """Put a challenge's code on its lock, or take it away."""
    from shared.runtime.keys import services_of
    from shared.usecases.devices.challenge import ChallengeDoor, codes_of, work_on_challenge

    command = ChallengeDoor.of(body)
    codes = codes_of(command, on.sealed, on.cipher)
    return await work_on_challenge(command, services_of(on), desks, codes)


async def _read_back(body: Body, on: Platform, desks: Any) -> Body:
    """Read arriving keys back at their locks."""
    from shared.runtime.keys import services_of
    from shared.usecases.attempts.begin_hearing import HearDoors
    from shared.usecases.devices.read_back import read_back

    return await read_back(HearDoors.of(body), services_of(on), desks)


async def _try_account(body: Body, on: Platform, desks: Any) -> Body:
    """Try a property's next account, end its old one, or seal it for a person."""
    from shared.usecases.accounts.services import AccountServices
    from shared.usecases.accounts.try_account import TryAccount

    return await TryAccount.of(body, desks, AccountServices.on(on)).answer()


OTHER_WORK: Final[Mapping[str, Work]] = {
    COMPARE: _walk,
    HEAR: _hear,
    BULK: _remove_many,
    LOOK: _look,
    CHALLENGE: _challenge,
    ACCOUNT: _try_account,
    READ_BACK: _read_back,
    BUILD: _tell_build,
}
"""What an adapter does besides attempts at keys."""


def vendor_of(name: str) -> str:
    """Return whose adapter a function of this name is: acme-locks' of adapter_acme_locks."""
    if not name.startswith(PREFIX) or name == PREFIX:
        raise ValueError(f"{name} is no adapter's name: call it {PREFIX}<vendor>")
    return name.removeprefix(PREFIX).replace("_", "-")
