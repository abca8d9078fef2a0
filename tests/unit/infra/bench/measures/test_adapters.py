"""What is measured of adapters: every dialect that a vendor is asked in over the wire, and what is theirs."""

import time

import pytest

from infra.bench.measures import adapters
from infra.bench.programs.vendor_over_tls import TIMING, Timed
from infra.simulators.registry import simulated_vendors
from shared.vendor_kit.registry import dialects_of, installed_vendors


def str_of(each):
    """Return what a case is called."""
    return getattr(each, "name", each)


def test_every_vendor_with_a_wire_is_measured():
    spoken = [code for code, _ in adapters.spoken()]
    assert set(spoken) == {*simulated_vendors()} <= {*installed_vendors()}
    assert len({*spoken}) < len(spoken) == len(adapters.FIGURES) / 4
    assert all(dialects_of(code) for code in spoken)


@pytest.mark.parametrize(("code", "dialect"), [*adapters.spoken()], ids=str_of)
def test_a_dialect_has_its_budget_beside_what_is_its_own(code, dialect):
    overhead = adapters.FIGURES[adapters.OVERHEAD.format(code, dialect.name)]
    issue = adapters.FIGURES[adapters.ISSUE.format(code, dialect.name)]
    assert (overhead.floor, issue.floor) == (25, dialect.budget_ms)
    assert 1200 <= dialect.budget_ms <= 2000


def test_keys_that_were_asked_for_in_one_instant_are_told_apart_from_those_in_flight():
    told = {"at_once": [(140.0, 100.0)] * 32, "took": [(110.0, 100.0)] * 200, "cpu_ms_each": 0.5}
    assert adapters.figured("acme", "cloud", told) == {
        "adapter.acme_cloud_overhead_p95_ms_at_32": 10.0,
        "adapter.acme_cloud_at_once_p95_ms_at_32": 40.0,
        "adapter.acme_cloud_issue_p95_ms_at_32": 110.0,
        "adapter.acme_cloud_cpu_ms_each_at_32": 0.5,
    }


async def test_an_application_that_is_busy_counts_its_work_as_its_own_time():
    sent = []

    async def app(_scope, _receive, send):
        until = time.perf_counter() + 0.02
        while time.perf_counter() < until:
            pass
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message):
        sent.append(message)

    await Timed(app)({}, None, send)
    ((_, told),) = sent[0]["headers"]
    assert float(told.rpartition(b"=")[2]) >= 20


async def test_an_application_says_how_long_a_request_took_it():
    sent = []

    async def app(_scope, _receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"a", b"b")]})
        await send({"type": "http.response.body", "body": b""})

    async def send(message):
        sent.append(message)

    await Timed(app)({}, None, send)
    (kept, (name, told)), _ = sent[0]["headers"], sent[1]
    assert (kept, name) == ((b"a", b"b"), TIMING)
    assert float(told.rpartition(b"=")[2]) >= 0
