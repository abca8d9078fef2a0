"""A witness at the locks: whenever the ledger says that a key is there or gone, somebody goes and looks."""

from collections.abc import Callable, Iterable

from shared.domain.grant import name_at_vendor
from tests.chaos.small_world.scene import KeyAtDoor

NOT_FOR_THE_LOCK_TO_SAY = ("lapsed", "closed_by_staff")


class Witness:
    """Notes every commit that says of a lock what is not so at that moment."""

    def __init__(self, look: Callable[[], Iterable[KeyAtDoor]]):
        self._look, self._seen = look, {}
        self.protests: list[str] = []

    def read(self, ref, data):
        """Read what is being committed."""
        if ref.collection != "grants" or data["grant"]["version"] == self._seen.get(ref.id):
            return
        grant, state = data["grant"], data["grant"]["state"]
        self._seen[ref.id] = grant["version"]
        said = None if _in_doubt(data) else _said(state)
        if said is not None and said != self._is_there(grant):
            self.protests.append(f"{ref.id} becomes {state['type']}, and the lock says otherwise")

    def _is_there(self, grant):
        place = grant["device_id"], name_at_vendor(grant["vendor_key"])
        return any((key.device, key.name) == place for key in self._look())


def _in_doubt(data):
    """Whether the ledger itself says that it does not know how a key stands: its wish is another."""
    state = data["grant"]["state"]["type"]
    if state == "resting":
        # It is being woken, and of some call nobody knows yet what it did.
        return data.get("wish") == "open" and data.get("busy_until") is not None
    return state == "placed" and data.get("standing") is None


def _said(state):
    """Return what a grant's state says of its lock; most say nothing."""
    if state["type"] == "removed":
        return None if state["proof"] in NOT_FOR_THE_LOCK_TO_SAY else False
    return {"placed": True, "resting": False}.get(state["type"])
