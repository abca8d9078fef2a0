"""A tenant's policy: the newest settings stand, whatever order they came in."""

from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.kinds import KeyCredentialKind
from shared.domain.policy import DEFAULT_POLICY
from shared.ledger.policies import policy_of, settings_for
from shared.ledger.premises import premises_of
from shared.ports.documents import Create, Ref
from shared.usecases.hotels.reload_policy import ReloadPolicy, reload_policy
from tests.support.few_doors import ROOMS, door, move_in
from tests.support.ledger_books import KABUL
from tests.support.simulated import play

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


def _change(digits, *, minutes=0, event="evt_1", of=None):
    return ReloadPolicy({"pinDigits": digits}, event, NOON + timedelta(minutes=minutes), of)


def _in_store(home, scenario):
    async def inside(on):
        from shared.domain.ids import TenantId

        return await scenario(on.fleet.documents.tenant(TenantId("tnt_new")))

    return play(home, inside)


@pytest.mark.parametrize("order", list(permutations((0, 1, 2))))
def test_the_newest_change_stands_in_every_order_of_arrival(tmp_path, order):
    async def scenario(store):
        for minutes in order:
            await reload_policy(_change(6 + minutes, minutes=minutes), store)
        return policy_of(await settings_for(store, "ppt_1")).pin_digits

    assert _in_store(tmp_path, scenario) == 8


@pytest.mark.parametrize("order", list(permutations(("evt_1", "evt_2"))))
def test_changes_of_the_same_instant_are_told_apart_by_id(tmp_path, order):
    async def scenario(store):
        for event in order:
            await reload_policy(_change(6 if event == "evt_1" else 8, event=event), store)
        return policy_of(await settings_for(store, "ppt_1")).pin_digits

    assert _in_store(tmp_path, scenario) == 8


def test_a_duplicate_changes_nothing(tmp_path):
    async def scenario(store):
        return [await reload_policy(_change(7), store) for _ in range(3)]

    assert _in_store(tmp_path, scenario) == [True, False, False]


def test_a_propertys_settings_lie_over_its_tenants(tmp_path):
    async def scenario(store):
        tenant = ReloadPolicy({"preferredKinds": ["rfid_card"], "pinDigits": 7}, "evt_1", NOON)
        await reload_policy(tenant, store)
        await reload_policy(_change(8, of="ppt_1"), store)
        return policy_of(await settings_for(store, "ppt_1")), policy_of(await settings_for(store, "ppt_2"))

    one, other = _in_store(tmp_path, scenario)
    assert (one.pin_digits, other.pin_digits) == (8, 7)
    assert one.preferred_kinds == other.preferred_kinds == (KeyCredentialKind.RFID_CARD,)


def test_without_settings_the_default_policy_stands(tmp_path):
    assert policy_of(_in_store(tmp_path, lambda store: settings_for(store, "ppt_1"))) == DEFAULT_POLICY


@pytest.mark.parametrize("settings", [{"pinDigits": 3}, {"preferredKinds": ["canary"]}, {"unknown": 1}])
def test_bad_settings_are_refused_and_nothing_is_kept(tmp_path, settings):
    async def scenario(store):
        command = ReloadPolicy(settings, "evt_1", NOON)
        with pytest.raises(InvalidInput) as refusal:
            await reload_policy(command, store)
        return str(refusal.value), await store.get(Ref("policies", "tenant"))

    said, kept = _in_store(tmp_path, scenario)
    assert next(iter(settings)) in said
    assert "canary" not in said
    assert kept is None


async def test_settings_are_in_the_premises_of_every_property_at_once(books):
    await move_in(books, door(1, ROOMS[:1], "pin"))
    await reload_policy(_change(7), books.documents)
    assert (await premises_of(books.documents, KABUL)).settings == ({"pinDigits": 7}, {})
    await reload_policy(_change(8, of=KABUL), books.documents)
    assert (await premises_of(books.documents, KABUL)).settings == ({"pinDigits": 7}, {"pinDigits": 8})


async def test_duplicate_finishes_what_the_first_delivery_died_in(books):
    await move_in(books, door(1, ROOMS[:1], "pin"))
    command = _change(7)
    await books.documents.commit([Create(command.ref, command.document())])
    assert not await reload_policy(command, books.documents)
    assert (await premises_of(books.documents, KABUL)).settings == ({"pinDigits": 7}, {})
