"""The fakes of Google's services, asked by our own clients for them over a real channel."""

from contextlib import asynccontextmanager
from datetime import timedelta

import pytest

from infra.emulated.internet import Internet, PlainAccess
from infra.emulated.kms import EmulatedKms
from infra.emulated.secrets import EmulatedSecrets
from infra.emulated.serving import serving
from infra.emulated.storage import ADDRESS, EmulatedStorage
from infra.local.ambient import SeededEntropy
from infra.local.counters import Counters
from infra.local.faults import NoFaults
from infra.local.objects import SCHEMA, SqliteObjects
from infra.local.storage.database import open_database
from infra.local.storage.engine import Engine
from shared.domain.secret import Secret
from shared.gcp.clients import Clients
from shared.gcp.keyring import KeyRing, Wrapped
from shared.gcp.objects import CloudStorage
from shared.gcp.rest import Rest
from shared.gcp.secrets import SecretManager
from shared.ports.objects import ObjectExists, ObjectKept
from shared.ports.vault import SealBroken, SecretMissing, SecretVersion
from tests.contract.embedded import ManualClock
from tests.emulators.google import settings

MATERIAL = Secret(bytes(range(32)))


class Kept:
    """Secrets in memory."""

    def __init__(self):
        self.versions = {}

    async def add(self, secret, value):
        self.versions.setdefault(secret, []).append(value)
        return len(self.versions[secret])

    async def latest(self, secret):
        return await self.version(secret, len(self.versions.get(secret, ())))

    async def version(self, secret, version):
        found = self.versions.get(secret, [])
        if not 0 < version <= len(found) or found[version - 1] is None:
            raise SecretMissing(secret)
        return SecretVersion(version, found[version - 1])

    async def destroy(self, secret, version):
        await self.version(secret, version)
        self.versions[secret][version - 1] = None


@asynccontextmanager
async def clients_of(**fakes):
    async with serving(*fakes.values()) as address:
        place = settings(**dict.fromkeys(fakes, address))
        clients = Clients(place)
        try:
            yield clients, place
        finally:
            await clients.close()


async def test_a_secret_is_added_read_and_destroyed():
    kept = Kept()
    async with clients_of(secrets=EmulatedSecrets(lambda: kept)) as (clients, place):
        port = SecretManager(clients.of("secrets"), place, ManualClock())
        with pytest.raises(SecretMissing):
            await port.latest("lock-mock-tnt_1-api")
        assert await port.add("lock-mock-tnt_1-api", Secret(b"one")) == 1
        assert await port.add("lock-mock-tnt_1-api", Secret(b"two")) == 2
        assert (await port.latest("lock-mock-tnt_1-api")).value.reveal() == b"two"
        await port.destroy("lock-mock-tnt_1-api", 1)
        with pytest.raises(SecretMissing):
            await port.version("lock-mock-tnt_1-api", 1)


async def test_a_key_wraps_for_itself_alone_and_again_after_a_start():
    seed = bytes(32)
    async with clients_of(kms=EmulatedKms(seed, SeededEntropy(1))) as (clients, place):
        wrapped = await KeyRing(clients.of("kms"), place).wrap("guest-contact", MATERIAL)
        with pytest.raises(SealBroken):
            await KeyRing(clients.of("kms"), place).unwrap("other", wrapped)
        bent = Wrapped(wrapped.version, wrapped.data[:-1] + bytes([wrapped.data[-1] ^ 1]))
        with pytest.raises(SealBroken):
            await KeyRing(clients.of("kms"), place).unwrap("guest-contact", bent)
    async with clients_of(kms=EmulatedKms(seed, SeededEntropy(2))) as (clients, again):
        ring = KeyRing(clients.of("kms"), place)
        assert (await ring.unwrap("guest-contact", wrapped)).reveal() == MATERIAL.reveal()
        assert again.project != place.project


async def test_objects_are_written_once_listed_and_kept_until_their_time(tmp_path):
    clock = ManualClock()
    database = open_database(tmp_path / "objects.db", SCHEMA, SeededEntropy(1).token)
    engine = Engine(database, faults=NoFaults(), counters=Counters(), threaded=False)
    engine.start()
    storage = EmulatedStorage("records", lambda: SqliteObjects(engine, clock))
    rest = Rest(Internet({ADDRESS: storage}, storage), PlainAccess(), "storage")
    port, until = CloudStorage(rest, "records"), clock.now() + timedelta(days=1)
    await port.add("day/one", b"\r\n\r\n--raw", until)
    await port.add("day/one", b"\r\n\r\n--raw", until)
    with pytest.raises(ObjectExists):
        await port.add("day/one", b"other", until)
    found = await port.read("day/one")
    assert (found.data, found.kept_until) == (b"\r\n\r\n--raw", until)
    assert await port.read("day/two") is None
    assert await port.listed("day/") == ["day/one"]
    with pytest.raises(ObjectKept):
        await port.remove("day/one")
    await engine.close()
