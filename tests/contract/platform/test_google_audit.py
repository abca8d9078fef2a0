"""The audit log on Google's ports: rows in Firestore, files in Cloud Storage, keys under KMS."""

import base64
from datetime import timedelta

import orjson
import pytest

from infra.verifier.verify_pack import verify
from shared.usecases.audit.services import PLATFORM
from tests.emulators.fakes.storage import FakeStorage
from tests.support.sample_hotel import SILK

STORAGE = "https://storage.googleapis.com"
WORKFLOW = "workflow-anchor-day"


@pytest.fixture
async def records(house):
    """The hotel's cell, with the bucket of its records."""
    storage = FakeStorage(house.cloud.settings.records_bucket, house.clock)
    house.cloud.internet.neighbours[STORAGE] = storage
    return storage


async def ask(house, function, caller="operator", **body):
    answer = await house.cloud.internet.call(function, orjson.dumps(body), caller=caller)
    assert answer.status == 200, answer.body
    return orjson.loads(answer.body)


async def test_a_day_is_closed_and_a_stays_evidence_verifies(house, records):
    await house.publish("evt_1")
    await house.issued()
    date = house.clock.now().date().isoformat()
    house.clock.ahead += timedelta(days=1)
    listed = await ask(house, "anchor-tenants", WORKFLOW, seen=[])
    assert listed["tenants"] == [SILK, PLATFORM]
    for _ in range(2):
        for tenant in listed["tenants"]:
            assert not (await ask(house, "anchor-tenant", WORKFLOW, tenant=tenant, date=date))["behind"]
        assert (await ask(house, "anchor-cell", WORKFLOW, date=date, seen=[]))["open"] == []
    asked = {"tenant": SILK, "kind": "stay", "reservation": "rsv_1", "by": "usr_auditor"}
    handed = await ask(house, "audit-pack", **asked)
    report = verify(base64.b64decode(handed["pack"]), handed["policy"])
    assert report.failures == []
    assert report.checked["bodies"] == 3
    assert not [call for call in records.calls if call.method == "DELETE"]


async def test_what_signs_and_what_names_a_guest_is_sealed_in_the_database_of_secrets(house, records):
    await house.publish("evt_1")
    await house.issued()
    date = house.clock.now().date().isoformat()
    house.clock.ahead += timedelta(days=1)
    await ask(house, "anchor-tenant", WORKFLOW, tenant=SILK, date=date)
    keys = await house.documents("audit_keys", sealed=True)
    guests = await house.documents("guest_keys", sealed=True)
    assert (len(keys), sorted(guests)) == (1, ["gst_1"])
    assert all(
        base64.b64decode(each["sealed"]).startswith(b"kfg1") for each in (*keys.values(), *guests.values())
    )
    told = str(await house.documents("audit_subjects"))
    assert "gst_1" not in told
