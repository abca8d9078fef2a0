"""The setting of the cipher contract: one field of one record."""

from infra.local.cipher import LocalCipher
from shared.domain.ids import TenantId
from shared.domain.secret import Secret
from shared.ports.vault import SealContext
from tests.contract.embedded import Embedded

PIN = SealContext("guest-artifact-ttlock", TenantId("tnt_alpha"), "grt_01", "pin")


async def local_cipher(embedded):
    """Open the cipher on the folder's key file."""
    return LocalCipher.at(embedded.folder / "keys", embedded.entropy, embedded.engine)


class Words:
    """A cipher, and short words for it."""

    @property
    def cipher(self):
        return self.subject

    async def seal(self, plaintext=b"4711", context=PIN):
        """Seal some bytes."""
        return await self.cipher.seal(context, Secret(plaintext))

    async def indexes(self, value=b"4711", context=PIN):
        """Return the blind indexes of a value."""
        return await self.cipher.index(context, Secret(value))

    async def rotate(self):
        """Have another key for what is indexed from now on."""
        cipher = self.cipher
        while not hasattr(cipher, "rotate"):  # a guard, or a broken one, is before it
            cipher = cipher._cipher if hasattr(cipher, "_cipher") else cipher._inner
        cipher.rotate(PIN.purpose)

    async def open_field(self, sealed, context=PIN):
        """Open sealed bytes."""
        return (await self.cipher.open(context, sealed)).reveal()


class Setting(Words, Embedded):
    """The words, on the embedded cloud."""
