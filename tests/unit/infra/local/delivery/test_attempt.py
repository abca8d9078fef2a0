"""An attempt has one outcome, told without body or token."""

import asyncio

import pytest

from infra.local.delivery.attempt import Outcome, Target, attempt
from infra.local.simulation.loop import run_virtually
from shared.vendor_kit.http import Answer, CallFault, ConnectionBroken, ConnectionFailed, TimedOut
from tests.support.delivery_rig import PlainTokens

TARGET = Target("http://fleet.local/a", "audience", "caller", 10.0)


class Far:
    """A transport whose far end is one answer, or one exception."""

    def __init__(self, result, takes=0.0):
        self.result, self.takes = result, takes

    async def send(self, call):
        await asyncio.sleep(self.takes)
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result


def outcome(far, tokens=None):
    return run_virtually(lambda _: attempt(far, tokens or PlainTokens(), TARGET, {}, b"secret body"))


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (Answer(204), Outcome(204, "answered 204")),
        (Answer(500, {}, b"PIN 1234"), Outcome(500, "answered 500")),
        (Answer(503, {"Retry-After": "7"}), Outcome(503, "answered 503", 7.0)),
        (Answer(503, {"Retry-After": "Wed, 21 Oct"}), Outcome(503, "answered 503")),
        (ConnectionFailed("10.0.0.1"), Outcome(None, "no connection")),
        (ConnectionBroken("PIN 1234"), Outcome(None, "the connection broke before an answer")),
        (TimedOut(), Outcome(None, "no answer in time")),
        (CallFault("odd"), Outcome(None, "no answer")),
        (ValueError("PIN 1234"), Outcome(None, "the call failed with ValueError")),
    ],
    ids=str,
)
def test_whatever_happens_is_an_outcome_that_quotes_nothing(result, expected):
    assert outcome(Far(result)) == expected


def test_an_answer_after_the_deadline_is_none():
    assert outcome(Far(Answer(204), takes=10.1)) == Outcome(None, "no answer within 10 s")


def test_a_token_that_cannot_be_minted_is_a_failed_attempt():
    class NoTokens:
        def token(self, caller, audience):
            raise LookupError(caller)

    assert outcome(Far(Answer(204)), NoTokens()) == Outcome(None, "the call failed with LookupError")


def test_cancellation_passes_through():
    async def cancelled(_):
        trying = asyncio.ensure_future(attempt(Far(Answer(204), 5), PlainTokens(), TARGET, {}, b""))
        await asyncio.sleep(1)
        trying.cancel()
        await asyncio.wait({trying})
        return trying.cancelled()

    assert run_virtually(cancelled)


@pytest.mark.parametrize(
    ("status", "ok"), [(199, False), (200, True), (299, True), (300, False), (None, False)]
)
def test_ok_is_any_2xx(status, ok):
    assert Outcome(status, "").ok is ok
