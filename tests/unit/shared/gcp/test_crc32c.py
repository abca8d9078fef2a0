"""The checksum that Google's services speak: the published vectors."""

import pytest

from shared.gcp.crc32c import crc32c

# RFC 3720, appendix B.4, and the check value of the Castagnoli polynomial.
VECTORS = {
    b"": 0,
    b"123456789": 0xE3069283,
    bytes(32): 0x8A9136AA,
    b"\xff" * 32: 0x62A8AB43,
    bytes(range(32)): 0x46DD794E,
    bytes(reversed(range(32))): 0x113FDB5C,
}


@pytest.mark.parametrize(("data", "checksum"), VECTORS.items())
def test_published_vectors_are_met(data, checksum):
    assert crc32c(data) == checksum
