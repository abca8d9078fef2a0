"""A simulator to call, at the sample hotel or at another."""

import asyncio

import pytest

from infra.simulators.ttlock.hotel import HotelPlan, sample_hotel
from tests.unit.infra.simulators.ttlock.integrator import Integrator


@pytest.fixture
async def sim():
    """A simulator, and an integrator who is signed in."""
    integrator = Integrator()
    await integrator.login()
    return integrator


@pytest.fixture
def hotel():
    """The sample hotel, to be changed at will."""
    return sample_hotel().model_dump(mode="json", by_alias=True)


@pytest.fixture
async def at_a_hotel(hotel):
    """Make a simulator of the changed hotel."""

    async def make(**changes):
        integrator = Integrator(hotel=HotelPlan.model_validate({**hotel, **changes}))
        await integrator.login()
        return integrator

    return make


@pytest.fixture
def settled():
    """Let everything that can run, run."""

    async def settle():
        for _ in range(20):
            await asyncio.sleep(0)

    return settle
