"""Every key at a lock, whoever made it: listed kind by kind, and removed one by one, by its number.

A key of ours is tended by its name, which no other has. One that somebody else made may share its name with
others that are to stay, so it goes by its number, and only while the list has that number under that name.
"""

from collections.abc import Mapping, Sequence
from functools import partial

from shared.domain.ids import LockDeviceId
from shared.domain.kinds import KeyCredentialKind
from shared.domain.premises import LockDevice
from shared.ports.listed_keys import KeyList, ListedKey
from shared.ports.lock import LockKey
from shared.vendor_kit.api_client import VendorApi
from shared.vendor_kit.asks import KindEndpoints, NamedRow
from shared.vendor_kit.grids import EPOCH
from shared.vendor_kit.key_sync import KeySync
from shared.vendor_kit.rate import Urgency
from shared.vendor_kit.refusals import Unreadable


async def keys_at(
    device: LockDevice, kinds: Mapping[KeyCredentialKind, KindEndpoints], api: VendorApi
) -> KeyList:
    """Return every key at a lock, of each kind that it can hold and the vendor lists."""
    listed, found = set[KeyCredentialKind](), list[ListedKey]()
    for kind, endpoints in kinds.items():
        if endpoints.all_keys is not None and device.capabilities.supports(kind):
            rows = await api.whole(partial(endpoints.all_keys, device.vendor_device), Urgency.POLL)
            found += [_listed(kind, endpoints, each) for each in rows]
            listed.add(kind)
    return KeyList(frozenset(listed), tuple(found))


def as_lock_key(device_id: LockDeviceId, key: ListedKey) -> LockKey:
    """Return a listed key as the one that is to be tended at its lock."""
    return LockKey(
        device_id=device_id,
        kind=key.kind,
        name=key.name,
        valid_from=key.valid_from,
        valid_until=key.valid_until or key.valid_from,
        idempotency_key="",
        vendor_ref=key.vendor_ref,
    )


async def remove_by_number(sync: KeySync) -> None:
    """Delete the key of this number and name, and believe only a list without it."""
    if not await _here(sync):
        return
    assert sync.key.vendor_ref is not None  # noqa: S101 - whatever is listed has a number
    await sync.ask(sync.kind.deleting(sync.lock, sync.key.vendor_ref), Urgency.REVOKE)
    if await _here(sync):
        raise Unreadable("what was deleted is still listed")


async def _here(sync: KeySync) -> bool:
    rows: Sequence[NamedRow] = ()
    if sync.kind.all_keys is not None:
        rows = await sync.api.whole(partial(sync.kind.all_keys, sync.lock), Urgency.REVOKE, sync.turn)
    wanted = (sync.key.vendor_ref, sync.key.name)
    return any((each.row.ref, each.name) == wanted for each in rows)


def _listed(kind: KeyCredentialKind, endpoints: KindEndpoints, found: NamedRow) -> ListedKey:
    end = found.row.bounds.end
    return ListedKey(
        kind=kind,
        name=found.name,
        vendor_ref=found.row.ref,
        valid_from=found.row.bounds.start,
        valid_until=end if endpoints.windowed and end > EPOCH else None,
        resting=found.row.frozen,
        lasting=endpoints.lasting,
    )
