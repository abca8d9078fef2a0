"""Secrets and a cipher in memory: it hides nothing from an attacker, and refuses what a real one would."""

import base64
import hashlib

from shared.domain.secret import Secret
from shared.ports.vault import PurposeRefused, SealBroken, SecretMissing, SecretVersion, blind_index
from shared.runtime.platform import deployed
from tests.chaos.small_world.documents import Unavailable
from tests.chaos.small_world.fate import Air

MAGIC, DIGEST = b"kfm1", 16
VEIL = bytes(byte ^ 0x5A for byte in range(256))


class MemorySecrets:
    """Named secrets with numbered versions."""

    def __init__(self, air: Air):
        self._air, self._kept = air, {}

    async def latest(self, secret):
        """Return the newest version that is not destroyed."""
        await self._air.passes("secrets.latest")
        if self._air.weather.strikes("unread"):
            raise Unavailable("the secrets cannot be read just now")
        standing = {
            number: value for number, value in self._kept.get(secret, {}).items() if value is not None
        }
        if not standing:
            raise SecretMissing(f"no such version of secret {secret!r}")
        return SecretVersion(max(standing), standing[max(standing)])

    async def version(self, secret, version):
        """Return one version."""
        value = self._kept.get(secret, {}).get(version)
        if value is None:
            raise SecretMissing(f"no such version of secret {secret!r}")
        return SecretVersion(version, value)

    async def add(self, secret, value):
        """Add a version and return its number."""
        return self.keep(secret, value)

    def keep(self, secret, value):
        """Add a version at once."""
        versions = self._kept.setdefault(secret, {})
        versions[len(versions) + 1] = value
        return len(versions)

    async def destroy(self, secret, version):
        """Make one version unreadable for ever."""
        if self._kept.get(secret, {}).get(version) is None:
            raise SecretMissing(f"no such version of secret {secret!r}")
        self._kept[secret][version] = None


class MemoryCipher:
    """Bound to purpose, tenant, record and field, and held to what its caller's descriptor names."""

    async def seal(self, context, plaintext):
        """Return sealed bytes."""
        veiled = plaintext.reveal().translate(VEIL)
        return MAGIC + _proof(context, veiled) + veiled

    async def open(self, context, sealed):
        """Return the plaintext."""
        function = deployed.get(None)
        if function is not None and context.purpose not in function.opens:
            raise PurposeRefused(f"{function.name} may not open {context.purpose}")
        start = len(MAGIC) + DIGEST
        veiled = sealed[start:]
        if sealed[:start] != MAGIC + _proof(context, veiled):
            raise SealBroken("altered, or of another context")
        return Secret(veiled.translate(VEIL))

    async def index(self, context, value):
        """Return the one blind index there is."""
        return (blind_index(Secret(MAGIC), context, value),)


def _proof(context, veiled):
    parts = (context.purpose, context.tenant, context.record, context.field)
    key = hashlib.blake2b("\x00".join(parts).encode(), digest_size=32).digest()
    return hashlib.blake2b(veiled, digest_size=DIGEST, key=key).digest()


def opened_pins(shelf):
    """Return the sealed PINs, by credential, kind and try; None for a card's. Only a judge may do this."""
    rows = {
        id_: row
        for (_, name), rows in shelf.rows.items()
        if name == "key_secrets"
        for id_, row in rows.items()
    }
    return {_name(id_): _unveiled(row.values["artifact"]) for id_, row in rows.items()}


def _name(id_):
    credential, kind, number = id_.split(".")
    return credential, kind, int(number)


def _unveiled(text):
    return text and base64.b64decode(text)[len(MAGIC) + DIGEST :].translate(VEIL).decode()
