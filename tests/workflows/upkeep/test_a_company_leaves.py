"""A company leaves: what is kept of it is handed out whole, and goes for good but for the audit log."""

import asyncio
from datetime import timedelta

import orjson
import pytest

from infra.local import tenancy
from infra.local.secrets import SqliteSecrets
from infra.local.tenancy import AUDIT, PROOFS_OF_PEOPLE, Tenancy, next_of
from shared.ports.bus import Message
from shared.ports.documents import Create, Ref, StorageFull
from tests.support.sample_hotel import SILK, message, play

DEACTIVATED = "melmastoon.tenant.property.deactivated.v1"
OTHER = "tnt_silk-road"
TWO_NIGHTS = 2 * 86_400


class PowerCut(StorageFull):
    """The third commit of a removal was not made."""


async def closed(house):
    """Have the hotel closed, its keys gone, the audit log closed behind them, and some of it expired."""
    told = orjson.loads(message("evt_closed").data) | {
        "id": "evt_closed",
        "subject": DEACTIVATED,
        "data": {"propertyId": "ppt_kabul"},
    }
    await house.fleet.bus.publish(DEACTIVATED, [Message(orjson.dumps(told))])
    await house.settled()
    await asyncio.sleep(TWO_NIGHTS)
    await expired(house)


async def expired(house):
    """Keep something whose time is over in both stores, not yet swept away."""
    a_minute_ago = house.fleet.platform.clock.now() - timedelta(minutes=1)
    for store in (house.fleet.documents, house.fleet.sealed):
        for collection in ("backoffice_heard", "api_requests"):
            over = Create(Ref(collection, "evt_over"), {}, expires_at=a_minute_ago)
            await store.tenant(SILK).commit([over])


async def asked(house, path="", body=None, method="GET"):
    raw = b"" if body is None else orjson.dumps(body)
    return await house.on.send(f"_cloud/tenants/{SILK}{path}", raw, caller="operator", method=method)


async def removed(house):
    return await asked(house, "/removal", {"tenant": SILK, "by": "usr_7"}, "POST")


def test_nothing_goes_while_a_key_may_open_a_door(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await house.settled()
        _, standing = await asked(house)
        status, refused = await removed(house)
        _, after = await asked(house)
        return standing["hindered"], status, str(refused), standing == after

    hindered, status, refused, same = play(tmp_path, scenario)
    for part in (
        "ppt_kabul is not closed: keyfleet bulk revoke --tenant tnt_silk --property ppt_kabul --by usr_…",
        "keys are not over: keyfleet credentials --tenant tnt_silk",
        "locks may still open to live keys or to what is left: keyfleet residue list --tenant tnt_silk",
        "not closed up to 2026-03-01: once it is over, keyfleet audit anchor --date 2026-03-01",
    ):
        assert any(part in each for each in hindered), part
    assert (status, same) == (400, True)
    assert "nothing was removed" in refused


def test_a_company_goes_through_a_power_cut_and_leaves_the_audit_log_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(tenancy, "AT_ONCE", 5)

    async def scenario(house):
        secrets = house.fleet.platform.secrets
        account = (await secrets.latest("lock-ttlock-tnt_silk-ppt_kabul-api")).value
        await secrets.add(f"lock-ttlock-{OTHER}-ppt_x-api", account)
        await house.publish("evt_1")
        await house.settled()
        await closed(house)
        _, before = await asked(house)
        await broken_off(house, after=2)
        _, halfway = await asked(house)
        status, remains = await removed(house)
        _, again = await removed(house)
        assert (await secrets.latest(f"lock-ttlock-{OTHER}-ppt_x-api")).value == account
        assert status == 200
        return before, halfway, remains, again

    before, halfway, remains, again = play(tmp_path, scenario)
    assert before["hindered"] == []
    assert before["secrets"] > 0
    assert 0 < sum(halfway["documents"].values()) < sum(before["documents"].values())
    assert {*remains["documents"], *remains["sealed"]} <= AUDIT
    assert (halfway["secrets"], remains["secrets"]) == (before["secrets"], 0)
    assert remains["removed"]["main"] > 0
    assert (again["removed"], again["digest"]) == ({"sealed": 0, "main": 0}, remains["digest"])
    for part in ("audit_logs", "audit_streams"):
        assert remains["documents"][part] == before["documents"][part]
    assert remains["audit_files"] == before["audit_files"] > 0


async def broken_off(house, after):
    """Remove, and have the commit after so many fail as if the power went."""
    store, commits = house.fleet.documents, []

    class Cut:
        async def forget(self, tenant, refs):
            commits.append(refs)
            if len(commits) > after:
                raise PowerCut
            return await store.forget(tenant, refs)

    engine, secrets = house.fleet.means.engine, SqliteSecrets(house.fleet.means.engine, house.fleet.cipher)
    with pytest.raises(PowerCut):
        await Tenancy(engine, Cut(), house.fleet.sealed, secrets).remove(SILK)


def test_an_export_is_every_document_once_and_nothing_to_sign_in_by(tmp_path):
    async def scenario(house):
        await house.publish("evt_1")
        await house.settled()
        place, found = ("", ""), []
        while place is not None:
            _, page = await asked(house, f"/documents?collection={place[0]}&id={place[1]}")
            found += page["documents"]
            place = page["next"]
        _, standing = await asked(house)
        return found, standing

    found, standing = play(tmp_path, scenario)
    places = [(each["collection"], each["id"]) for each in found]
    assert len(places) == len(set(places)) == sum(standing["documents"].values())
    assert {each["collection"] for each in found if each["data"] is None} <= PROOFS_OF_PEOPLE
    assert next_of(found[:1]) is None


def test_an_unknown_company_and_the_cell_itself_are_refused(tmp_path):
    async def scenario(house):
        answers = []
        for name in ("tnt_nobody", "tnt_platform"):
            status, told = await house.on.send(f"_cloud/tenants/{name}", method="GET", caller="operator")
            answers.append((status, "not a company of this cell" in str(told)))
        return answers

    assert play(tmp_path, scenario) == [(400, True), (400, True)]
