"""CRC-32C (Castagnoli): how Google and we tell each other that nothing was bent on the way."""

from typing import Final

_POLYNOMIAL: Final = 0x82F63B78


def _row(byte: int) -> int:
    for _ in range(8):
        byte = byte >> 1 ^ (_POLYNOMIAL if byte & 1 else 0)
    return byte


_TABLE: Final = tuple(_row(byte) for byte in range(256))


def crc32c(data: bytes) -> int:
    """Return the checksum of some bytes."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ crc >> 8
    return crc ^ 0xFFFFFFFF
