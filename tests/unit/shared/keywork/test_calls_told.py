"""Each call of a vendor is told in one line, well or not; what was never asked, or is not over, in none."""

import io
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import orjson
import pytest

from shared.domain.lock_errors import LockErrorCause, VendorUnreachable
from shared.kernel.log import Log
from shared.keywork.calls_told import tell_of_call
from shared.keywork.rounds import Answer
from shared.ports.lock import InHand
from shared.ports.lock_causes import LockCause

NOW = datetime(2026, 11, 20, tzinfo=UTC)


def told(outcome):
    """Return what the log says of a call that took a second and a half."""
    stream = io.StringIO()
    key = SimpleNamespace(id="key_1", credential=SimpleNamespace(tenant="tnt_silk"))
    task = SimpleNamespace(vendor="mock", entry=key, services=SimpleNamespace(log=Log("test", stream)))
    tell_of_call(task, "place", Answer(outcome, NOW, NOW + timedelta(seconds=1.5)))
    return [orjson.loads(line) for line in stream.getvalue().splitlines()]


def unreachable(kind):
    return VendorUnreachable(vendor="mock", cause=LockErrorCause(kind))


@pytest.mark.parametrize(("outcome", "result"), [(None, "done"), (unreachable(LockCause.TIMEOUT), "timeout")])
def test_a_call_is_told_with_what_came_of_it_and_how_long_it_took(outcome, result):
    (line,) = told(outcome)
    assert (line["vendor"], line["action"], line["result"]) == ("mock", "place", result)
    assert (line["well"], line["milliseconds"]) == (outcome is None, 1500)
    assert (line["tenantId"], line["keyCredentialId"]) == ("tnt_silk", "key_1")


@pytest.mark.parametrize("outcome", [InHand("job_1", NOW), unreachable(LockCause.CIRCUIT_OPEN)])
def test_what_is_not_over_or_was_never_asked_is_not_told(outcome):
    assert told(outcome) == []
