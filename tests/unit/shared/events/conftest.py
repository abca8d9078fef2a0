"""The specification's examples with full-length ids, and envelopes around them."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from infra.manifest.load import ROOT
from shared.events.catalogue import CATALOGUE
from shared.events.subject import Direction

EXAMPLES = ROOT / "shared/events/examples"
ULID = "01HX4Q8ZT9WKE2M7VR5N3BCD6F"


def load(direction: str) -> list[tuple[str, dict[str, Any]]]:
    by_subject = json.loads((EXAMPLES / f"{direction}.json").read_text())
    return [(subject, payload) for subject, payloads in by_subject.items() for payload in payloads]


def wrap(subject: str, payload: dict[str, Any], **changes: Any) -> dict[str, Any]:
    envelope = {
        "specVersion": "1.0",
        "id": f"evt_{ULID}",
        "subject": subject,
        "type": subject,
        "source": "/services/lock-integration-service",
        "time": "2026-04-30T10:13:42.117Z",
        "tenantId": f"tnt_{ULID}",
        "traceId": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "correlationId": f"rsv_{ULID}",
        "causationId": f"evt_{ULID}",
        "schemaUrl": f"https://schemas.melmastoon.ghasi.io/lock/{subject}.json",
        "data": payload,
    }
    return envelope | changes


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that asks for `<direction>_example` once for every example of that direction."""
    for direction in Direction:
        name = f"{direction}_example"
        if name in metafunc.fixturenames:
            examples = load(direction)
            ids = [f"{subject.split('.', 1)[1]}-{n}" for n, (subject, _) in enumerate(examples)]
            metafunc.parametrize(name, examples, ids=ids)


@pytest.fixture
def document() -> Callable[..., dict[str, Any]]:
    """A whole document: the first example of a subject, enveloped, with changes to the envelope."""

    def build(subject: str, payload: dict[str, Any] | None = None, **changes: Any) -> dict[str, Any]:
        first = dict(reversed(load(CATALOGUE[subject].direction)))
        return wrap(subject, first[subject] if payload is None else payload, **changes)

    return build
