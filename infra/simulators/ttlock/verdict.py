"""Why a door opens or stays shut, and the judgement of a window by the lock's own clock."""

from enum import StrEnum

from infra.simulators.ttlock.window import Window


class Reason(StrEnum):
    """What a door has to say about an attempt."""

    OPEN = "open"
    NOT_YET_VALID = "not_yet_valid"
    EXPIRED = "expired"
    OUTSIDE_HOURS = "outside_hours"
    NOT_USED_IN_TIME = "not_used_in_time"
    USED_UP = "used_up"
    DELETED = "deleted"
    FROZEN = "frozen"
    NEVER_WRITTEN = "never_written"
    NO_POWER = "no_power"
    UNKNOWN = "unknown"


def judge(window: Window, lock_ms: int) -> Reason:
    """Return whether a lock whose clock shows this instant honours a window."""
    if lock_ms < window.start:
        return Reason.NOT_YET_VALID
    if window.end and lock_ms >= window.end:
        return Reason.EXPIRED
    return Reason.OPEN
