"""What a booking's event says, in our own words; wishes in words that we do not know are passed over."""

from typing import TYPE_CHECKING, Any, Final

from shared.domain.ids import GuestId, PropertyId, RoomId
from shared.domain.kinds import Area, KeyCredentialKind
from shared.domain.scope import AccessScope
from shared.ledger.stay import Amendment, Recency, Stay

if TYPE_CHECKING:
    from shared.events.envelope import Event

_KINDS: Final = frozenset(KeyCredentialKind)
_AREAS: Final = frozenset(Area)


def stay_of(event: "Event") -> Stay:
    """Read a confirmation."""
    data = event.data
    return Stay(
        property_id=PropertyId(data.property_id),
        guest_id=GuestId(data.guest.id),
        rooms=tuple(dict.fromkeys(map(RoomId, data.rooms))),
        start=data.valid_from,
        end=data.valid_until,
        wished=tuple(KeyCredentialKind(kind) for kind in data.preferred_kinds if kind in _KINDS),
        scope=_scope(data.scope),
        payment=data.payment_status,
        party=data.party_size,
        locale=data.guest.locale,
    )


def amendment_of(event: "Event") -> Amendment:
    """Read a change of dates or rooms; what it does not speak of stays as it is."""
    data = event.data
    rooms = None if data.rooms is None else tuple(dict.fromkeys(map(RoomId, data.rooms)))
    recency = Recency(data.version, event.time)
    return Amendment(recency=recency, rooms=rooms, start=data.valid_from, end=data.valid_until)


def _scope(wanted: Any) -> AccessScope:
    if wanted is None:
        return AccessScope()
    areas = tuple(Area(area) for area in wanted.areas if area in _AREAS)
    return AccessScope(floors=tuple(wanted.floors), areas=areas)
