"""Real Ed25519 keys for tests of the log: each drawn from its name, the same every day."""

from dataclasses import dataclass
from hashlib import sha256

from nacl.exceptions import BadSignatureError
from nacl.signing import SigningKey, VerifyKey

from shared.audit.checkpoint import cosignature
from shared.audit.notes import SignatureType, VerifierKey, signed


def check(public_key, message, signature):
    """Say whether a signature is good."""
    try:
        VerifyKey(public_key).verify(message, signature)
    except (BadSignatureError, ValueError):
        return False
    return True


@dataclass(frozen=True)
class Notary:
    """Whoever signs: a log, or a witness."""

    name: str
    type: SignatureType = SignatureType.NOTE
    seed: str = ""

    @property
    def _private(self):
        return SigningKey(sha256(f"{self.seed}/{self.name}".encode()).digest())

    @property
    def key(self):
        return VerifierKey(self.name, bytes(self._private.verify_key), self.type)

    def sign(self, message):
        return self._private.sign(message).signature

    def note(self, text):
        return signed(text, self.key, self.sign)

    def cosigned(self, note, time):
        return note.signed_too([cosignature(note.text, time, self.key, self.sign)])


def log(name, seed=""):
    """Return the key of a log."""
    return Notary(name, seed=seed)


def witness(name, seed=""):
    """Return the key of a witness."""
    return Notary(name, SignatureType.COSIGNATURE, seed)


def flipped(blob, bit):
    """Return bytes with one bit turned."""
    changed = bytearray(blob)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def every_flip(blob):
    """Return bytes with each of their bits turned in turn."""
    return (flipped(blob, bit) for bit in range(len(blob) * 8))
