"""Google's emulators for tests: one of each a machine, and a skip by name where it is not installed."""

from contextlib import contextmanager

import pytest

from infra.emulated import installed
from infra.emulated.installed import FIRESTORE, PUBSUB

__all__ = ["FIRESTORE", "PUBSUB", "running"]


@contextmanager
def running(emulator):
    """Yield the address of the machine's one emulator; skip what needs it where it is not installed."""
    if reason := emulator.missing():
        pytest.skip(reason)
    with installed.running(emulator) as address:
        yield address
