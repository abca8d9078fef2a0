"""Which custom passcodes a lock takes."""

from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.errors import Refused

SHORTEST, LONGEST = 4, 9
RUNS = ("0123456789", "9876543210")


def refuse_unsuitable(code: str) -> None:
    """Refuse a code of the wrong length, of other signs than digits, or too simple to be one."""
    if not (code.isascii() and code.isdigit() and SHORTEST <= len(code) <= LONGEST):
        raise Refused(-3006)
    if len(set(code)) == 1 or any(code in run for run in RUNS):
        raise Refused(-2032)


def refuse_duplicate(cloud: Cloud, lock_id: int, code: str) -> None:
    """Refuse a code that the cloud lists for the lock already, even an expired one."""
    if any(row.code == code for row in cloud.passcodes.of(lock_id)):
        raise Refused(-3007)
