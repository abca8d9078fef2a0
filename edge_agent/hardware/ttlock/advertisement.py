"""What a TTLock tells everybody by radio: who it is, how it stands, and its battery.

Bluetooth takes the first two bytes of the lock's own data for a company's number, so they are put back
first. A newer layout begins with other bytes and has its protocol at 4, its scene at 7.
"""

from dataclasses import dataclass
from typing import Final

FIRST_LAYOUT: Final = b"\x05\x03"
UPDATING: Final = (b"\x12\x19", b"\xff\xff")
"""A lock that waits for new firmware tells nothing else."""
MAC: Final = 6
UNLOCKED, NEW_RECORDS, SETTING, DORMANT = 0x01, 0x02, 0x04, 0x10


@dataclass(frozen=True, slots=True)
class LockAdvertisement:
    """How a lock stands; `unlocked` is unknown while it sleeps."""

    mac: str
    protocol: tuple[int, int]
    scene: int
    unlocked: bool | None
    new_records: bool
    setting: bool
    battery: int

    @property
    def dormant(self) -> bool:
        """The lock sleeps: touch its keypad, then connect."""
        return self.unlocked is None


def advertisement(company: int, payload: bytes) -> LockAdvertisement | None:
    """Read manufacturer data as Bluetooth hands it over; None is not a lock that tells its state."""
    data = company.to_bytes(2, "little") + payload
    if data[:2] in UPDATING:
        return None
    protocol_at, scene_at = (0, 2) if data[:2] == FIRST_LAYOUT else (4, 7)
    if len(data) < scene_at + 3 + MAC:
        return None
    scene, flags, battery = data[scene_at : scene_at + 3]
    return LockAdvertisement(
        mac=":".join(f"{byte:02X}" for byte in reversed(data[-MAC:])),
        protocol=(data[protocol_at], data[protocol_at + 1]),
        scene=scene,
        unlocked=None if flags & DORMANT else bool(flags & UNLOCKED),
        new_records=bool(flags & NEW_RECORDS),
        setting=bool(flags & SETTING),
        battery=battery,
    )


def suffix_matches(name: str, mac: str) -> bool:
    """Say whether a name ends as this lock's does: the only identity where the system hides addresses."""
    ending = "".join(reversed(mac.split(":")[-3:])).lower()
    return name.lower().endswith(ending)
