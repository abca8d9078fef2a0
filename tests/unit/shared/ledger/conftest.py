"""A ledger for every test that asks for one."""

import pytest

from tests.support.ledger_books import Books


@pytest.fixture
async def books(tmp_path):
    """One tenant's ledger on the embedded store."""
    async with Books(tmp_path) as books:
        yield books
