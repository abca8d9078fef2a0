"""What secrets promise, each guarantee in a test of its name."""

import asyncio

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.ports.vault import SecretMissing
from tests.contract.secrets.setting import API, WEBHOOK


class SecretsContract:
    """The guarantees of `shared.ports.vault.Secrets`."""

    async def test_versions_count_from_one(self, setting):
        assert await setting.add(b"a", b"b", b"c") == [1, 2, 3]

    async def test_each_version_is_kept_byte_for_byte(self, setting):
        values = [b"\x00", b"\x00\xff", bytes(range(256)) * 256]
        await setting.add(*values)
        assert [await setting.value(number) for number in (1, 2, 3)] == values

    async def test_the_latest_is_the_newest(self, setting):
        await setting.add(b"old", b"new")
        latest = await setting.secrets.latest(API)
        assert (latest.version, latest.value.reveal()) == (2, b"new")

    async def test_a_destroyed_version_is_unreadable(self, setting):
        await setting.add(b"old", b"new")
        await setting.secrets.destroy(API, 1)
        with pytest.raises(SecretMissing):
            await setting.value(1)
        assert await setting.value(2) == b"new"

    async def test_the_latest_skips_what_is_destroyed(self, setting):
        await setting.add(b"old", b"new")
        await setting.secrets.destroy(API, 2)
        assert await setting.value() == b"old"

    async def test_a_number_is_never_given_again(self, setting):
        await setting.add(b"old", b"new")
        await setting.secrets.destroy(API, 2)
        assert await setting.add(b"newer") == [3]

    async def test_destroying_twice_changes_nothing(self, setting):
        await setting.add(b"old", b"new")
        for _ in range(2):
            await setting.secrets.destroy(API, 1)
        assert await setting.value() == b"new"

    async def test_what_is_not_there_is_missing(self, setting):
        await setting.add(b"a")
        secrets = setting.secrets
        calls = [
            (secrets.latest, WEBHOOK),
            (secrets.version, API, 2),
            (secrets.version, API, 0),
            (secrets.destroy, API, 2),
            (secrets.destroy, WEBHOOK, 1),
        ]
        for call, *arguments in calls:
            with pytest.raises(SecretMissing):
                await call(*arguments)

    async def test_a_secret_without_a_living_version_is_missing(self, setting):
        await setting.add(b"a")
        await setting.secrets.destroy(API, 1)
        with pytest.raises(SecretMissing):
            await setting.value()

    async def test_secrets_count_apart(self, setting):
        await setting.add(b"a", b"b")
        assert await setting.add(b"c", secret=WEBHOOK) == [1]
        await setting.secrets.destroy(WEBHOOK, 1)
        assert await setting.value(1) == b"a"

    async def test_versions_added_at_once_get_numbers_of_their_own(self, setting):
        numbers = await asyncio.gather(*(setting.secrets.add(API, Secret(b"%d" % n)) for n in range(10)))
        assert sorted(numbers) == list(range(1, 11))
        assert [await setting.value(number) for number in numbers] == [b"%d" % n for n in range(10)]

    async def test_versions_survive_a_restart(self, setting):
        await setting.add(b"old", b"new")
        await setting.secrets.destroy(API, 2)
        await setting.reopen()
        assert await setting.value() == b"old"
        assert await setting.add(b"newer") == [3]

    async def test_a_value_is_never_printed(self, setting):
        await setting.add(b"hush-hush")
        found = await setting.secrets.latest(API)
        assert "hush" not in f"{found!r}{found}{found.value!r}{found.value}"

    @pytest.mark.parametrize("secret", ["", "a/b", "a.b", "x" * 256, "a b", "a\n"])
    async def test_a_malformed_name_is_refused(self, setting, secret):
        with pytest.raises(InvalidInput, match="secret"):
            await setting.add(b"a", secret=secret)

    async def test_a_value_has_a_byte_at_least_and_64_kibibytes_at_most(self, setting):
        await setting.add(b"x", b"x" * 65536)
        for wrong in (b"", b"x" * 65537):
            with pytest.raises(InvalidInput, match="value"):
                await setting.add(wrong)
