"""Secrets that are wrong in one way each: every one must fail the guarantee it breaks."""

from types import SimpleNamespace

from infra.local.secrets import SqliteSecrets
from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.ports.vault import SecretMissing, SecretVersion


class CountsFromZero(SqliteSecrets):
    async def add(self, secret, value):
        return await super().add(secret, value) - 1


class TrimsValues(SqliteSecrets):
    async def version(self, secret, version):
        found = await super().version(secret, version)
        return SecretVersion(found.version, Secret(found.value.reveal().strip(b"\x00")))


class LatestIsFirst(SqliteSecrets):
    async def latest(self, secret):
        return await self.version(secret, 1)


class KeepsTheDestroyed(SqliteSecrets):
    async def destroy(self, secret, version):
        await self.version(secret, version)


class LatestIsLast(SqliteSecrets):
    """Looks at the highest number only."""

    async def latest(self, secret):
        rows = self._engine.read("SELECT max(version) FROM secrets WHERE secret = ?", (secret,))
        return await self.version(secret, rows[0][0])


class RemovesTheDestroyed(SqliteSecrets):
    """Deletes the row, and with it the memory of its number."""

    async def destroy(self, secret, version):
        place = (secret, version)
        await self._engine.write(
            lambda c: c.execute("DELETE FROM secrets WHERE secret = ? AND version = ?", place).rowcount
        )


class DestroysOnce(SqliteSecrets):
    async def destroy(self, secret, version):
        await self.version(secret, version)
        await super().destroy(secret, version)


class DestroysNothingQuietly(SqliteSecrets):
    async def destroy(self, secret, version):
        try:
            await super().destroy(secret, version)
        except SecretMissing:
            return


class OneSecret(SqliteSecrets):
    async def add(self, secret, value):
        return await super().add("the-one", value)

    async def version(self, secret, version):
        return await super().version("the-one", version)

    async def destroy(self, secret, version):
        await super().destroy("the-one", version)


class ShowsValues(SqliteSecrets):
    async def latest(self, secret):
        found = await super().latest(secret)
        return SimpleNamespace(version=found.version, value=found.value.reveal())


class TakesAnyName(SqliteSecrets):
    async def add(self, secret, value):
        try:
            return await super().add(secret, value)
        except InvalidInput:
            return await super().add("unnamed", Secret(value.reveal()[:10]))


BROKEN = {
    (CountsFromZero, "test_versions_count_from_one"): None,
    (TrimsValues, "test_each_version_is_kept_byte_for_byte"): None,
    (LatestIsFirst, "test_the_latest_is_the_newest"): None,
    (KeepsTheDestroyed, "test_a_destroyed_version_is_unreadable"): None,
    (LatestIsLast, "test_the_latest_skips_what_is_destroyed"): None,
    (RemovesTheDestroyed, "test_a_number_is_never_given_again"): None,
    (DestroysOnce, "test_destroying_twice_changes_nothing"): None,
    (DestroysNothingQuietly, "test_what_is_not_there_is_missing"): None,
    (OneSecret, "test_secrets_count_apart"): None,
    (ShowsValues, "test_a_value_is_never_printed"): None,
    (TakesAnyName, "test_a_malformed_name_is_refused"): {"secret": ""},
    (TakesAnyName, "test_a_value_has_a_byte_at_least_and_64_kibibytes_at_most"): None,
}
"""The guarantee that each must fail, and that test's arguments."""
