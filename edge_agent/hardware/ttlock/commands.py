"""TTLock commands: what is asked of a lock, and what its answers mean.

An answer is `command echoed | 01 ok or 00 failed | data, or an error`. Dates are one byte a field, each
its plain number (2026 is 1A), on the lock's own clock, which has no zone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import IntEnum
from typing import Final

from edge_agent.hardware.errors import DeviceRefused, HardwareError, NoAnswer, PinTaken
from shared.domain.secret import Secret


class Command(IntEnum):
    """The commands we use."""

    FEATURES = 0x01
    PASSCODE = 0x03
    CARD = 0x05
    STATE = 0x14
    PROVE = 0x30
    READ_CLOCK = 0x34
    CHECK_ADMIN = 0x41
    SET_CLOCK = 0x43
    INIT = 0x45
    UNLOCK = 0x47
    ANSWER = 0x54
    CHECK_USER = 0x55


ADD, DELETE = 2, 3
PERMANENT, PERIOD = 1, 3
SHORTEST_CODE, LONGEST_CODE = 4, 9
STATE_WORD: Final = b"SCIENER"
TELL_BATTERY: Final = frozenset({Command.PASSCODE, Command.CARD, Command.STATE})
"""Commands whose answers begin with the battery."""
FOR_EVER: Final = bytes([0, 1, 31, 14, 0])
"""A permanent passcode's start: some day of the year 2000."""
MEANINGS: Final[Mapping[int, str]] = {
    0x00: "lock was reset",
    0x01: "CRC error",
    0x02: "no permission",
    0x03: "wrong admin code",
    0x04: "lack of storage",
    0x05: "in setting mode",
    0x06: "no admin",
    0x07: "not in setting mode",
    0x08: "wrong proof",
    0x0A: "no power",
    0x0B: "reset passcode",
    0x0C: "update passcode index",
    0x0D: "invalid flag position",
    0x0E: "key expired",
    0x0F: "passcode length invalid",
    0x10: "same passcodes",
    0x11: "key not yet active",
    0x12: "not logged in",
    0x13: "fail",
    0x14: "passcode exists",
    0x15: "passcode does not exist",
    0x16: "no storage for passcodes",
    0x17: "invalid parameter length",
    0x18: "card does not exist",
    0x19: "duplicate fingerprint",
    0x1A: "fingerprint does not exist",
    0x1B: "invalid command",
    0x1C: "frozen",
    0x1D: "invalid client parameter",
    0x1E: "lock is locked",
    0x1F: "record does not exist",
}


class LockRefused(DeviceRefused):
    """The lock answered that it will not."""


class PasscodeTaken(PinTaken, LockRefused):
    """The lock has this passcode already, for whatever window."""


class NothingThere(LockRefused):
    """What was to be taken away is not there."""

    kind = "not_found"


class LockFull(LockRefused):
    """The lock holds no more."""

    kind = "memory_full"
    permanent = True


_RAISED: Final[Mapping[int, type[LockRefused]]] = {
    0x04: LockFull,
    0x10: PasscodeTaken,
    0x14: PasscodeTaken,
    0x15: NothingThere,
    0x16: LockFull,
    0x18: NothingThere,
}


@dataclass(frozen=True, slots=True)
class LockKeys:
    """What opens a lock to its admin: the cipher's key, the admin's word, and the number that proofs add."""

    aes: Secret[bytes]
    admin: Secret[bytes]
    unlock: Secret[bytes]
    flag: int = 0
    user: int = 0

    def __post_init__(self) -> None:
        sizes = (len(self.aes.reveal()), len(self.admin.reveal()), len(self.unlock.reveal()))
        if sizes != (16, 4, 4):
            raise ValueError("keys: 16, 4 and 4 bytes, as the lock gave them at pairing")


