"""Notes what went over the wire: which operation was asked for, and the code of its answer, if any."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Final

from shared.kernel.spans import span
from shared.ports.ambient import Clock
from shared.ports.exchanges import YES, Exchange, note
from shared.vendor_kit.refusals import SILENCE, VendorRefused

MILLISECOND: Final = timedelta(milliseconds=1)


@contextmanager
def record_exchange(asked: str, clock: Clock) -> Iterator[None]:
    """Note one request, and what came of it, for whoever overhears."""
    answer, began = "broken off", clock.now()
    try:
        with span(f"vendor {asked}"):
            yield
        answer = YES
    except VendorRefused as refused:
        answer = refused.code
        raise
    except tuple(SILENCE) as silence:
        answer = SILENCE[type(silence)]
        raise
    finally:
        now = clock.now()
        note(Exchange(now, asked, answer, round((now - began) / MILLISECOND)))
