"""What an alert is about, as people at the hotel call it: its house, rooms, and each lock that it names."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from shared.domain.core import Guest
from shared.domain.ids import RoomId
from shared.ledger.kept_alerts import KeptAlert
from shared.ledger.reservation import ref_of, reservation_from
from shared.ports.documents import Ref, TenantDocuments
from shared.queries.keys import key_of

_NAMED: Final = re.compile(r"\b(?:lck|rmu|ppt)_\w+")
_KEPT_IN: Final[Mapping[str, tuple[str, str]]] = {
    "lck": ("devices", "label"),
    "rmu": ("rooms", "label"),
    "ppt": ("properties", "name"),
}
"""Where what is named so is kept, and what of it people call it by."""


Names = dict[str, str | None]
"""What things are called that were looked up already."""


async def named(alert: KeptAlert, store: TenantDocuments, called: Names) -> dict[str, Any]:
    """Return an alert's house and rooms, as far as they are known, and what all that it names is called."""
    house, rooms = await _place(alert, store)
    texts = (alert.device, alert.because, alert.remedy, alert.message, house, *rooms)
    ids = dict.fromkeys(id_ for text in texts if text for id_ in _NAMED.findall(text))
    for id_ in ids.keys() - called.keys():
        called[id_] = await _name(id_, store)
    names = {id_: name for id_ in ids if (name := called[id_])}
    return {"property": house, "rooms": list(rooms), "names": names}


async def _place(alert: KeptAlert, store: TenantDocuments) -> tuple[str | None, Sequence[RoomId]]:
    key = None if alert.key is None else await key_of(store, alert.key)
    if key is not None:
        core = key.credential.core
        return str(core.property_id), core.rooms if isinstance(core.holder, Guest) else ()
    found = None if alert.reservation is None else await store.get(ref_of(alert.reservation))
    stay = None if found is None else reservation_from(found).stay
    if stay is not None:
        return str(stay.property_id), stay.rooms
    lock = None if alert.device is None else await store.get(Ref("devices", alert.device))
    return (None, ()) if lock is None else (str(lock.data["property_id"]), ())


async def _name(id_: str, store: TenantDocuments) -> str | None:
    collection, field = _KEPT_IN[id_.partition("_")[0]]
    found = await store.get(Ref(collection, id_))
    return None if found is None else str(found.data.get(field) or "") or None
