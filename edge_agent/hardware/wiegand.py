"""Wiegand formats: a facility and a card number as the bits that a reader sends, with their parities."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


class WiegandRefused(ValueError):
    """Numbers that do not fit a format, or bits that are none of it."""


@dataclass(frozen=True, slots=True)
class Parity:
    """One parity bit: where it stands, which bits it counts, and whether their sum with it is odd."""

    at: int
    over: tuple[int, ...]
    odd: bool

    def bit(self, bits: str) -> str:
        """Return what the bit has to be."""
        ones = sum(bits[n] == "1" for n in self.over)
        return str((ones + self.odd) % 2)


@dataclass(frozen=True, slots=True)
class WiegandFormat:
    """A format: its length, where its two numbers stand, and its parities in the order they are computed."""

    name: str
    length: int
    facility: tuple[int, int] | None
    card: tuple[int, int]
    parities: tuple[Parity, ...]

    def bits(self, card: int, facility: int | None = None) -> str:
        """Return the bits of a card."""
        if (facility is None) != (self.facility is None):
            raise WiegandRefused(f"facility: {self.name} has {'one' if self.facility else 'none'}")
        bits = ["0"] * self.length
        _put(bits, self.card, card, "card")
        if self.facility is not None and facility is not None:
            _put(bits, self.facility, facility, "facility")
        for parity in self.parities:
            bits[parity.at] = parity.bit("".join(bits))
        return "".join(bits)

    def read(self, bits: str) -> tuple[int | None, int]:
        """Return facility and card of some bits, or raise WiegandRefused."""
        if len(bits) != self.length or set(bits) - {"0", "1"}:
            raise WiegandRefused(f"bits: {self.name} has {self.length} of them")
        if any(bits[parity.at] != parity.bit(bits) for parity in self.parities):
            raise WiegandRefused("bits: a parity does not hold: the card was misread")
        facility = None if self.facility is None else int(bits[slice(*self.facility)], 2)
        return facility, int(bits[slice(*self.card)], 2)


def _put(bits: list[str], where: tuple[int, int], value: int, field: str) -> None:
    width = where[1] - where[0]
    if not 0 <= value < 1 << width:
        raise WiegandRefused(f"{field}: outside {width} bits")
    bits[slice(*where)] = f"{value:0{width}b}"


def _halves(length: int, even_over: range, odd_over: range) -> tuple[Parity, ...]:
    return Parity(0, tuple(even_over), odd=False), Parity(length - 1, tuple(odd_over), odd=True)


_THIRDS: Final = (
    Parity(1, tuple(n for n in range(2, 34) if n % 3 != 1), odd=False),
    Parity(34, tuple(n for n in range(1, 33) if n % 3 != 0), odd=True),
    Parity(0, tuple(range(1, 35)), odd=True),
)
FORMATS: Final[Mapping[str, WiegandFormat]] = {
    found.name: found
    for found in (
        WiegandFormat("H10301", 26, (1, 9), (9, 25), _halves(26, range(1, 13), range(13, 25))),
        WiegandFormat("H10306", 34, (1, 17), (17, 33), _halves(34, range(1, 17), range(17, 33))),
        # The middle bit of the 37 counts in both parities.
        WiegandFormat("H10302", 37, None, (1, 36), _halves(37, range(1, 19), range(18, 36))),
        WiegandFormat("H10304", 37, (1, 17), (17, 36), _halves(37, range(1, 19), range(18, 36))),
        WiegandFormat("C1k35s", 35, (2, 14), (14, 34), _THIRDS),
    )
}
PROXIMITY_BITS: Final = 37
"""Bits of a proximity card's number below its marker; a shorter format has a 1 before its first bit."""


def from_proximity(raw: bytes) -> str:
    """Return the bits of a proximity card's raw number, as readers print it."""
    value = int.from_bytes(raw, "big")
    marked = value & (1 << PROXIMITY_BITS) - 1
    if value >> PROXIMITY_BITS != 1 or not marked:
        raise WiegandRefused("raw: not a proximity card's number")
    return f"{marked:b}"[1:]


def to_proximity(bits: str) -> bytes:
    """Return a proximity card's raw number of some bits, under 37 of them."""
    if len(bits) >= PROXIMITY_BITS:
        raise WiegandRefused(f"bits: under {PROXIMITY_BITS} of them")
    return (1 << PROXIMITY_BITS | int(f"1{bits}", 2)).to_bytes(5, "big")
