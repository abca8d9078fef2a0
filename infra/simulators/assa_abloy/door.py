"""What is true at an Assa Abloy door: whom the lock lets in, by grant, its own clock deciding."""

from dataclasses import dataclass, field
from typing import Any

from infra.simulators.kit.door import Door as KitDoor
from infra.simulators.kit.door import Written
from infra.simulators.kit.windows import Reason

PHONE_KIND = "mobile_app"


@dataclass(slots=True)
class Held:
    """One grant in a lock's memory."""

    kind: str
    credential: str = field(repr=False)
    written: Written
    suspended: bool = False


@dataclass(slots=True, kw_only=True)
class Door(KitDoor):
    """One lock on its door; a phone or a card may be let in by several grants at once."""

    held: dict[str, Held] = field(default_factory=dict, repr=False)
    last_guest: int = 0
    """Of phones with keys that no lock is told of: the last guest who came; keys of earlier ones are void."""

    def tried(self, credential: str, now_ms: int, *, by_phone: bool) -> Reason:
        """Return what the lock says to a phone or a card: one good grant of many opens."""
        own = [each for each in self.held.values() if (each.kind == PHONE_KIND) is by_phone]
        said = [self._said(each, now_ms) for each in own if each.credential == credential]
        if not said:
            return self.verdict(None, now_ms)
        return Reason.OPEN if Reason.OPEN in said else said[0]

    def shown(self, alias: str, now_ms: int, *, heard: bool) -> dict[str, Any]:
        """Return the lock's condition and memory as the control plane shows them."""
        shown, lock_ms = KitDoor.shown(self, alias, now_ms, heard=heard), self.lock_ms(now_ms)
        for grant_id, each in self.held.items():
            if each.kind == PHONE_KIND:
                shown["ekeys"].append({"keyId": grant_id, "holder": each.credential, "listed": True})
            else:
                shown["cards"].append({"number": each.credential, **each.written.shown(lock_ms)})
        return shown

    def _said(self, held: Held, now_ms: int) -> Reason:
        if held.suspended:
            return self.impaired() or Reason.FROZEN
        return self.verdict(held.written, now_ms)
