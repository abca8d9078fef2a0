"""`keyfleet reconcile`: locks are compared with the ledger, now, and what differs is shown."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer
from infra.cli.control import ControlPlane
from infra.cli.findings import found_at_locks, said_of
from infra.cli.polling import OutOfPatience, Patience
from infra.cli.problems import Failed, Refused

Json = Mapping[str, Any]
COMPARE: Final = "compare-locks"
UNDER_WAY: Final = "under_way"
PATIENCE_SECONDS: Final = 120.0
Tenant = Annotated[str | None, typer.Option(help="Only this tenant's locks, such as tnt_silk.")]
Hotel = Annotated[
    str | None, typer.Option(help="Only this property's, such as ppt_kabul; name its tenant too.")
]
Lock = Annotated[
    str | None, typer.Option(help="Only this lock, such as lck_…; name its tenant and hotel too.")
]
Vendor = Annotated[str | None, typer.Option(help="Only this vendor's locks, by its code.")]
Restored = Annotated[
    bool,
    typer.Option(
        "--restored", help="The ledger is an old one: what vanished since waits for a person's word."
    ),
]


def reconcile(
    at: FleetAddress,
    tenant: Tenant = None,
    hotel: Hotel = None,
    lock: Lock = None,
    vendor: Vendor = None,
    restored: Restored = False,
) -> Answer:
    """Compare locks with the ledger now, as every night: it goes on by itself if nobody waits for it."""
    where = _where(tenant, hotel, lock, vendor)
    occasion = "restored" if restored else "asked"
    begun = ControlPlane(at).call(COMPARE, {"occasion": occasion, **where})["begun"]
    if not begun:
        raise Refused("no such locks", "name a property, a lock and a vendor that the hotel has")
    runs = [each["run"] for each in begun]
    found = _compared(at, tenant, runs)
    return Answer(found, tuple(said_of(at, found, runs)))


def _where(tenant: str | None, hotel: str | None, lock: str | None, vendor: str | None) -> dict[str, str]:
    if hotel is not None and tenant is None:
        raise Refused("--hotel without --tenant", "say whose hotel it is, such as --tenant tnt_silk")
    if lock is not None and hotel is None:
        raise Refused("--lock without --hotel", "say where the lock is, such as --hotel ppt_kabul")
    named = {"tenant": tenant, "property": hotel, "lock": lock, "vendor": vendor}
    return {name: value for name, value in named.items() if value is not None}


def _compared(at: FleetAddress, tenant: str | None, runs: Sequence[str]) -> Json:
    def over() -> Json | None:
        found = found_at_locks(at, tenant)
        walking = {each["run"] for each in found["comparisons"] if each["progress"] == UNDER_WAY}
        return None if walking & set(runs) else found

    try:
        return Patience().until(over, PATIENCE_SECONDS)
    except OutOfPatience:
        remedy = f"it goes on by itself: see keyfleet finding list{at.flags}"
        raise Failed(f"not all locks are compared after {PATIENCE_SECONDS:g} s", remedy) from None
