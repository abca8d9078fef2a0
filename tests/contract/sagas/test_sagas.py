"""The embedded sagas keep every promise of the contract."""

from tests.contract.sagas.suite import SagasContract


class TestEmbeddedSagas(SagasContract):
    """Executions on SQLite."""
