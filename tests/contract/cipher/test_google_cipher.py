"""Cloud KMS keeps every promise of the cipher, as a fake of the service has it."""

import asyncio
import base64
from dataclasses import replace

import pytest

from infra.emulated.serving import serving
from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.gcp.cipher import HEADER, MAGIC, KmsCipher
from shared.gcp.keyring import KeyRing
from shared.ports.documents import AlreadyExists, Document
from shared.ports.vault import PurposeRefused, SealBroken
from tests.contract.cipher.setting import PIN, Words
from tests.contract.cipher.suite import OTHERS, CipherContract
from tests.emulators.fakes.kms import FakeKms
from tests.emulators.google import OnGoogle

OPENS = frozenset({PIN.purpose, OTHERS["purpose"]})


def kms_cipher(google, opens):
    ring = KeyRing(google.clients.of("kms"), google.settings)
    return KmsCipher(ring, google.kept, google.clock, google.entropy, lambda: opens)


async def cipher_of_one_function(google):
    return kms_cipher(google, OPENS)


class KmsSetting(Words, OnGoogle):
    """The words, on Cloud KMS; what is kept of index keys is in memory here."""

    def __init__(self, *arguments, **emulators):
        super().__init__(*arguments, **emulators)
        self.kept = KeptInMemory()

    async def rotate(self):
        await self.cipher.index_keys.rotate(PIN.purpose)


class KeptInMemory:
    """As much of a document store as the keys of indexes need; it outlives the instances."""

    def __init__(self):
        self.documents = {}

    def tenant(self, _tenant):
        return self

    async def get(self, ref):
        data = self.documents.get(ref)
        return None if data is None else Document(ref, data, "1")

    async def commit(self, writes):
        (write,) = writes
        if write.ref in self.documents:
            raise AlreadyExists(write.ref)
        self.documents[write.ref] = write.data
        return ("1",)


@pytest.fixture
def fake():
    return FakeKms()


@pytest.fixture
async def setting(fake):
    async with serving(fake) as address, KmsSetting(cipher_of_one_function, kms=address) as setting:
        yield setting


class TestKmsCipher(CipherContract):
    """The cipher on Cloud KMS."""


async def test_the_header_names_the_key_and_the_version_that_sealed(setting, fake):
    first = HEADER.unpack_from(await setting.seal())
    fake.newest = 7
    setting.clock.advance(hours=1)
    second = HEADER.unpack_from(await setting.seal())
    other = HEADER.unpack_from(await setting.seal(context=replace(PIN, purpose=OTHERS["purpose"])))
    assert [each[0] for each in (first, second, other)] == [MAGIC] * 3
    assert (first[2], second[2]) == (1, 7)
    assert first[1] == second[1] != other[1]


async def test_a_data_key_seals_for_an_hour_and_opens_for_ten_minutes(setting, fake):
    sealed = [await setting.seal(b"%d" % number) for number in range(3)]
    assert [await setting.open_field(each) for each in sealed] == [b"0", b"1", b"2"]
    assert fake.calls == {"encrypt": 1, "decrypt": 1}
    setting.clock.advance(minutes=10)
    await setting.open_field(await setting.seal())
    assert fake.calls == {"encrypt": 1, "decrypt": 2}
    setting.clock.advance(minutes=50)
    await setting.seal()
    assert fake.calls == {"encrypt": 2, "decrypt": 2}


async def test_an_index_costs_no_call_for_ten_minutes(setting, fake):
    for number in range(20):
        await setting.indexes(b"%d" % number)
    assert fake.calls == {"encrypt": 1, "decrypt": 1}
    setting.clock.advance(minutes=10)
    await setting.indexes()
    assert fake.calls == {"encrypt": 1, "decrypt": 2}


async def test_of_two_instances_that_make_the_first_key_one_is_first_and_both_go_by_it(setting):
    ciphers = [await cipher_of_one_function(setting) for _ in range(3)]
    found = await asyncio.gather(*(each.index(PIN, Secret(b"4711")) for each in ciphers))
    assert len(set(found)) == 1
    assert len(setting.kept.documents) == 1


async def test_the_keys_of_indexes_lie_wrapped(setting):
    await setting.indexes()
    ((key,),) = [await setting.cipher.index_keys.of(PIN.purpose)]
    (kept,) = setting.kept.documents.values()
    assert key.reveal() not in base64.b64decode(kept["key"])
    assert key.reveal().hex() not in str(kept)


async def test_a_function_that_may_not_open_may_not_index(setting):
    with pytest.raises(PurposeRefused, match="under `opens`"):
        await kms_cipher(setting, frozenset()).index(PIN, Secret(b"4711"))


async def test_what_older_key_versions_sealed_still_opens(setting, fake):
    sealed = await setting.seal()
    fake.newest = 2
    await setting.reopen()
    assert await setting.open_field(sealed) == b"4711"


async def test_a_function_that_does_not_name_the_purpose_may_not_open(setting, fake):
    stranger = kms_cipher(setting, frozenset({"lock-config"}))
    with pytest.raises(PurposeRefused, match="under `opens`"):
        await stranger.open(PIN, b"nonsense")
    assert fake.calls["decrypt"] == 0


async def test_a_function_that_may_not_open_may_seal(setting):
    sealed = await kms_cipher(setting, frozenset()).seal(PIN, Secret(b"4711"))
    assert await setting.open_field(sealed) == b"4711"


async def test_what_kms_denies_is_refused_with_the_remedy(setting, fake):
    sealed = await setting.seal()
    fake.denied.add(PIN.purpose)
    with pytest.raises(PurposeRefused, match="grant its service account"):
        await setting.open_field(sealed)


async def test_a_purpose_without_a_key_is_refused_with_the_remedy(setting, fake):
    fake.missing.add(PIN.purpose)
    with pytest.raises(InvalidInput, match="apply Terraform"):
        await setting.seal()


async def test_a_destroyed_key_version_opens_nothing(setting, fake):
    sealed = await setting.seal()
    fake.disabled.add(1)
    with pytest.raises(SealBroken, match="disabled or destroyed"):
        await setting.open_field(sealed)


async def test_a_key_that_was_bent_on_its_way_neither_seals_nor_opens(setting, fake):
    sealed = await setting.seal()
    fake.bends = True
    with pytest.raises(ConnectionError):
        await setting.open_field(sealed)
    await setting.reopen()
    with pytest.raises(ConnectionError):
        await setting.seal()
