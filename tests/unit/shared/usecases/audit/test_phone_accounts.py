"""Where a key on a phone was sent: kept while the key lives, and said; destroyed once the key is over."""

from dataclasses import replace
from datetime import timedelta

from shared.domain.kinds import KeyCredentialKind, RevokeReason
from shared.domain.secret import Secret
from shared.keywork.orders import Order, end_key
from shared.ledger.key_record import ref_of
from shared.ledger.sealed_keys import SealedKey, SealedKeys, SecretName
from shared.ports.documents import Update
from shared.usecases.audit.rights import GuestRequest, erase_guest
from tests.support.audit_house import SILK
from tests.support.ledger_books import CAUSE, MOCK, Books
from tests.unit.shared.usecases.audit.test_rights import GUEST, STAY, asked, booked, one_guest

REFS = {"gra_1": Secret("vendor-17")}


async def kept_of(house):
    return (await erase_guest(GuestRequest.of(asked()), house.on))["accounts_kept"]


async def test_an_account_stays_sealed_while_its_key_opens_and_is_destroyed_once_it_is_over(house, tmp_path):
    await one_guest(house)
    books = Books(tmp_path)
    books.clock, books.ids = house.clock, house.on.ids
    key, _ = books.requested()
    stay = replace(booked(STAY, GUEST), credentials=(key.id,))
    await house.documents.commit([key.write(), stay.write()])
    name = SecretName(key.id, KeyCredentialKind.MOBILE_APP, key.secret_try)
    sealed = SealedKeys(house.on.sealed.tenant(SILK), house.on.cipher, MOCK)
    until = house.clock.now() + timedelta(days=90)
    await sealed.keep(SealedKey(name, Secret("guest@example.org"), until, REFS))

    (told,) = await kept_of(house)
    assert (told["key"], "end the key" in told["because"]) == (key.id, True)
    assert (await sealed.artifact(name)).reveal() == "guest@example.org"

    ended = end_key(key, (), RevokeReason.LOST, Order(CAUSE, house.clock.now())).entry
    found = await house.documents.get(ref_of(key.id))
    await house.documents.commit([Update(found.ref, ended.write().data, found.version)])
    assert await kept_of(house) == []
    left = await sealed.find(name)
    assert (left.artifact, left.refs, left.expires_at) == (None, REFS, until)
