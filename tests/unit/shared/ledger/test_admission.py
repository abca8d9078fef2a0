"""Tenants at the door: known, and of this cell, or not at all."""

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ledger.admission import RECORD, admit_tenant
from shared.ports.documents import Create
from tests.support.simulated import play


def test_a_known_tenant_of_this_cell_is_admitted(tmp_path):
    async def scenario(on):
        return (await admit_tenant(on.fleet.documents, "tnt_silk", "local")).store.tenant

    assert play(tmp_path, scenario) == "tnt_silk"


@pytest.mark.parametrize(
    ("tenant", "cell", "said"),
    [
        ("tnt_unknown", "local", "onboard the tenant"),
        ("tnt_silk", "me-central1", "the tenant's own cell"),
        ("silk", "local", "tnt_"),
        ("", "local", "tnt_"),
    ],
)
def test_anybody_else_is_refused_with_the_remedy(tmp_path, tenant, cell, said):
    async def scenario(on):
        with pytest.raises(InvalidInput, match=said) as refusal:
            await admit_tenant(on.fleet.documents, tenant, cell)
        return refusal.value.field

    assert play(tmp_path, scenario) == "tenantId"


def test_a_tenant_of_another_cell_stores_nothing(tmp_path):
    async def scenario(on):
        elsewhere = on.fleet.documents.tenant(TenantId("tnt_gulf"))
        await elsewhere.commit([Create(RECORD, {"data_residency": "me-central1"})])
        writes = on.fleet.counters["document_writes"]
        event = {
            "subject": "melmastoon.tenant.config_updated.v1",
            "tenant": "tnt_gulf",
            "data": {"keyKindPolicy": {"pinDigits": 8}},
        }
        await on.send("_cloud/publish", event, caller="operator")
        import asyncio

        await asyncio.sleep(10)
        _, letters = await on.send("_cloud/dead-letters", caller="operator", method="GET")
        return on.fleet.counters["document_writes"] - writes, letters["messages"]

    written, (letter,) = play(tmp_path, scenario)
    assert written == 0
    assert "another cell" in letter["reason"]
