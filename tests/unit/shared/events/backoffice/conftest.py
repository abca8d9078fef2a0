"""Document C's own examples, with its shortened ids written out."""

from typing import Any

import pytest

ULID = "01H8YN7QV4D8KZ4F8Y5CK4MV3D"
AT, LATER = "2026-04-23T09:14:22Z", "2026-04-23T17:42:01Z"
HASH = "sha256:" + "ab12" * 16
WHO = {"tenantId": "tnt_01H8Y", "operatorId": "opr_01H8Y", "deviceId": "dev_01H8Y"}
WHERE = {**WHO, "propertyId": "prop_01H8Y"}
APP = {"appVersion": "1.4.2", "appPlatform": "win32"}
ROOT = "melmastoon.bff.backoffice."

EXAMPLES: dict[str, dict[str, Any]] = {
    "session.opened.v1": {
        **WHO,
        **APP,
        "sessionId": f"bos_{ULID}",
        "propertyScope": ["prop_01H8Y"],
        "primaryPropertyId": "prop_01H8Y",
        "roles": ["front_desk_supervisor"],
        "locale": "ps-AF",
        "ipHash": HASH,
        "fingerprintHash": HASH,
        "openedAt": AT,
    },
    "session.closed.v1": {
        "sessionId": f"bos_{ULID}",
        "operatorId": "opr_01H8Y",
        "deviceId": "dev_01H8Y",
        "openedAt": AT,
        "closedAt": LATER,
        "reason": "sign_out",
        "activityCount": 184,
        "lockProxyCount": 7,
        "mutationProxyCount": 41,
    },
    "dashboard.viewed.v1": {
        "tenantId": "tnt_01H8Y",
        "propertyId": "prop_01H8Y",
        "operatorId": "opr_01H8Y",
        "operatorRole": "front_desk_supervisor",
        "viewedAt": AT,
        "renderMode": "composed",
        "partial": False,
        "missingWidgets": [],
        "latencyMs": 412,
    },
    "workbench.opened.v1": {
        "tenantId": "tnt_01H8Y",
        "propertyId": "prop_01H8Y",
        "operatorId": "opr_01H8Y",
        "view": "arrivals",
        "openedAt": AT,
        "renderMode": "cached",
        "itemsRendered": 12,
        "latencyMs": 240,
    },
    "ai_suggestion.decided.v1": {
        **WHERE,
        "suggestionId": "sg_01H8Y",
        "inboxEntryId": "aim_01H8Y",
        "category": "housekeeping_reorder",
        "severity": "attention",
        "decision": {"outcome": "accepted", "modifiedDelta": None, "notesPresent": False},
        "decidedAt": AT,
        "msSinceCreated": 3640012,
        "provenance": {
            "model": "ghasi-ops-v3",
            "modelVersion": "3.2.1",
            "promptVersion": "hk-reorder-v5",
            "modelClass": "cloud",
            "signatureFingerprint": HASH,
        },
    },
    "alert.acknowledged.v1": {
        **WHERE,
        "alertId": "alt_01H8Y",
        "inboxEntryId": "ali_01H8Y",
        "category": "lock_failed",
        "severity": "critical",
        "raisedAt": "2026-04-23T08:42:14Z",
        "acknowledgedAt": AT,
        "msFromRaiseToAck": 1928000,
        "notesPresent": True,
    },
    "operator.activity.v1": {
        **WHERE,
        "sessionId": f"bos_{ULID}",
        "occurredAt": AT,
        "category": "mutation_proxy",
        "action": "reservation.check_in",
        "resourceRef": {"kind": "reservation", "id": "rsv_01H8Y"},
        "outcome": "success",
        "latencyMs": 412,
        "errorCode": None,
    },
    "device.heartbeat.v1": {
        **WHERE,
        **APP,
        "occurredAt": AT,
        "networkProfile": "offline-recently",
        "memoryRssMb": 412,
        "cpuPctOneMin": 6.4,
        "outboxHints": [{"aggregate": "folio.charge", "count": 2, "oldestAgeSeconds": 42}],
        "lastSyncCursorPresent": True,
    },
    "sync.cursor_advanced.v1": {
        **WHO,
        "advanceKind": "pull",
        "cursorBefore": "ck_v1_a1",
        "cursorAfter": "ck_v1_b2",
        "advancedAt": AT,
        "msSinceLastAdvance": 84000,
    },
    "sync.handshake_completed.v1": {
        **WHO,
        "appVersion": "1.4.2",
        "capabilities": ["bulk-pull-v1", "push-batched-v1", "resumable-v1"],
        "outcome": "ok",
        "latencyMs": 220,
        "occurredAt": AT,
        "cursorAccepted": "ck_v1_b2",
    },
    "lock.action_proxied.v1": {
        **WHERE,
        "reservationId": "rsv_01H8Y",
        "vendor": "assa-vostio",
        "action": "issue",
        "outcome": "success",
        "errorCode": None,
        "mfaAttestationUsed": False,
        "occurredAt": AT,
        "upstreamLatencyMs": 614,
    },
}


def head(event: str) -> dict[str, Any]:
    from shared.events.backoffice.catalogue import TELEMETRY

    row = TELEMETRY[ROOT + event]
    return {
        **WHERE,
        **APP,
        "eventId": f"evt_{ULID}",
        "subject": row.subject,
        "version": 1,
        "occurredAt": "2026-04-23T09:14:22.041Z",
        "publishedAt": "2026-04-23T09:14:22.058Z",
        "producer": "bff-backoffice-service",
        "producerInstance": "bff-bo-asia-south1-7f8d9c-x4z2",
        "sessionId": f"bos_{ULID}",
        "requestId": "req_01H8YN7QF9RTBRZG4F8Y5CK4MV",
        "traceId": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "causationId": "evt_01H8YN7QV4D8KZ4F8Y5CK4MV3C",
        "correlationId": "req_01H8YN7QF9RTBRZG4F8Y5CK4MV",
        "schemaUri": row.schema_uri,
        "retentionClass": row.retention,
        "samplingRate": row.rate,
    }


@pytest.fixture(params=EXAMPLES)
def event(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def document(event: str) -> dict[str, Any]:
    return {"envelope": head(event), "payload": EXAMPLES[event]}
