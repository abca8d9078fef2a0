"""A cell for every test that asks for one."""

import pytest

from tests.support.audit_house import audit_house


@pytest.fixture
async def house(tmp_path):
    """Return a cell with a tenant whose log was never begun."""
    async with audit_house(tmp_path) as house:
        yield house
