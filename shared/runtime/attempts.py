"""Attempts at keys, as an adapter's function makes them; it is read in with the first of them."""

from collections.abc import Mapping
from typing import Any

from shared.domain.kinds import VendorCode
from shared.keywork.next_build import note_end, trial_under_way
from shared.keywork.step import make_attempt
from shared.keywork.vendor_session import VendorSessions
from shared.keywork.verdicts import NEXT_BUILD, StepCall
from shared.runtime.keys import desks_of, services_of
from shared.runtime.platform import Platform, this_function
from shared.vendor_kit.binding import OpenVendor


def desks_at(vendor: str, opener: OpenVendor, on: Platform) -> VendorSessions:
    """Return the desks of the build that is asked."""
    return desks_of(on, VendorCode(vendor), opener, NEXT_BUILD if _is_on_trial() else "")


async def attempt_at(body: Mapping[str, Any], on: Platform, desks: VendorSessions) -> Mapping[str, Any]:
    """Make one attempt; the next build notes when its own ended: one that never does is counted as lost."""
    call, services = StepCall.of(body), services_of(on)
    if not _is_on_trial():
        return (await make_attempt(call, services, desks, hands_over=True)).body()
    trial = await trial_under_way(call, services, desks)
    verdict = await make_attempt(call, services, desks)
    if trial is not None:
        await note_end(trial, call, services)
    return verdict.body()


def _is_on_trial() -> bool:
    return this_function().name.endswith(NEXT_BUILD)
