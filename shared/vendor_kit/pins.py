"""PINs: drawn, never derived; long enough, and not one that a stranger would try first."""

from typing import Final

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.ports.ambient import Entropy

SHORTEST, LONGEST = 6, 8
RUNS: Final = ("0123456789012345678", "9876543210987654321")
_BYTES = 8


def draw_pin(entropy: Entropy, digits: int) -> Secret[str]:
    """Draw a PIN: no leading zero, which spreadsheets eat, no run, and no two digits only."""
    if not SHORTEST <= digits <= LONGEST:
        raise InvalidInput("pinDigits", "out of range", f"Give a number from {SHORTEST} to {LONGEST}")
    while too_simple(pin := _number(entropy, digits)):
        pass
    return Secret(pin)


def too_simple(pin: str) -> bool:
    """Say whether locks refuse such a PIN, or strangers guess it."""
    return pin[0] == "0" or len(set(pin)) < 3 or any(pin in run for run in RUNS)


def _number(entropy: Entropy, digits: int) -> str:
    # What is left over above the last whole multiple would favour low numbers: draw again.
    count = 10**digits
    fair = 2 ** (8 * _BYTES) // count * count
    while (drawn := int.from_bytes(entropy.token(_BYTES))) >= fair:
        pass
    return f"{drawn % count:0{digits}d}"
