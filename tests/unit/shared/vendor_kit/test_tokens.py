"""A token is got by one for all, sealed, and given up when the vendor refuses it."""

import asyncio
import base64
from datetime import timedelta
from itertools import count

import pytest

from shared.domain.secret import Secret
from shared.ports.documents import Update
from shared.ports.vault import SealContext
from shared.vendor_kit.tokens import SPARE, TokenCache, TokenStore, VendorToken
from shared.vendor_kit.turns import Turns
from tests.contract.lock.mock_setting import MockSetting
from tests.contract.lock.setting import DAY, TENANT


class Vendor:
    """Gives out tokens that are good for a day, and remembers in exchange for what."""

    def __init__(self, clock):
        self._clock, self._numbers, self.given_for = clock, count(1), []

    async def __call__(self, old):
        self.given_for.append(old and old.refresh.reveal())
        await asyncio.sleep(0)
        number = next(self._numbers)
        expires_at = self._clock.now() + DAY
        return VendorToken(Secret(f"access-{number}"), Secret(f"refresh-{number}"), expires_at)


class Setting(MockSetting):
    """A vendor's tokens, for as many instances as it takes."""

    async def __aenter__(self):
        await super().__aenter__()
        self.grants = Vendor(self.clock)
        return self

    def shelf(self, account="a"):
        return TokenStore(self.means.sealed.tenant(TENANT), self.means.cipher, "mock", account)

    def cache(self, account="a"):
        turns = Turns(self.means.leases, TENANT, self.clock, self.entropy)
        return TokenCache(self.shelf(account), turns, self.clock, self.grants)


@pytest.fixture
async def setting(tmp_path):
    async with Setting(tmp_path) as setting:
        yield setting


async def test_token_is_got_once_and_kept(setting):
    cache = setting.cache()
    tokens = [(await cache.current()).reveal() for _ in range(3)]
    assert (tokens, setting.grants.given_for) == (["access-1"] * 3, [None])


async def test_token_is_got_once_by_many_instances_at_once(setting):
    asked = (cache.current() for cache in [setting.cache() for _ in range(5)])
    tokens = await asyncio.gather(*asked)
    assert {token.reveal() for token in tokens} == {"access-1"}


async def test_token_survives_a_restart(setting):
    await setting.cache().current()
    await setting.reopen()
    assert (await setting.cache().current()).reveal() == "access-1"
    assert setting.grants.given_for == [None]


@pytest.mark.parametrize(("left", "token"), [(SPARE + timedelta(seconds=1), "access-1"), (SPARE, "access-2")])
async def test_token_near_its_end_is_refreshed(setting, left, token):
    cache = setting.cache()
    await cache.current()
    setting.clock.advance(days=1, seconds=-left.total_seconds())
    assert (await cache.current()).reveal() == token


async def test_refused_token_is_replaced_by_refreshing_it(setting):
    cache = setting.cache()
    refused = await cache.current()
    assert (await cache.current(refused)).reveal() == "access-2"
    assert setting.grants.given_for == [None, "refresh-1"]


async def test_token_refused_to_many_is_replaced_once(setting):
    caches = [setting.cache() for _ in range(4)]
    refused = await caches[0].current()
    tokens = await asyncio.gather(*(cache.current(refused) for cache in caches))
    assert {token.reveal() for token in tokens} == {"access-2"}


async def test_token_another_instance_replaced_is_taken_from_the_shelf(setting):
    mine, theirs = setting.cache(), setting.cache()
    refused = await mine.current()
    await theirs.current(refused)
    assert (await mine.current(refused)).reveal() == "access-2"
    assert len(setting.grants.given_for) == 2


async def test_accounts_have_tokens_of_their_own(setting):
    assert await setting.cache("a").current() != await setting.cache("b").current()


async def put_on_the_shelf(setting, raw, context=None):
    """Seal this in place of the token."""
    shelf = setting.shelf()
    context = context or SealContext("vendor-ref-mock", TENANT, str(shelf.ref), "token")
    sealed = await setting.means.cipher.seal(context, Secret(raw))
    found = await setting.means.sealed.tenant(TENANT).get(shelf.ref)
    data = {**found.data, "sealed": base64.b64encode(sealed).decode()}
    await setting.means.sealed.tenant(TENANT).commit([Update(shelf.ref, data, found.version)])


async def test_sealed_token_that_cannot_be_opened_is_got_anew(setting):
    await setting.cache().current()
    await put_on_the_shelf(setting, b"{}", SealContext("other", TENANT, "other", "token"))
    assert (await setting.cache().current()).reveal() == "access-2"
    assert (await setting.shelf().read())[0].access == Secret("access-2")


@pytest.mark.parametrize(
    "raw",
    [
        b"[]",
        b"canary",
        b"{}",
        b'{"access":null,"refresh":"r","expires_at":"2030-01-01T00:00:00Z"}',
        b'{"access":7,"refresh":"r","expires_at":"2030-01-01T00:00:00Z"}',
        b'{"access":"","refresh":"r","expires_at":"2030-01-01T00:00:00Z"}',
        b'{"access":"a","refresh":7,"expires_at":"2030-01-01T00:00:00Z"}',
        b'{"access":"a","refresh":"r","expires_at":"soon"}',
    ],
)
async def test_sealed_token_that_is_none_is_got_anew(setting, raw):
    await setting.cache().current()
    await put_on_the_shelf(setting, raw)
    assert (await setting.cache().current()).reveal() == "access-2"
    assert (await setting.shelf().read())[0].access == Secret("access-2")


async def test_token_shows_nothing_and_is_sealed(setting):
    token = await setting.cache().current()
    assert "access-1" not in repr(VendorToken(token, Secret("refresh-1"), setting.clock.now()))
    files = [file.read_bytes() for file in setting.folder.iterdir()]
    assert not any(secret in file for file in files for secret in (b"access-1", b"refresh-1"))


async def test_token_of_an_account_that_left_is_forgotten_in_the_end(setting):
    cache = setting.cache()
    await cache.current()
    setting.clock.advance(days=400)
    assert await setting.shelf().read() == (None, None)
