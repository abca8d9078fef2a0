"""Who calls: people by their tenant's provider, programs by their keys, both by what their tenant keeps."""

from datetime import timedelta

import pytest

from infra.local.people import Badge
from shared.domain.ids import IntegratorId, PropertyId, TenantId, UserId
from shared.domain.permissions import Permission, Role
from shared.domain.sign_in import Integrator, TenantAccess
from shared.kernel.api_keys import draw_key
from shared.kernel.identity import Unauthenticated
from shared.kernel.published import IssuerOutOfReach
from shared.ledger.hotel_directory import KNOWN_FOR
from shared.runtime.people import LARGEST_KEY_SET, people_of
from shared.usecases.hotels.staff_access import register_access, register_integrator, stop_person
from shared.vendor_kit.http import Answer, TimedOut
from tests.support.idp import Provider
from tests.support.simulated import play

SILK = TenantId("tnt_silk")
PROGRAM = IntegratorId(f"itg_{'0' * 26}")


class Outside:
    """The internet: one provider lives there."""

    def __init__(self):
        self.provider, self.urls, self.fault, self.answer = None, [], None, None

    async def send(self, call):
        self.urls.append(call.url)
        if self.fault is not None:
            raise self.fault
        return self.answer or await self.provider.send(call)

    async def close(self):
        """Nothing is open."""


class House:
    """The sample hotel, whose staff sign in at a provider."""

    def __init__(self, on, outside):
        self.on, self.outside = on.fleet.platform, outside
        self.clock, self.people = self.on.clock, on.fleet.people
        outside.provider = Provider(self.clock)
        self.store = self.on.documents.tenant(SILK)
        self.audience, self.counters = on.fleet.config.base_url, on.fleet.counters

    async def principal(self, text, *, changes=False):
        return await people_of(self.on).principal(f"Bearer {text}", changes=changes)

    async def refused(self, text, *, changes=False):
        with pytest.raises(Unauthenticated):
            await self.principal(text, changes=changes)

    def token(self, **claims):
        return self.outside.provider.token(aud=self.audience, **claims)


def at_house(tmp_path, scenario):
    outside = Outside()

    async def main(on):
        house = House(on, outside)
        await register_access(TenantAccess(issuers=(outside.provider.registered(),)), house.store)
        return await scenario(house)

    return play(tmp_path, main, outside=outside)


def test_a_person_signs_in_at_the_tenants_own_provider(tmp_path):
    async def scenario(house):
        people = [await house.principal(house.token(sub=f"clerk-{number}")) for number in range(5)]
        return len({each.id for each in people}), house.outside.urls, house.outside.provider.jwks_uri

    users, urls, address = at_house(tmp_path, scenario)
    assert users == 5
    assert urls == [address]


def test_a_provider_that_its_tenant_no_longer_names_counts_no_more_after_seconds(tmp_path):
    async def scenario(house):
        token = house.token()
        await house.principal(token)
        await register_access(TenantAccess(), house.store)
        await _sleep(KNOWN_FOR)
        await house.refused(token)

    at_house(tmp_path, scenario)


def test_a_person_who_is_stopped_is_out_within_seconds_whatever_the_token_says(tmp_path):
    async def scenario(house):
        badge = Badge(SILK, UserId("usr_1"), frozenset({Role.GM}), None)
        token = house.people.token(badge, house.audience)
        await house.principal(token)
        for _ in range(2):
            await stop_person(UserId("usr_1"), house.clock.now(), house.store)
        await _sleep(KNOWN_FOR)
        await house.refused(token)

    at_house(tmp_path, scenario)


def test_a_person_who_is_stopped_changes_nothing_from_that_moment_and_is_asked_about_by_one_read(tmp_path):
    async def scenario(house):
        badge = Badge(SILK, UserId("usr_1"), frozenset({Role.GM}), None)
        token = house.people.token(badge, house.audience)
        await house.principal(token)
        before = house.counters["document_reads"]
        await house.principal(token, changes=True)
        assert house.counters["document_reads"] == before + 1
        await stop_person(UserId("usr_1"), house.clock.now(), house.store)
        await house.principal(token)  # who only looks is not asked about anew
        await house.refused(token, changes=True)
        await house.refused(token)

    at_house(tmp_path, scenario)


def test_a_service_account_calls_with_its_key_until_it_is_stopped(tmp_path):
    async def scenario(house):
        key = draw_key(SILK, PROGRAM, house.on.entropy.token)
        kept = Integrator(
            id=PROGRAM,
            name="Property system",
            digests=(key.digest,),
            permissions=(Permission.KEY_READ,),
            properties=(PropertyId("ppt_kabul"),),
            expires_at=house.clock.now() + timedelta(days=90),
        )
        await house.refused(key.text)
        await _sleep(KNOWN_FOR)
        await register_integrator(kept, house.store)
        found = await house.principal(key.text)
        await house.refused(key.text[:-1] + ("A" if key.text[-1] != "A" else "B"))
        await house.refused(key.text.replace("tnt_silk", "tnt_other"))
        return found.id, found.permissions

    assert at_house(tmp_path, scenario) == (PROGRAM, {Permission.KEY_READ})


def test_invented_tenants_and_keys_push_nobody_out(tmp_path):
    async def scenario(house):
        token = house.token()
        await house.principal(token)
        reads = house.counters["document_reads"]
        for number in range(1500):
            await house.refused(house.outside.provider.token(tenantId=f"tnt_invented{number}"))
        invented = house.counters["document_reads"] - reads
        await house.principal(token)
        return invented, house.counters["document_reads"] - reads - invented

    invented, real = at_house(tmp_path, scenario)
    assert invented >= 1500  # one each: K7 limits who may ask so often
    assert real == 0


@pytest.mark.parametrize(
    ("fault", "answer"),
    [
        (TimedOut("late"), None),
        (None, Answer(500)),
        (None, Answer(301, {"location": "https://evil.example"})),
        (None, Answer(200, {}, b"<html>")),
        (None, Answer(200, {}, b'{"keys": []}' + b" " * LARGEST_KEY_SET)),
    ],
)
def test_a_provider_that_does_not_answer_with_its_keys_is_out_of_reach(tmp_path, fault, answer):
    async def scenario(house):
        house.outside.fault, house.outside.answer = fault, answer
        with pytest.raises(IssuerOutOfReach):
            await house.principal(house.token())

    at_house(tmp_path, scenario)


def test_a_tenant_of_another_cell_has_nobody_here(tmp_path):
    async def scenario(house):
        record = {"schema_version": 1, "id": "tnt_far", "name": "Far", "data_residency": "elsewhere"}
        await _keep(house, "tnt_far", record)
        badge = Badge(TenantId("tnt_far"), UserId("usr_1"), frozenset({Role.GM}), None)
        await house.refused(house.people.token(badge, house.audience))

    at_house(tmp_path, scenario)


async def _keep(house, tenant, record):
    from shared.ledger.admission import RECORD
    from shared.ports.documents import Create

    await house.on.documents.tenant(TenantId(tenant)).commit([Create(RECORD, record)])


async def _sleep(span):
    import asyncio

    await asyncio.sleep(span.total_seconds())
