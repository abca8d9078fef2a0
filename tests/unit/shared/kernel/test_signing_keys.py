"""Published keys as they are read: what we can use is used, and the rest is passed over."""

import json

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from shared.domain.sign_in import SigningAlgorithm
from shared.kernel.signing_keys import MOST_KEYS, UnreadableKeys, read_keys
from tests.support.idp import Signer, encoded


def _read(*keys):
    return read_keys(json.dumps({"keys": keys}).encode())


@pytest.fixture(scope="module")
def signers():
    return {each: Signer(each, f"kid-{each}") for each in SigningAlgorithm}


@pytest.mark.parametrize("algorithm", SigningAlgorithm)
def test_a_key_verifies_what_it_signed_and_nothing_else(signers, algorithm):
    signer = signers[algorithm]
    key = _read(*(each.published() for each in signers.values()))[signer.kid]
    signature = signer.sign(b"text")
    assert key.verifies(algorithm, b"text", signature)
    assert not key.verifies(algorithm, b"other", signature)
    assert not key.verifies(algorithm, b"text", signature[:-1])
    assert not key.verifies(algorithm, b"text", b"")
    assert not any(key.verifies(other, b"text", signature) for other in ("none", "HS256", "RS384"))
    for other in signers.values():
        if other is not signer:
            assert not key.verifies(algorithm, b"text", other.sign(b"text"))


@pytest.mark.parametrize(
    "change",
    [
        {"use": "enc"},
        {"alg": "RS512"},
        {"kty": "oct"},
        {"kty": None},
        {"n": "AQ"},
        {"n": "*"},
        {"n": 7},
        {"e": ""},
        {"e": "Ag"},
    ],
)
def test_a_key_that_cannot_be_used_is_passed_over(signers, change):
    told = {**signers["RS256"].published(), **change}
    assert _read(told, signers["ES256"].published()).keys() == {"kid-ES256"}


def test_a_point_that_is_not_on_the_curve_is_passed_over(signers):
    assert _read({**signers["ES256"].published(), "x": encoded(b"\1" * 32)}) == {}
    assert _read({**signers["ES256"].published(), "x": encoded(b"\1" * 31)}) == {}
    assert _read({**signers["EdDSA"].published(), "x": encoded(b"\1" * 31)}) == {}


def test_a_short_rsa_key_is_passed_over(signers):
    n = rsa.generate_private_key(65537, 1024).public_key().public_numbers().n
    assert _read({**signers["RS256"].published(), "n": encoded(n.to_bytes(128))}) == {}


def test_a_key_without_a_name_is_passed_over(signers):
    for kid in (None, 7, ["kid"]):
        assert _read({**signers["EdDSA"].published(), "kid": kid}) == {}


@pytest.mark.parametrize(
    "document", [b"", b"<html>", b"[]", b"{}", b'{"keys": {}}', b"\xff", b"[" * 100_000, b'{"keys": 7}']
)
def test_what_is_no_key_set_is_refused(document):
    with pytest.raises(UnreadableKeys):
        read_keys(document)


def test_more_keys_than_anybody_has_are_refused():
    with pytest.raises(UnreadableKeys):
        _read(*[{}] * (MOST_KEYS + 1))
    assert _read(*[{}] * MOST_KEYS, *[]) == {}
