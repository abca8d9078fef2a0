"""When the next account of a vendor is as good as the one that is used, whatever can be asked just now."""

import pytest

from shared.domain.secret import Secret
from shared.ports.lock_causes import LockCause
from shared.usecases.accounts.try_account import _not_good

OLD, NEXT = Secret(b"old"), Secret(b"next")
ALL, SOME, NONE = frozenset({"lck_1", "lck_2"}), frozenset({"lck_1"}), frozenset()


class Trial:
    """What each account sees of two locks that are mapped."""

    def __init__(self, old, following):
        self._seen = {b"old": old, b"next": following}

    async def listed(self, account):
        return self._seen[account.reveal()]

    async def mapped(self):
        return ALL


@pytest.mark.parametrize(
    ("old", "following", "why"),
    [
        (ALL, ALL, None),
        (SOME, SOME, None),
        (ALL, SOME, "other_locks"),
        (ALL, "server_error", "server_error"),
        (LockCause.ACCOUNT_REFUSED, SOME, None),
        (LockCause.ACCOUNT_REFUSED, NONE, "other_locks"),
        (LockCause.TIMEOUT, SOME, "timeout"),
        (LockCause.RATE_LIMITED, NONE, "rate_limited"),
        (LockCause.NO_CONNECTION, ALL, None),
    ],
)
async def test_a_next_account_must_see_what_the_old_one_saw_even_where_that_cannot_be_asked(
    old, following, why
):
    assert await _not_good(Trial(old, following), OLD, NEXT) == why
