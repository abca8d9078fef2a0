"""A property that a caller asks about, as it is set up."""

from typing import TYPE_CHECKING

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId
from shared.runtime.asked import Asked
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere

if TYPE_CHECKING:  # whoever asks for none need not load it
    from shared.ledger.hotel_directory import HotelSetup


async def setup_at(place: PropertyId, asked: Asked, on: Platform) -> "HotelSetup":
    """Return how a property is set up, as is remembered for some seconds; one that is not is not there."""
    try:
        return await on.hotels.premises(asked.principal.tenant, place)
    except InvalidInput:
        raise NotThere("no such property") from None
