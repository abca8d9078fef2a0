"""What is left of the calls that vendors may be asked, over HTTP, where they are the company's own."""

from typing import Final

from functions.lock_api.places import AtPlace, cell_of, property_asked, store_of
from functions.lock_api.shown import At, shown
from shared.domain.permissions import Permission
from shared.events.wire import Flag, Maybe, PropertyId, Published, VendorCode
from shared.queries.hotels import properties
from shared.queries.vendor_health import vendor_health
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route


class Due(Published):
    """Calls that are due until the month ends, by what they are for."""

    arrivals: int = 0
    trend: int = 0
    removals: int = 0
    shifts: int = 0
    comparisons: int = 0


class Application(Published):
    """A vendor's application, by a digest: its limits, what was spent of its month, and what is due."""

    application: str
    calls: Maybe[int] = None
    seconds: Maybe[float] = None
    monthly: Maybe[int] = None
    spent: int
    reserved: int
    """What is kept for removals."""
    due: Maybe[Due] = None
    month_ends: Maybe[At] = None
    missing: Maybe[int] = None
    """How many calls there will be too few."""
    calls_end: Maybe[At] = None
    dropped: Maybe[tuple[str, ...]] = None
    """What there would be no calls for, the least needed first."""


class VendorQuota(Published):
    """A vendor of the hotel: whether it answers, and what of its calls is left."""

    vendor: VendorCode
    locks: int
    answers: Flag
    applications: tuple[Application, ...]
    """None where the cell has other companies, whose calls these are as well."""


class Quotas(Published):
    """The vendors of a hotel, the one with most locks first."""

    property: PropertyId
    vendors: tuple[VendorQuota, ...]


async def quotas(asked: Asked, on: Platform) -> Quotas:
    """Say what each vendor of a hotel may be asked still in its month."""
    place = await property_asked(asked.query.property, asked, on)
    if place not in await properties(store_of(asked, on)):
        raise NotThere("no such property")
    setup = await on.hotels.premises(asked.principal.tenant, place)
    found = await vendor_health(cell_of(on), store_of(asked, on), setup)
    told = tuple(
        VendorQuota(
            vendor=each["vendor"],
            locks=each["locks"],
            answers=each["state"] != "open",
            applications=tuple(shown(Application, of) for of in each["applications"]),
        )
        for each in found
    )
    return Quotas(property=place, vendors=told)


ROUTES: Final = (
    Route(
        method="GET",
        path="/lock/v1/quotas",
        summary="What is left of the calls that vendors may be asked",
        use_case=quotas,
        query=AtPlace,
        answer=Quotas,
        permission=Permission.DEVICE_READ,
    ),
)
