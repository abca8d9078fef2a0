"""The embedded bus keeps every promise of the contract."""

from tests.contract.bus.suite import BusContract


class TestEmbeddedBus(BusContract):
    """The bus on SQLite."""
