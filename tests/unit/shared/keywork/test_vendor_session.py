"""A vendor's desk at a property opens with its account, stays open, and follows what changes."""

import pytest

from infra.local.secrets import SqliteSecrets
from shared.domain.documents import to_document
from shared.domain.ids import PropertyId
from shared.domain.lock_errors import VendorUnreachable
from shared.domain.secret import Secret
from shared.keywork.vendor_session import NO_ACCOUNT, VendorSessions
from shared.ledger.hotel_directory import KNOWN_FOR, HotelDirectory
from shared.ports.documents import Create, Ref
from shared.vendor_kit.accounts import account_secret
from shared.vendor_kit.binding import AdapterPorts
from shared.vendors.mock.adapter import open_vendor
from tests.unit.shared.ledger.ledgering import KABUL, MOCK, SILK, TTLOCK
from tests.unit.shared.usecases.hotel import ROOMS, door, move_in

ACCOUNT = account_secret(MOCK, SILK, KABUL)


class Vault:
    """Secrets by name, and how often they were asked for."""

    def __init__(self, keyring_secrets):
        self._secrets, self.asked = keyring_secrets, 0

    async def latest(self, name):
        self.asked += 1
        return await self._secrets.latest(name)


class Setting:
    """The desks of the mock's adapter, and a counter of ports it opened."""

    def __init__(self, books):
        self.books, self.opened = books, 0
        self.kept = SqliteSecrets(books.engine, books.cipher)
        self.secrets = Vault(self.kept)
        self.hotels = HotelDirectory(books.store, "local", books.clock.now)
        means = AdapterPorts(
            http=None,
            clock=books.clock,
            entropy=books.entropy,
            leases=None,
            documents=books.store,
            sealed=books.vault,
            cipher=books.cipher,
            guards=None,
        )
        self.desks = VendorSessions(MOCK, self._open, self.hotels, self.secrets, means)

    def _open(self, binding, means):
        self.opened += 1
        return open_vendor(binding, means)

    async def account(self, address):
        await self.kept.add(ACCOUNT, Secret(address))

    async def at(self):
        return await self.desks.at(SILK, KABUL)

    def later(self):
        self.books.clock.advance(seconds=KNOWN_FOR.total_seconds())


@pytest.fixture
async def setting(books):
    await move_in(books, door(1, ROOMS[:1], "pin"), door(2, ROOMS[:1], "pin", vendor=TTLOCK))
    return Setting(books)


def test_account_is_named_by_vendor_tenant_and_property():
    assert ACCOUNT == "lock-mock-tnt_silk-ppt_kabul-api"


async def test_desk_is_bound_to_its_own_vendor_s_locks_only(setting):
    await setting.account(b"mock://")
    desk = await setting.at()
    assert desk.vendor == MOCK
    assert [each.vendor for each in desk.binding.devices] == [MOCK]


async def test_desk_without_an_account_is_a_vendor_out_of_reach_until_there_is_one(setting):
    with pytest.raises(VendorUnreachable) as closed:
        await setting.at()
    assert (closed.value.cause.kind, closed.value.permanent) == (NO_ACCOUNT, False)
    await setting.account(b"mock://")
    assert await setting.at()


async def test_desk_with_an_account_nobody_can_read_is_out_of_reach_and_quotes_none_of_it(setting):
    await setting.account(b"mock://?canary=1")
    with pytest.raises(VendorUnreachable) as closed:
        await setting.at()
    assert closed.value.cause.kind == NO_ACCOUNT
    assert "canary" not in repr(closed.value)
    assert closed.value.__cause__ is None


async def test_desk_stays_open_and_its_account_is_not_asked_for_each_time(setting):
    await setting.account(b"mock://")
    desk = await setting.at()
    assert await setting.at() is desk
    assert (setting.opened, setting.secrets.asked) == (1, 1)


async def test_session_that_was_used_longest_ago_is_closed_where_too_many_are_open(setting, monkeypatch):
    monkeypatch.setattr("shared.keywork.vendor_session.MOST_OPEN", 1)
    await setting.account(b"mock://")
    await setting.at()
    setting.desks._open[SILK, PropertyId("ppt_other")] = None
    setting.desks._open.move_to_end((SILK, PropertyId("ppt_other")), last=False)
    await setting.at()
    assert list(setting.desks._open) == [(SILK, KABUL)]


async def test_port_stays_open_where_everything_that_was_read_anew_says_the_same(setting):
    await setting.account(b"mock://")
    first = await setting.at()
    setting.later()
    second = await setting.at()
    assert second.port is first.port
    assert (setting.opened, setting.secrets.asked) == (1, 2)
    assert await setting.at() is second


async def test_port_is_opened_anew_for_another_account(setting):
    await setting.account(b"mock://")
    first = await setting.at()
    await setting.account(b"mock://?fail=issue")
    assert await setting.at() is first
    setting.later()
    assert (await setting.at()).port is not first.port


async def test_port_is_opened_anew_for_another_lock(setting):
    await setting.account(b"mock://")
    first = await setting.at()
    another = door(3, ROOMS, "pin")
    await setting.books.documents.commit([Create(Ref("devices", another.id), to_document(another))])
    setting.hotels.forget(SILK)
    second = await setting.at()
    assert second.port is not first.port
    assert len(second.binding.devices) == 2


async def test_desk_shows_no_account_in_its_repr(setting):
    await setting.account(b"mock://?pct=77")
    assert "pct" not in repr(await setting.at())
