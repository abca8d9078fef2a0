"""How a contract suite is shown to be able to fail."""

import pytest


async def failure_of(guarantee, setting, arguments=None, *, refusal=AssertionError):
    """Return how a guarantee's test fails on this setting, or None.

    It fails by an assertion, by a refusal that did not come, or by one of the port's own refusals where none
    was due. Anything else would be a mistake in the broken implementation.
    """
    try:
        await guarantee(setting, **(arguments or {}))
    except (AssertionError, pytest.fail.Exception, refusal) as failure:
        return failure
    return None
