"""Log lines: Cloud Logging's fields, and nothing secret."""

import io
import json
from datetime import UTC, datetime

import pytest

from shared.domain.secret import Secret
from shared.kernel.log import Log, log_context


@pytest.fixture
def lines():
    return io.StringIO()


@pytest.fixture
def log(lines):
    return Log("keyfleet", lines)


def _read(lines):
    return [json.loads(line) for line in lines.getvalue().splitlines()]


def test_a_line_says_severity_message_and_service(log, lines):
    log.info("started", functions=4)
    assert _read(lines) == [{"severity": "INFO", "message": "started", "service": "keyfleet", "functions": 4}]


def test_a_line_is_dated_where_somebody_gives_a_clock(lines):
    Log("keyfleet", lines, lambda: datetime(2026, 5, 1, 12, tzinfo=UTC)).info("started")
    assert _read(lines)[0]["time"] == "2026-05-01T12:00:00.000+00:00"


def test_context_is_added_inside_and_gone_outside(log, lines):
    with log_context(tenant="tnt_1"), log_context(trace="t"):
        log.warning("inside")
    log.warning("outside")
    inside, outside = _read(lines)
    assert inside["tenant"] == "tnt_1"
    assert inside["trace"] == "t"
    assert "tenant" not in outside


@pytest.mark.parametrize(
    "name",
    ["pin", "PIN", "vendorRef", "vendor_ref", "access_token", "clientSecret", "keyboardPwd", "Authorization"],
)
def test_a_secret_name_hides_its_value_at_any_depth(log, lines, name):
    log.info("called", **{name: "canary-1"}, nested={"list": [{name: "canary-2"}]})
    assert "canary" not in lines.getvalue()


def test_a_secret_value_is_hidden_under_any_name(log, lines):
    log.info("called", harmless=Secret("canary"), deep=[{"x": Secret(b"canary")}])
    assert "canary" not in lines.getvalue()


def test_a_failure_tells_the_place_and_not_the_words(log, lines):
    def fails():
        raise ValueError("canary 123456")

    try:
        fails()
    except ValueError as error:
        log.failure("broke", error)
    (line,) = _read(lines)
    assert line["error"] == "ValueError"
    assert line["at"][-1].endswith(" fails")
    assert "canary" not in lines.getvalue()


@pytest.mark.parametrize(
    "name",
    [
        *("passwordMd5", "username", "displayName", "email", "guestEmail", "phoneE164", "contact", "url"),
        *("client_secret_2", "exchangeToken", "X-Auth-Token"),
    ],
)
def test_l4_whatever_names_a_person_or_lets_in_is_struck_out(log, lines, name):
    log.info("called", **{name: "canary-1"}, nested=[{name: "canary-2"}])
    assert "canary" not in lines.getvalue()


def test_s7_no_field_makes_a_line_of_any_length(log, lines):
    with log_context(trace="x" * 100_000):
        log.info("called", reason="y" * 100_000, nested=["z" * 100_000])
    assert len(lines.getvalue()) < 7_000
    assert "characters more" in lines.getvalue()


TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"


def test_a_line_says_whose_it_is_and_stands_under_its_request(lines):
    with log_context(tenant="tnt_1", trace=TRACE):
        Log("keyfleet", lines, project="hotel").info("issued", keyCredentialId="key_1")
    (line,) = _read(lines)
    assert (line["tenantId"], line["traceId"]) == ("tnt_1", "4bf92f3577b34da6a3ce929d0e0e4736")
    assert line["logging.googleapis.com/trace"] == "projects/hotel/traces/4bf92f3577b34da6a3ce929d0e0e4736"
    assert line["logging.googleapis.com/spanId"] == "00f067aa0ba902b7"


@pytest.mark.parametrize("trace", ["", "00-zz", TRACE.replace("4bf92f3577b34da6a3ce929d0e0e4736", "0" * 32)])
def test_a_trace_that_is_none_is_put_under_no_request(lines, trace):
    with log_context(trace=trace):
        Log("keyfleet", lines, project="hotel").info("issued")
    (line,) = _read(lines)
    assert not [name for name in line if "logging" in name or name in ("traceId", "tenantId")]


def test_what_a_line_says_itself_goes_before_its_context(log, lines):
    with log_context(tenant="tnt_1"):
        log.info("moved", tenantId="tnt_2")
    assert _read(lines)[0]["tenantId"] == "tnt_2"
