"""Secret Manager keeps every promise of the secrets, as a fake of the service has it."""

import pytest

from infra.emulated.serving import serving
from shared.domain.secret import Secret
from shared.gcp.secrets import SecretManager
from shared.ports.trouble import ServiceTrouble
from tests.contract.secrets.setting import API, WEBHOOK, Words
from tests.contract.secrets.suite import SecretsContract
from tests.emulators.fakes.secrets import FakeSecretManager
from tests.emulators.google import OnGoogle


async def secret_manager(google):
    return SecretManager(google.clients.of("secrets"), google.settings, google.clock)


class SecretManagerSetting(Words, OnGoogle):
    """The words, on Secret Manager."""


@pytest.fixture
def fake():
    return FakeSecretManager()


@pytest.fixture
async def setting(fake):
    async with serving(fake) as address, SecretManagerSetting(secret_manager, secrets=address) as setting:
        yield setting


class TestSecretManager(SecretsContract):
    """Secrets on Secret Manager."""


async def test_a_secret_is_read_once_in_a_quarter_of_a_minute(setting, fake):
    await setting.add(b"a")
    for _ in range(3):
        assert await setting.value() == b"a"
    setting.clock.advance(seconds=14)
    assert (await setting.value(), fake.accesses) == (b"a", 1)
    setting.clock.advance(seconds=1)
    assert (await setting.value(), fake.accesses) == (b"a", 2)


async def test_l2_another_instances_new_version_is_seen_after_a_quarter_of_a_minute(setting):
    await setting.add(b"old")
    assert await setting.value() == b"old"
    await (await secret_manager(setting)).add(API, Secret(b"new"))
    setting.clock.advance(seconds=15)
    assert await setting.value() == b"new"


async def test_a_secret_is_made_once_and_in_the_region_of_its_cell(setting, fake):
    await setting.add(b"a", b"b")
    await setting.add(b"c", secret=WEBHOOK)
    assert [request.secret_id for request in fake.created] == [API, WEBHOOK]
    replicas = [request.secret.replication.user_managed.replicas for request in fake.created]
    assert [[replica.location for replica in each] for each in replicas] == [["europe-west6"]] * 2


async def test_a_secret_that_was_bent_on_its_way_is_not_used(setting, fake):
    await setting.add(b"abc")
    fake.bends = True
    with pytest.raises(ServiceTrouble, match="read it again"):
        await setting.value()