@dataclass(frozen=True, slots=True)
class Validity:
    """From when to when, on the lock's wall clock."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.start.tzinfo or self.end.tzinfo:
            raise ValueError("validity: give the lock's wall-clock times, without a zone")
        if self.end <= self.start:
            raise ValueError("validity: its end is not after its start")

    def __bytes__(self) -> bytes:
        # A window is never cut: its start is rounded down to a minute and its end up.
        whole = self.end.replace(second=0, microsecond=0)
        end = whole if whole == self.end else whole + timedelta(minutes=1)
        return minute(self.start) + minute(end)


def minute(local: datetime) -> bytes:
    """Return a time as a lock writes it, to the minute."""
    if not 2000 <= local.year < 2256:
        raise ValueError("time: outside what a lock can hold")
    return bytes([local.year - 2000, local.month, local.day, local.hour, local.minute])


def check_admin(keys: LockKeys) -> bytes:
    """Return what tells the lock that its admin is here."""
    return keys.admin.reveal() + keys.flag.to_bytes(3, "big") + keys.user.to_bytes(4, "big")


def check_user(validity: Validity, keys: LockKeys) -> bytes:
    """Return what tells the lock that a key of ours is valid; the lock believes the window."""
    return bytes(validity) + keys.flag.to_bytes(3, "big") + keys.user.to_bytes(4, "big")


def proof(challenge: bytes, keys: LockKeys) -> bytes:
    """Return the answer to a lock's random number."""
    total = int.from_bytes(challenge, "big") + int.from_bytes(keys.unlock.reveal(), "big")
    return (total & 0xFFFFFFFF).to_bytes(4, "big")


def add_passcode(code: Secret[str], validity: Validity | None) -> bytes:
    """Return what adds a passcode, for a window or for ever."""
    kind, window = (PERMANENT, FOR_EVER) if validity is None else (PERIOD, bytes(validity))
    return bytes([ADD, kind]) + _digits(code) + window


def delete_passcode(code: Secret[str], *, permanent: bool = False) -> bytes:
    """Return what takes a passcode away."""
    return bytes([DELETE, PERMANENT if permanent else PERIOD]) + _digits(code)


def add_card(number: bytes, validity: Validity) -> bytes:
    """Return what adds a card by its number."""
    return bytes([ADD]) + _card(number) + bytes(validity)


def delete_card(number: bytes) -> bytes:
    """Return what takes a card away."""
    return bytes([DELETE]) + _card(number)


def set_clock(local: datetime) -> bytes:
    """Return what sets the lock's clock."""
    return minute(local) + bytes([local.second])


def answered(plaintext: bytes, command: int) -> bytes:
    """Return an answer's data, or raise what its error says."""
    if len(plaintext) < 2 or plaintext[0] != command:
        raise NoAnswer("the lock answered another question")
    if plaintext[1] == 1:
        return plaintext[2:]
    code = plaintext[2] if len(plaintext) > 2 else 0x13
    raised: type[HardwareError] = _RAISED.get(code, LockRefused)
    raise raised(f"the lock says: {MEANINGS.get(code, 'unknown error')}", str(code))


def challenge_of(data: bytes) -> bytes:
    """Return the random number in an answer to CHECK_ADMIN or CHECK_USER."""
    if len(data) < 4:
        raise NoAnswer("the lock's random number is cut short")
    return data[:4]


def clock_of(data: bytes) -> datetime:
    """Return the lock's wall clock."""
    try:
        year, *rest = data[:6]
        return datetime(2000 + year, *rest)  # type: ignore[arg-type]  # noqa: DTZ001 - a lock has no zone
    except (TypeError, ValueError):
        raise NoAnswer("the lock's clock shows no time") from None


def battery_of(data: bytes) -> int:
    """Return the percentage that begins most answers."""
    if not data or data[0] > 100:
        raise NoAnswer("the lock does not tell its battery")
    return data[0]


def _digits(code: Secret[str]) -> bytes:
    digits = code.reveal()
    if not SHORTEST_CODE <= len(digits) <= LONGEST_CODE or not (digits.isascii() and digits.isdigit()):
        raise ValueError(f"passcode: {SHORTEST_CODE} to {LONGEST_CODE} digits")
    return bytes([len(digits)]) + digits.encode()


def _card(number: bytes) -> bytes:
    if not 0 < len(number) <= 8:
        raise ValueError("card: a UID of up to eight bytes")
    return number.rjust(4 if len(number) <= 4 else 8, b"\x00")
