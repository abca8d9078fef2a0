"""What people are told, asked as they ask: which locks keep something, and whose guests lack a key."""

from tests.soak.outside.house import Silent
from tests.support.sample_hotel import DOORS, device_at

LOCK_OF = {device_at(door): int(lock) for door, lock in DOORS.items()}
UNMADE = ("requested", "pending")


class Told:
    """The answers of one moment."""

    def __init__(self, house):
        self._house = house
        residues = house.get("residues")["residues"]
        self.facts = house.get("attention")
        self.locks = {LOCK_OF[each["device"]] for each in residues}
        failed = {each["reservation"] for each in house.get("failed")["failed"]}
        self._stays = {*failed, *self.facts["keyless_stays"]}
        self._keys = {*self.facts["keys_at_the_door"], *self.facts["lost_keys"]}

    def of_lock(self, lock):
        """Say whether people are told that this very lock keeps something, and that one does at all."""
        counted = self.facts["residual_locks"] or self.facts["strange_keys"]
        return lock in self.locks and bool(counted)

    def of_stay(self, stay, *, in_time=False):
        """Say whether people are told of this very stay; one that is `in_time` may be at work still."""
        if stay in self._stays:
            return True
        try:
            keys = self._house.get("stays", stay)["keys"]
        except Silent:
            return False  # its booking is known to nobody
        named = any(each["id"] in self._keys for each in keys)
        return named or (in_time and any(each["state"] in UNMADE for each in keys))
