"""Secrets of keys: written once, sealed in their own context, read by nobody else, and destroyed for ever."""

from dataclasses import replace

import orjson
import pytest

from shared.domain.ids import KeyCredentialId, TenantId
from shared.domain.secret import Secret
from shared.ledger.sealed_keys import ARTIFACT, KEY_SECRETS, REFS, SealedKey, SealedKeys, SecretName
from shared.ports.documents import Create, Ref, StaleVersion, Update
from shared.ports.vault import SealBroken
from tests.support.ledger_books import ARRIVAL, DAY, MOCK, PIN_CODE, RFID_CARD, SILK, TTLOCK

PIN, OTHER_PIN, REF = "583914", "720463", "canary-ref-77"
EXPIRES = ARRIVAL + 60 * DAY

NAME = "MM-0123456789ab"


@pytest.fixture
def secrets(books):
    return SealedKeys(books.vault.tenant(SILK), books.cipher, MOCK)


@pytest.fixture
def key(books):
    name = SecretName(KeyCredentialId.mint(books.ids.ulid()), PIN_CODE, 0)
    return SealedKey(name, Secret(PIN), EXPIRES)


async def test_secret_comes_back_whole_with_its_references(books, secrets, key):
    kept = await secrets.keep(key)
    await secrets.update(replace(kept, artifact=Secret(OTHER_PIN), refs={NAME: Secret(REF)}))
    await books.reopen()
    found = await SealedKeys(books.vault.tenant(SILK), books.cipher, MOCK).find(key.name)
    assert found.artifact.reveal() == OTHER_PIN
    assert {name: ref.reveal() for name, ref in found.refs.items()} == {NAME: REF}
    assert (found.name, found.expires_at) == (key.name, EXPIRES)


async def test_secret_nobody_kept_is_none(secrets, key):
    assert await secrets.find(key.name) is None


async def test_first_secret_of_a_try_stands_and_is_what_a_second_writer_gets(secrets, key):
    kept = await secrets.keep(key)
    again = await secrets.keep(replace(key, artifact=Secret(OTHER_PIN)))
    assert again == kept
    assert again.artifact.reveal() == PIN


async def test_every_try_at_every_kind_has_a_secret_of_its_own(secrets, key):
    names = [replace(key.name, secret_try=1), replace(key.name, kind=RFID_CARD)]
    await secrets.keep(key)
    for number, name in enumerate(names):
        await secrets.keep(replace(key, name=name, artifact=Secret(f"secret-{number}")))
    kept = [(await secrets.find(name)).artifact.reveal() for name in (key.name, *names)]
    assert kept == [PIN, "secret-0", "secret-1"]


async def test_update_of_what_somebody_else_changed_is_refused(secrets, key):
    kept = await secrets.keep(key)
    await secrets.update(replace(kept, refs={NAME: Secret(REF)}))
    with pytest.raises(StaleVersion):
        await secrets.update(replace(kept, artifact=Secret(OTHER_PIN)))
    assert (await secrets.find(key.name)).artifact.reveal() == PIN


async def test_destroyed_secret_is_gone_and_destroying_it_again_is_success(secrets, key):
    await secrets.keep(key)
    await secrets.destroy(key.name)
    await secrets.destroy(key.name)
    assert await secrets.find(key.name) is None


async def test_secret_is_gone_when_its_time_is_over(books, secrets, key):
    await secrets.keep(replace(key, expires_at=books.clock.now() + DAY))
    books.clock.advance(days=1, seconds=1)
    assert await secrets.find(key.name) is None


async def test_secret_moved_to_another_name_does_not_open(books, secrets, key):
    await secrets.keep(key)
    sealed = books.vault.tenant(SILK)
    found = await sealed.get(key.name.ref)
    other = replace(key.name, secret_try=7)
    await sealed.commit([Create(other.ref, found.data)])
    with pytest.raises(SealBroken):
        await secrets.find(other)


async def test_secret_moved_to_another_tenant_does_not_open(books, secrets, key):
    await secrets.keep(key)
    found = await books.vault.tenant(SILK).get(key.name.ref)
    gulf = books.vault.tenant(TenantId("tnt_gulf"))
    await gulf.commit([Create(key.name.ref, found.data)])
    with pytest.raises(SealBroken):
        await SealedKeys(gulf, books.cipher, MOCK).find(key.name)


async def test_another_vendor_s_adapter_cannot_open_it(books, secrets, key):
    await secrets.keep(key)
    with pytest.raises(SealBroken):
        await SealedKeys(books.vault.tenant(SILK), books.cipher, TTLOCK).find(key.name)


async def test_artifact_and_references_cannot_take_each_other_s_place(books, secrets, key):
    await secrets.keep(replace(key, refs={NAME: Secret(REF)}))
    sealed = books.vault.tenant(SILK)
    found = await sealed.get(key.name.ref)
    swapped = {**found.data, ARTIFACT: found.data[REFS], REFS: found.data[ARTIFACT]}
    await sealed.commit([Update(found.ref, swapped, found.version)])
    with pytest.raises(SealBroken):
        await secrets.find(key.name)


async def test_stored_document_and_repr_show_no_secret(books, secrets, key):
    kept = await secrets.keep(replace(key, refs={NAME: Secret(REF)}))
    stored = orjson.dumps(dict((await books.vault.tenant(SILK).get(key.name.ref)).data)).decode()
    for shown in (stored, repr(kept), str(kept)):
        assert PIN not in shown
        assert REF not in shown
    assert await books.documents.get(Ref(KEY_SECRETS, key.name.ref.id)) is None


async def test_secret_that_stays_the_same_is_sealed_once_and_another_anew(books, secrets, key):
    kept = await secrets.keep(key)
    first = (await books.vault.tenant(SILK).get(key.name.ref)).data[ARTIFACT]
    named = await secrets.update(replace(kept, refs={NAME: Secret(REF)}))
    assert (await books.vault.tenant(SILK).get(key.name.ref)).data[ARTIFACT] == first
    found = await secrets.find(key.name)
    assert (found.artifact.reveal(), found.refs[NAME].reveal()) == (PIN, REF)
    other = await secrets.update(replace(named, artifact=Secret(OTHER_PIN)))
    assert (await secrets.find(key.name)).artifact.reveal() == OTHER_PIN
    assert PIN not in repr(other)
