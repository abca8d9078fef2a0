"""A vendor's desk at a property opens with its account, stays open, and follows what changes."""

import orjson
import pytest

from infra.local.secrets import SqliteSecrets
from shared.domain.documents import to_document
from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId, TenantId
from shared.domain.lock_errors import VendorUnreachable
from shared.domain.secret import Secret
from shared.keywork.vendor_session import NO_ACCOUNT, SHARED, VendorSessions
from shared.ledger.admission import RECORD, admit_tenant
from shared.ledger.hotel_directory import KNOWN_FOR, HotelDirectory
from shared.ledger.premises import change_hotel
from shared.ports.documents import Create, Ref
from shared.vendor_kit.account_owners import AccountOwners, AccountShared, Owner
from shared.vendor_kit.accounts import account_secret
from shared.vendor_kit.binding import AdapterPorts
from shared.vendors.mock.adapter import open_vendor
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import KABUL, MOCK, SILK, TTLOCK

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


async def test_desk_that_was_foreseen_is_opened_without_asking_again(setting):
    await setting.account(b"mock://")
    assert not setting.desks.knows(SILK, KABUL)
    await setting.desks.foresee(SILK, KABUL)
    asked = setting.secrets.asked
    await setting.books.services.hotels.admit(SILK)
    assert setting.desks.knows(SILK, KABUL)
    assert await setting.at()
    assert setting.secrets.asked == asked == 1


@pytest.mark.parametrize("place", [KABUL, PropertyId("ppt_nowhere")])
async def test_who_foresees_hears_of_nothing_that_is_amiss(setting, place):
    await setting.desks.foresee(SILK, place)
    with pytest.raises((VendorUnreachable, InvalidInput)):
        await setting.desks.at(SILK, place)


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
    added = Create(Ref("devices", another.id), to_document(another))
    await change_hotel(setting.books.documents, another.property_id, [added])
    setting.hotels.forget(SILK)
    second = await setting.at()
    assert second.port is not first.port
    assert len(second.binding.devices) == 2


async def test_desk_shows_no_account_in_its_repr(setting):
    await setting.account(b"mock://?pct=77")
    assert "pct" not in repr(await setting.at())


def _account(**fields):
    account = {"clientId": "app", "username": "hotel", "clientSecret": "s", "passwordMd5": "p", **fields}
    return Secret(orjson.dumps(account))


class TwoHouses:
    """Two properties of different tenants, and who has which account."""

    def __init__(self, setting):
        self.kept = setting.kept
        self.owners = AccountOwners(setting.books.store, setting.kept, MOCK)

    async def gets(self, owner, account):
        await self.kept.add(account_secret(MOCK, owner.tenant, owner.property), account)

    async def opens(self, owner):
        name = account_secret(MOCK, owner.tenant, owner.property)
        await self.owners.claim((await self.kept.latest(name)).value, owner)


OURS, THEIRS = Owner(SILK, KABUL), Owner(TenantId("tnt_other"), PropertyId("ppt_herat"))


@pytest.mark.parametrize("same_tenant", [True, False])
async def test_s12_an_account_is_one_propertys_whatever_its_passwords(setting, same_tenant):
    houses = TwoHouses(setting)
    other = Owner(SILK, THEIRS.property) if same_tenant else THEIRS
    await houses.gets(OURS, _account())
    await houses.gets(other, _account(clientSecret="another", passwordMd5="another"))
    await houses.opens(OURS)
    for _ in range(2):
        with pytest.raises(AccountShared):
            await houses.opens(other)
        await houses.opens(OURS)


async def test_s12_another_account_is_another_propertys(setting):
    houses = TwoHouses(setting)
    await houses.gets(OURS, _account())
    await houses.gets(THEIRS, _account(username="another"))
    await houses.opens(OURS)
    await houses.opens(THEIRS)


async def test_s12_an_account_that_moved_house_is_taken_over(setting):
    houses = TwoHouses(setting)
    await houses.gets(OURS, _account())
    await houses.gets(THEIRS, _account())
    await houses.opens(OURS)
    await houses.gets(OURS, _account(username="a new one"))
    await houses.opens(OURS)
    await houses.opens(THEIRS)


async def test_s12_a_desk_does_not_open_with_anothers_account_and_says_why(setting, monkeypatch):
    monkeypatch.setattr(setting, "_open", lambda _binding, _means: object())
    setting.desks._opener = setting._open
    houses = TwoHouses(setting)
    await houses.gets(THEIRS, _account())
    await houses.opens(THEIRS)
    await houses.gets(OURS, _account())
    with pytest.raises(VendorUnreachable) as refused:
        await setting.at()
    assert refused.value.cause.kind == SHARED


@pytest.mark.parametrize("tenant", ["tnt_platform", "tnt_a-ppt_b"])
async def test_l9_a_name_of_ours_is_nobodys_tenant(setting, tenant):
    record = {"data_residency": "local", "schema_version": 1}
    await setting.books.store.tenant(TenantId(tenant)).commit([Create(RECORD, record)])
    with pytest.raises(InvalidInput, match="a name that is ours"):
        await admit_tenant(setting.books.store, tenant, "local")
