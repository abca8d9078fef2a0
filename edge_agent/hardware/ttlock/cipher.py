"""The cipher of a TTLock: AES-128-CBC with the key as its own IV, and PKCS#7 padding."""

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

from edge_agent.hardware.errors import NoAnswer
from shared.domain.secret import Secret

BLOCK_BITS = 128


def encrypt(key: Secret[bytes], plaintext: bytes) -> bytes:
    """Return ciphertext; a command without data stays without."""
    if not plaintext:
        return b""
    padder = PKCS7(BLOCK_BITS).padder()
    encryptor = _cipher(key).encryptor()
    padded: bytes = padder.update(plaintext) + padder.finalize()
    return bytes(encryptor.update(padded) + encryptor.finalize())


def decrypt(key: Secret[bytes], ciphertext: bytes) -> bytes:
    """Return plaintext, or raise NoAnswer where it was made with another key."""
    if not ciphertext:
        return b""
    decryptor, unpadder = _cipher(key).decryptor(), PKCS7(BLOCK_BITS).unpadder()
    try:
        padded = decryptor.update(ciphertext) + decryptor.finalize()
        return bytes(unpadder.update(padded) + unpadder.finalize())
    except ValueError:
        raise NoAnswer("the lock's answer does not open with its key: was it paired anew?") from None


def _cipher(key: Secret[bytes]) -> Cipher[modes.CBC]:
    material = key.reveal()
    return Cipher(algorithms.AES(material), modes.CBC(material))
