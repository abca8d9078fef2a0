"""The setting of the secrets contract."""

from infra.local.cipher import LocalCipher
from infra.local.secrets import SqliteSecrets
from shared.domain.secret import Secret
from tests.contract.embedded import Embedded

API, WEBHOOK = "lock-ttlock-tnt_a-ppt_b-api", "lock-ttlock-tnt_a-ppt_b-webhook"


def local_cipher(embedded):
    """Open the cipher on the folder's key file."""
    return LocalCipher.at(embedded.folder / "keys", embedded.entropy, embedded.engine)


async def sqlite_secrets(embedded):
    """Build the secrets on SQLite."""
    return SqliteSecrets(embedded.engine, local_cipher(embedded))


class Words:
    """Secrets, and short words for them."""

    @property
    def secrets(self):
        return self.subject

    async def add(self, *values, secret=API):
        """Add versions and return their numbers."""
        return [await self.secrets.add(secret, Secret(value)) for value in values]

    async def value(self, version=None, *, secret=API):
        """Return a version's value, or the latest."""
        found = self.secrets.version(secret, version) if version else self.secrets.latest(secret)
        return (await found).value.reveal()


class Setting(Words, Embedded):
    """The words, on the embedded cloud."""
