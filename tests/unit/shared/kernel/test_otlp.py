"""Spans on their way to a collector: OTLP's JSON, in batches, scrubbed, and never in anybody's way."""

import asyncio

import orjson
import pytest

from shared.kernel import otlp
from shared.kernel.otlp import AT_ONCE, MOST_KEPT, OtlpExporter
from shared.kernel.spans import CLIENT, Finished, Span


class Collector:
    """Takes bodies, or does not."""

    def __init__(self):
        self.bodies, self.answer = [], True

    async def __call__(self, body):
        self.bodies.append(orjson.loads(body))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    @property
    def spans(self):
        return [each for body in self.bodies for each in body["resourceSpans"][0]["scopeSpans"][0]["spans"]]


@pytest.fixture
def collector():
    return Collector()


@pytest.fixture
def exporter(collector, monkeypatch):
    monkeypatch.setattr(otlp, "LINGERS", 0.0)
    return OtlpExporter(collector, {"service.name": "lock-integration-service", "faas.name": ""})


def _finished(**attributes):
    span = Span("vendor lock/add", "1" * 16, "2" * 16, 5, CLIENT, attributes, ended=9, failed=True)
    return Finished("a" * 32, [span])


async def test_a_span_is_told_in_the_words_of_otlp(exporter, collector):
    exporter.keep(_finished(tenantId="tnt_silk", tries=3, ok=False, empty=None))
    await exporter.flush()
    (body,) = collector.bodies
    assert body["resourceSpans"][0]["resource"]["attributes"] == [
        {"key": "service.name", "value": {"stringValue": "lock-integration-service"}}
    ]
    assert collector.spans == [
        {
            "traceId": "a" * 32,
            "spanId": "1" * 16,
            "parentSpanId": "2" * 16,
            "name": "vendor lock/add",
            "kind": 3,
            "startTimeUnixNano": "5",
            "endTimeUnixNano": "9",
            "attributes": [
                {"key": "tenantId", "value": {"stringValue": "tnt_silk"}},
                {"key": "tries", "value": {"intValue": "3"}},
                {"key": "ok", "value": {"boolValue": False}},
            ],
            "status": {"code": 2},
        }
    ]


async def test_nothing_that_a_secrets_name_hides_is_told(exporter, collector):
    exporter.keep(_finished(pin="482913", vendorRef="ref-9", displayName="A Guest", accessToken="tk_1"))
    await exporter.flush()
    said = orjson.dumps(collector.bodies).decode()
    assert not [each for each in ("482913", "ref-9", "A Guest", "tk_1") if each in said]


async def test_requests_are_told_together_some_time_later(exporter, collector):
    for _ in range(3):
        exporter.keep(_finished())
    assert collector.bodies == []
    await asyncio.sleep(0.01)
    assert (len(collector.bodies), len(collector.spans)) == (1, 3)


@pytest.mark.parametrize("answer", [False, OSError("unreachable")])
async def test_a_collector_out_of_reach_costs_its_spans_and_nothing_else(exporter, collector, answer):
    collector.answer = answer
    exporter.keep(_finished())
    await exporter.flush()
    assert exporter.lost == 1
    collector.answer = True
    exporter.keep(_finished())
    await exporter.flush()
    assert (exporter.lost, len(collector.bodies)) == (1, 2)


async def test_of_too_many_the_oldest_are_forgotten(exporter, collector):
    for number in range(MOST_KEPT + 10):
        exporter.keep(_finished(number=number))
    await exporter.flush()
    assert exporter.lost == 10
    assert len(collector.spans) == MOST_KEPT
    assert len(collector.bodies) == MOST_KEPT // AT_ONCE
