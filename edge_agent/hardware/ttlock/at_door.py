"""A TTLock's door, of what its installer brought."""

import json
from functools import partial
from zoneinfo import ZoneInfo

from edge_agent.hardware.radio import Opener, Tell
from edge_agent.hardware.ttlock.ble import open_ble
from edge_agent.hardware.ttlock.commands import LockKeys
from edge_agent.hardware.ttlock.door import TtlockDoor
from shared.domain.secret import Secret
from shared.ports.ambient import Clock


def open_door(
    material: Secret[bytes], clock: Clock, zone: ZoneInfo, opener: Opener | None, tell: Tell
) -> TtlockDoor:
    """Return a door; its lock is spoken to when somebody wants something of it."""
    told = json.loads(material.reveal())
    aes, admin, unlock = (Secret(bytes.fromhex(told[name])) for name in ("aes", "admin", "unlock"))
    connect = opener(told["mac"]) if opener else partial(open_ble, told["mac"])
    return TtlockDoor(connect, LockKeys(aes, admin, unlock), clock, zone, tell)
