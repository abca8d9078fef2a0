"""Sleeping and callbacks."""

from datetime import timedelta

import pytest

from infra.local.workflows.ops import AwaitCallback, CreateCallback, Sleep
from infra.local.workflows.outcomes import Done, timed_out
from infra.local.workflows.runner import VIRTUAL_START

CALLBACK = """
- c:
    call: events.create_callback_endpoint
    args: {http_callback_method: PUT}
    result: cb
- w:
    try:
      call: events.await_callback
      args: {callback: "${cb}", timeout: 60}
      result: got
    except:
      as: e
      steps:
        - failed:
            return: ${e.tags}
- d:
    return: ["${cb}", "${got.http_request.body}"]
"""


def test_sleep_asks_for_an_instant(machine):
    built = machine("- s:\n    call: sys.sleep\n    args: {seconds: 1.5}\n")
    assert built.start() == [Sleep(1, VIRTUAL_START + timedelta(seconds=1.5), 1.5)]
    assert built.resume(1, Done(None)) == []
    assert built.verdict.result is None


@pytest.mark.parametrize(
    ("until", "seconds"),
    [
        ('"2024-10-04T00:00:10Z"', 10.0),
        ('"2024-10-04T02:00:10+02:00"', 10.0),
        ('"2000-01-01T00:00:00Z"', 0.0),
    ],
)
def test_sleep_until_asks_for_the_time_left(machine, until, seconds):
    [sleep] = machine(f"- s:\n    call: sys.sleep_until\n    args: {{time: {until}}}\n").start()
    assert sleep.seconds == seconds


@pytest.mark.parametrize(
    ("call", "args", "tag"),
    [
        ("sys.sleep", "{seconds: -1}", "ValueError"),
        ("sys.sleep", "{seconds: soon}", "TypeError"),
        ("sys.sleep", "{seconds: 31536001}", "ValueError"),
        ("sys.sleep_until", "{time: soon}", "ValueError"),
        ("sys.sleep_until", '{time: "2100-01-01T00:00:00Z"}', "ValueError"),
        ("events.create_callback_endpoint", "{http_callback_method: BREW}", "ValueError"),
        ("events.await_callback", "{callback: {url: 'https://other.test'}}", "ValueError"),
        ("events.await_callback", "{callback: 'https://other.test'}", "TypeError"),
        ("events.await_callback", "{callback: {}}", "TypeError"),
    ],
)
def test_waiting_refuses_bad_arguments(verdict, call, args, tag):
    assert tag in verdict(f"- s:\n    call: {call}\n    args: {args}\n").error["tags"]


def test_callback_gives_its_request_to_the_workflow(machine):
    built = machine(CALLBACK)
    [create] = built.start()
    assert isinstance(create, CreateCallback)
    assert create.method == "PUT"
    [wait] = built.resume(create.id, Done("https://callbacks.test/1"))
    assert wait == AwaitCallback(2, create.callback, VIRTUAL_START + timedelta(seconds=60), 60)
    built.resume(wait.id, Done({"http_request": {"body": {"ok": True}}}))
    assert built.verdict.result == [{"url": "https://callbacks.test/1"}, {"ok": True}]


def test_callback_that_never_comes_is_a_timeout_error(machine):
    built = machine(CALLBACK)
    [create] = built.start()
    [wait] = built.resume(create.id, Done("https://callbacks.test/1"))
    built.resume(wait.id, timed_out())
    assert built.verdict.result == ["TimeoutError", "OSError"]


def test_callback_waits_twelve_hours_unless_told_otherwise(machine):
    source = CALLBACK.replace(", timeout: 60", "").replace("{http_callback_method: PUT}", "{}")
    built = machine(source)
    [create] = built.start()
    assert create.method == "POST"
    [wait] = built.resume(create.id, Done("https://callbacks.test/1"))
    assert wait.timeout == 43_200


def test_callback_id_is_not_shown(machine):
    [create] = machine(CALLBACK).start()
    assert create.callback not in repr(create)
