"""Outbox rows as they are stored, of a few stays, for tests of the log."""

import json

from shared.audit.subjects import Subject

ULID = "01HX4Q8ZT9WKE2M7VR5N3BCD6F"
TENANT, PROPERTY = f"tnt_{ULID}", f"ppt_{ULID}"
TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
LOCK = "melmastoon.lock.credential"
ISSUED, REVOKED = f"{LOCK}.issued.v1", f"{LOCK}.revoked.v1"


def key_of(guest):
    """Return a guest's key, the same every time."""
    return guest.encode().ljust(32, b".")


def subject_of(row):
    """Return whom a row of these tests is about."""
    guest = json.loads(row["body"])["data"].get("guestId") or f"gst_of_{row['aggregateId']}"
    return Subject(key_of(guest), guest)


def row(stream="key_a", sequence=1, time="2026-11-18T10:00:00Z", subject=ISSUED, data=None, **facts):
    """Return a row as the outbox keeps it."""
    guest, stay = f"gst_of_{stream}", f"rsv_of_{stream}"
    told = {"keyCredentialId": stream, "propertyId": PROPERTY, "reservationId": stay, "guestId": guest}
    event_id = f"evt_{stream}_{sequence}"
    return {
        "schemaVersion": 1,
        "eventId": event_id,
        "subject": subject,
        "tenantId": TENANT,
        "aggregateId": stream,
        "sequence": sequence,
        "body": json.dumps({"id": event_id, "data": told if data is None else data}),
        "audit": {
            "action": subject.split(".")[3],
            "time": time,
            "traceId": TRACE,
            "operatorId": "saga",
            "staffUserId": None,
            "reason": None,
            "vendor": "ttlock",
            "capabilities": ["pin", "remoteRevoke"],
            **facts,
        },
    }
