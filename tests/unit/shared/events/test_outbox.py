from dataclasses import replace
from datetime import UTC, datetime, timedelta

import orjson
import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.domain.kinds import VendorCode
from shared.domain.stored import Plain
from shared.events.codec import encode, parse
from shared.events.errors import CrossTenant, EventError, InvalidEvent
from shared.events.outbox import Aggregate, AuditFacts, OutboxError, OutboxRow
from shared.ports.document_limits import encode as encoded

ULID = "01HX4Q8ZT9WKE2M7VR5N3BCD6F"
TENANT, KEY = f"tnt_{ULID}", f"key_{ULID}"
REVOKED = "melmastoon.lock.credential.revoked.v1"
NOON = datetime(2026, 5, 3, 12, 0, 0, 250000, UTC)
AUDIT = AuditFacts(
    action="revoked",
    time=NOON,
    trace_id="00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    operator_id="usr_1",
    reason="checkout",
    vendor="ttlock",
    capabilities=("pin", "remote_revoke"),
)


@pytest.fixture
def row(document) -> OutboxRow:
    return OutboxRow.following(Aggregate(TENANT, KEY, 4, NOON), parse(document(REVOKED)), AUDIT)


def test_row_holds_the_exact_bytes_and_counts_on(row, document):
    assert row.body == encode(parse(document(REVOKED)))
    assert (row.sequence, row.event_id, row.subject) == (5, f"evt_{ULID}", REVOKED)
    assert row.ordering_key == KEY
    assert row.attributes == {"sequence": "5", "subject": REVOKED, "tenantId": TENANT}


def test_row_survives_storage(row):
    assert OutboxRow.from_document(row.to_document()) == row


def test_row_is_kept_as_it_is_written_and_is_json_through_and_through(row):
    kept = replace(row.audit, vendor=VendorCode("ttlock"), reason=None)
    document = OutboxRow(TenantId(TENANT), KEY, 5, row.body, kept).to_document()
    assert type(document) is Plain
    assert orjson.loads(encoded(document)) == document
    assert {type(each) for each in document.values()} == {str, int, dict}
    assert {type(each) for each in document["audit"].values()} == {str, list, type(None)}


@pytest.mark.parametrize(
    "wrong", [{"reason": 0.5}, {"staff_user_id": {"id": "usr_1"}}, {"capabilities": (("pin",),)}]
)
def test_row_with_what_no_store_keeps_is_refused_where_it_is_written(row, wrong):
    with pytest.raises(InvalidInput, match="Write a text"):
        OutboxRow(TENANT, KEY, 5, row.body, replace(row.audit, **wrong)).to_document()


def test_saga_is_the_operator_unless_somebody_is_named():
    assert AuditFacts(action="issued", time=NOON, trace_id="t").operator_id == "saga"


def test_row_refuses_another_tenants_aggregate_without_naming_either(document):
    with pytest.raises(CrossTenant) as caught:
        OutboxRow.following(Aggregate("tnt_other", KEY), parse(document(REVOKED)), AUDIT)
    assert isinstance(caught.value, EventError)
    assert ULID not in str(caught.value)


def test_row_refuses_an_event_built_past_its_model(document):
    event = parse(document(REVOKED))
    forged = event.model_copy(update={"data": event.data.model_copy(update={"reason": "boredom"})})
    with pytest.raises(InvalidEvent, match=r"data\.reason"):
        OutboxRow.following(Aggregate(TENANT, KEY), forged, AUDIT)


def test_row_refuses_bytes_that_are_not_a_valid_event(row):
    with pytest.raises(InvalidEvent, match=r"data\.reason"):
        replace(row, body=row.body.replace(b'"checkout"', b'"boredom!"'))


@pytest.mark.parametrize(
    "subject", ["melmastoon.reservation.booking.cancelled.v1", "melmastoon.lock.credential.revoked.local.v1"]
)
def test_row_refuses_subjects_we_do_not_produce(subject, document):
    with pytest.raises(InvalidEvent, match="we do not publish this subject"):
        OutboxRow.following(Aggregate(TENANT, KEY), parse(document(subject)), AUDIT)


def test_row_refuses_a_time_before_the_aggregates_last(document):
    aggregate = Aggregate(TENANT, KEY, 4, NOON + timedelta(milliseconds=1))
    with pytest.raises(OutboxError, match=r"audit\.time"):
        OutboxRow.following(aggregate, parse(document(REVOKED)), AUDIT)


def test_row_refuses_a_sequence_before_the_first(row):
    with pytest.raises(OutboxError, match="sequence"):
        replace(row, sequence=0)


def test_stored_row_of_another_schema_version_is_refused_clearly(row):
    with pytest.raises(OutboxError, match="schemaVersion"):
        OutboxRow.from_document(row.to_document() | {"schemaVersion": 2})


def test_altered_row_is_refused(row):
    with pytest.raises(OutboxError, match="altered"):
        OutboxRow.from_document(row.to_document() | {"eventId": "evt_other"})
    with pytest.raises(CrossTenant):
        OutboxRow.from_document(row.to_document() | {"tenantId": "tnt_other"})


def test_body_stays_out_of_the_repr(row):
    assert "reservationId" not in repr(row)
