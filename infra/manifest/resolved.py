"""What follows from a descriptor on either platform: who waits how long, and what a function may do."""

from typing import Final

from infra.manifest.load import Function
from infra.manifest.triggers import Subscribing

ABOVE_HANDLER: Final = 10
ABOVE_FUNCTION: Final = 20
QUARANTINE_ROLE: Final = "quarantine"
"""The right to set a message aside: of whatever is pushed to, and of nothing else."""


def function_timeout(function: Function) -> int:
    """Return when the platform ends a request: after the handler has ended itself, so that it can answer."""
    return function.deployable.timeout + ABOVE_HANDLER


def waiting_time(function: Function) -> int:
    """Return how long whoever triggers it waits: longer than it may run, or the call would come twice."""
    return max(function.deployable.timeout + ABOVE_FUNCTION, 15)


def roles_of(function: Function) -> frozenset[str]:
    """Return every role of a function, also those that follow from its trigger."""
    pushed = isinstance(function.deployable.trigger, Subscribing)
    return frozenset((*function.deployable.roles, *((QUARANTINE_ROLE,) if pushed else ())))
