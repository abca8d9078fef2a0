"""Notes what went over the wire: which operation was asked for, and the code of its answer, if any."""

from collections.abc import Iterator
from contextlib import contextmanager

from shared.ports.ambient import Clock
from shared.ports.exchanges import YES, Exchange, note
from shared.vendor_kit.refusals import SILENCE, VendorRefused


@contextmanager
def noted(asked: str, clock: Clock) -> Iterator[None]:
    """Note one request, and what came of it, for whoever overhears."""
    answer = "broken off"
    try:
        yield
        answer = YES
    except VendorRefused as refused:
        answer = refused.code
        raise
    except tuple(SILENCE) as silence:
        answer = SILENCE[type(silence)]
        raise
    finally:
        note(Exchange(clock.now(), asked, answer))
