"""Whatever is sent to the API, it answers as its description says: nothing crashes or is beside it.

Here it is what Hypothesis draws, over sockets. The thousand of each operation are in
`test_conformance_of_walks.py`.
"""

import asyncio
from datetime import timedelta

import pytest
import requests
from hypothesis import HealthCheck, given, settings
from hypothesis.strategies import booleans

from infra.codegen.openapi import described, openapi, operation_id
from shared.domain.permissions import Role
from tests.support.api_desk import stay
from tests.support.examiners import schemathesis
from tests.support.staffed import staffed

NAME = "lock-api"
FEW, MORE = 3, 50
PARTS = 2
"""In so many parts the operations are asked more requests each, for as many workers."""


@pytest.fixture
async def staff(tmp_path):
    async with staffed(tmp_path, lambda base: {}) as opened:
        opened.known = await _booked(opened)
        yield opened


async def _booked(staff):
    """Return the ids of a stay that is there, and of its key."""
    begins = staff.on.clock.now().replace(microsecond=0) + timedelta(days=2)
    first, last = (f"{begins + timedelta(days=each):%Y-%m-%dT%H:%M:%SZ}" for each in (0, 3))
    wanted = stay(reservation="rsv_1", validFrom=first, validUntil=last)
    _, _, booked = await staff.ask("POST", f"/{NAME}/lock/v1/stays", staff.badge(*Role), wanted)
    return {"reservationId": "rsv_1", "keyCredentialId": booked["keys"][0]["id"]}


def operations_of_ours():
    """Return the operations that this function answers."""
    mine = {operation_id(each.route) for each in described() if each.function == NAME}
    found = [each.ok() for each in schemathesis().openapi.from_dict(openapi()).get_all_operations()]
    return [each for each in found if each.definition.raw["operationId"] in mine]


def beyond_the_description():
    """A stay whose rooms or dates can have no key is refused, though it is written as it should be."""
    from schemathesis.specs.openapi.checks import ignored_auth, positive_data_acceptance

    return [positive_data_acceptance, ignored_auth]


def _examined(operation, examples, staff):
    """Send an operation so many requests, and hold each answer to the description."""
    token = staff.badge(*Role, at=None)

    @given(case=operation.as_strategy(), there=booleans())
    @settings(
        max_examples=examples,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=HealthCheck,
    )
    def examine(case, there):
        if there:
            named = {name: staff.known.get(name, at) for name, at in (case.path_parameters or {}).items()}
            case.path_parameters = named
        case.headers = {**(case.headers or {}), "Authorization": f"Bearer {token}"}
        url = f"{staff.url}/{NAME}"
        case.call_and_validate(url, session, excluded_checks=beyond_the_description())

    with _connected() as session:
        examine()


def _connected():
    """Return a connection for many requests, which adds nothing to any of them."""
    session = requests.Session()
    session.headers.clear()
    session.trust_env = False
    return session


async def _all_examined(staff, operations, examples):
    for each in operations:
        await asyncio.to_thread(_examined, each, examples, staff)


async def test_every_operation_answers_as_described(staff):
    operations = operations_of_ours()
    assert len(operations) > 20
    await _all_examined(staff, operations, FEW)


@pytest.mark.soak
@pytest.mark.parametrize("part", range(PARTS))
async def test_every_operation_answers_as_described_to_more_requests(staff, part):
    await _all_examined(staff, operations_of_ours()[part::PARTS], MORE)
