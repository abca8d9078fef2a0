from dataclasses import replace
from datetime import UTC, datetime

import pytest

from shared.events.codec import encode, parse
from shared.events.compose import Stamp, compose, subject_of
from shared.events.device import Capabilities, DeviceBatteryLowV1
from shared.events.errors import InvalidEvent

ULID = "01HX4Q8ZT9WKE2M7VR5N3BCD6F"
STAMP = Stamp(
    id=f"evt_{ULID}",
    tenant_id="tnt_1",
    time=datetime(2026, 4, 30, 7, 32, tzinfo=UTC),
    trace_id="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    correlation_id=f"lck_{ULID}",
)
LOW = DeviceBatteryLowV1(
    device_id=f"lck_{ULID}",
    property_id="ppt_1",
    battery_pct=18,
    threshold_pct=25,
    observed_at=datetime(2026, 4, 30, 7, 32, tzinfo=UTC),
)


def test_compose_finds_the_subject_and_fills_the_envelope():
    event = compose(LOW, STAMP)
    assert event.subject == event.type == "melmastoon.lock.device.battery_low.v1"
    assert event.schema_url.endswith(f"/{event.subject}.json")
    assert event.source == "/services/lock-integration-service"
    assert event.data is LOW
    assert parse(encode(event)) == event


def test_compose_refuses_a_part_that_is_no_payload():
    with pytest.raises(InvalidEvent, match="no subject we publish"):
        subject_of(Capabilities)


def test_compose_names_what_is_wrong_with_the_stamp():
    with pytest.raises(InvalidEvent, match="tenantId"):
        compose(LOW, replace(STAMP, tenant_id="other"))
