"""Messages that were just published, as they are pushed: nobody need read them back and open them.

What is pushed once more, was left by an earlier process, or made room for others is read from the disk.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from infra.local.bus.rows import Route, StoredMessage

MOST_FRESH: Final = 256
"""Deliveries: a long backlog costs no memory, and what guests are told does not gather here."""
LARGEST_FRESH: Final = 64 * 1024
"""Bytes: what is larger is read back, for of the largest that may be published 256 fill a machine."""


class Fresh:
    """What each subscription is to be pushed first, until it is."""

    def __init__(self) -> None:
        self._shown: OrderedDict[tuple[str, int], StoredMessage] = OrderedDict()

    def keep(self, message: StoredMessage, identity: int, routes: Sequence[Route]) -> None:
        """Keep a message for its first pushes; what has waited longest makes room."""
        if len(message.payload) > LARGEST_FRESH:
            return
        for route in routes:
            self._shown[route.subscription, identity] = message
        while len(self._shown) > MOST_FRESH:
            self._shown.popitem(last=False)

    def take(self, subscription: str, identity: int) -> StoredMessage | None:
        """Return a message for its first push, and keep it no longer."""
        return self._shown.pop((subscription, identity), None)
