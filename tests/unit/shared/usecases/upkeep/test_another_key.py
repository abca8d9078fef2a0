"""A key beside another, or in its place, opens for no longer than the other was to."""

from dataclasses import replace

import pytest

from shared.domain.ids import KeyCredentialId
from shared.domain.kinds import SetRole
from shared.keywork.orders import Order
from shared.usecases.upkeep.another_key import AnotherKey, request_beside

AFTER = {
    (SetRole.FIRST, SetRole.REPLACEMENT): SetRole.REPLACEMENT,
    (SetRole.FIRST, SetRole.ONE_SHOT): SetRole.ONE_SHOT,
    (SetRole.COPY, SetRole.REPLACEMENT): SetRole.REPLACEMENT,
    # A lock refuses its PIN when it wakes: the one in its place does not follow the stay either.
    (SetRole.ONE_SHOT, SetRole.REPLACEMENT): SetRole.ONE_SHOT,
}


@pytest.mark.parametrize(("roles", "role"), AFTER.items(), ids=[" ".join(each) for each in AFTER])
async def test_key_in_the_place_of_one_that_opens_once_opens_once(books, roles, role):
    before, wanted = roles
    entry, _ = books.requested()
    core = replace(entry.credential.core, role=before)
    entry = replace(entry, credential=replace(entry.credential, core=core))
    id_ = KeyCredentialId.mint(books.ids.ulid())
    change = request_beside(entry, AnotherKey(id_, wanted, core.plan), Order(entry.cause, books.clock.now()))
    assert change.entry.credential.core.role is role
