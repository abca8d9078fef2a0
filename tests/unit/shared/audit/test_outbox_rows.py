"""What the outbox really stores, of every event that we produce, becomes an entry."""

import json

import pytest

from infra.manifest.load import ROOT
from shared.audit.entries import action_entry
from shared.audit.kept import NEVER_KEPT
from shared.audit.subjects import Subject
from shared.audit.text import parsed
from shared.events.codec import parse
from shared.events.outbox import Aggregate, AuditFacts, OutboxRow
from shared.events.wire import read_instant
from shared.usecases.audit.spelling import FAST

ULID = "01HX4Q8ZT9WKE2M7VR5N3BCD6F"
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
TIME = "2026-04-30T10:13:42.117Z"
EXAMPLES = json.loads((ROOT / "shared/events/examples/produced.json").read_text(encoding="utf-8"))
ALL = [(subject, payload) for subject, payloads in EXAMPLES.items() for payload in payloads]


def stored(subject, payload):
    """Return the document of an event's outbox row."""
    envelope = {
        "specVersion": "1.0",
        "id": f"evt_{ULID}",
        "subject": subject,
        "type": subject,
        "source": "/services/lock-integration-service",
        "time": TIME,
        "tenantId": f"tnt_{ULID}",
        "traceId": TRACE,
        "correlationId": f"rsv_{ULID}",
        "schemaUrl": f"https://schemas.melmastoon.ghasi.io/lock/{subject}.json",
        "data": payload,
    }
    facts = AuditFacts(
        action=subject.split(".")[3],
        time=read_instant(TIME),
        trace_id=TRACE,
        operator_id=f"usr_{ULID}",
        vendor="assa-abloy",
        capabilities=("mobile_key", "pin"),
    )
    event = parse(envelope, exact=True)
    return OutboxRow.following(Aggregate(f"tnt_{ULID}", f"key_{ULID}"), event, facts).to_document()


@pytest.mark.parametrize(("subject", "payload"), ALL, ids=[subject for subject, _ in ALL])
def test_each_event_that_is_produced_becomes_an_entry(subject, payload):
    guest = payload.get("guestId")
    entry = action_entry(stored(subject, payload), Subject(b"k" * 32, guest))
    header = parsed(entry.header)
    assert (header["type"], header["seq"], header["at"]) == (subject, 1, TIME)
    assert (header["operator"], header["vendor"], header["trace"]) == (f"usr_{ULID}", "assa-abloy", TRACE)
    assert header["capabilities"] == ["mobile_key", "pin"]
    assert len(entry.header) <= 1_024
    assert set(parsed(entry.body)["withheld"]) <= set(NEVER_KEPT)
    assert b"gst_" not in entry.header + entry.body
    assert action_entry(stored(subject, payload), Subject(b"k" * 32, guest), FAST) == entry
    assert b"tk_" not in entry.header + entry.body
