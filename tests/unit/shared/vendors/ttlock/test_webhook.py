"""Callbacks that nobody dates: sent again, they are the same notice, whenever they come."""

from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import orjson

from shared.domain.ids import PropertyId, TenantId
from shared.vendor_kit.webhook import Delivered
from shared.vendors.ttlock.webhook import TTLockHooks

NOW = datetime(2026, 5, 1, 9, 0, 5, tzinfo=UTC)
SOON = NOW + timedelta(seconds=40)
LATER = NOW + timedelta(minutes=20)


def told(**form):
    """Return a callback as it comes."""
    return Delivered(
        tenant=TenantId("tnt_silk"),
        property_id=PropertyId("ppt_kabul"),
        token="",
        headers={},
        body=urlencode(form).encode(),
    )


def read(hook, now):
    notice = TTLockHooks().read(hook, now)
    return notice.event_id, notice.newest, notice


def test_a_gateway_that_went_is_one_notice_however_often_that_is_sent():
    gone = told(notifyType="2", gatewayId="501", isOnline="0")
    assert read(gone, NOW) == read(gone, SOON)
    back = told(notifyType="2", gatewayId="501", isOnline="1")
    assert len({read(each, at)[0] for each in (gone, back) for at in (NOW, LATER)}) == 4


def test_records_are_one_notice_whenever_they_come():
    rows = [{"lockId": 7, "lockDate": 1_777_000_000_000, "recordType": 4}]
    records = told(notifyType="1", records=orjson.dumps(rows).decode())
    assert read(records, NOW) == read(records, LATER)
