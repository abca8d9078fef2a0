"""What an event of staff is led back to, in whatever follows from it: its trace, or one of its own."""

import hashlib
import re
from typing import TYPE_CHECKING, Final

from shared.keywork.services import Services
from shared.ledger.key_record import Cause

if TYPE_CHECKING:
    from shared.events.envelope import Event

_TRACE: Final = re.compile("00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


def cause_of(event: "Event") -> Cause:
    """Return what an event sets going is led back to; one without a trace gets a trace of its own."""
    if event.trace_id and _TRACE.fullmatch(event.trace_id):
        return Cause(event.trace_id, event.id)
    digest = hashlib.sha256(event.id.encode()).hexdigest()
    return Cause(f"00-{digest[:32]}-{digest[32:48]}-01", event.id)


def word_of(services: Services) -> Cause:
    """Return what a person's word is led back to."""
    token = services.entropy.token(24).hex()
    return Cause(f"00-{token[:32]}-{token[32:]}-01")
