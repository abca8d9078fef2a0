"""The archive, installed and started as Cloud Functions does it, serves every entry point."""

import base64
import json
import os
import time
from pathlib import Path

import pytest

from tests.emulators.installed import FIRESTORE, running
from tests.soak.deployed.installed import FLEET, PLACE, environment_of

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]
MOST_TIMES = 1.7
"""Of the bare framework's CPU, before anything of Google is called (infra/docs/cloud-findings.md).

The most that was seen is 1.31; the rest is for a machine whose caches others use, and a clock of 10 ms.
"""
STARTED = 3
"""So often at most: what else this machine does makes a start slower, and none leaner; `test_instructions.py`
counts instructions."""
ENTRIES = list(FLEET["functions"])
STARTS = "KEYFLEET_STARTS"
"""Names a file that is told what each start took."""


def token(caller, function):
    """Return a token as a function sees it where Google has checked it: its signature is taken away."""
    now = int(time.time())
    claims = {"iss": "https://accounts.google.com", "aud": f"{PLACE['base_url']}/{function}", "iat": now}
    claims |= {"exp": now + 600, "email": f"{caller}@{PLACE['email_domain']}"}
    parts = (json.dumps(part).encode() for part in ({"alg": "RS256", "kid": "k"}, claims))
    head, body = (base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)
    return f"Bearer {head}.{body}.SIGNATURE_REMOVED_BY_GOOGLE"


@pytest.fixture(scope="module")
def bare(deployed, tmp_path_factory):
    """The CPU seconds of the framework's emptiest function to its first answer: the middle of five starts."""
    empty, taken = deployed.bare(tmp_path_factory.mktemp("bare")), []
    for _ in range(5):
        with empty.served("nothing", "nothing", FUNCTION_USE_ASGI="true") as nothing:
            nothing.ask()
            taken.append(nothing.cpu_seconds())
    return sorted(taken)[2]


@pytest.fixture(scope="module")
def starts(bare):
    """What each start took, told to whoever asks for it by a variable."""
    taken = {}
    yield taken
    if path := os.environ.get(STARTS):
        Path(path).write_text(json.dumps({"bare": bare, "taken": taken}, indent=1, sort_keys=True))


@pytest.mark.parametrize("name", ENTRIES)
def test_an_entry_is_served_asks_who_calls_and_starts_lean(name, deployed, bare, starts):
    entry, taken = FLEET["functions"][name], float("inf")
    for _ in range(STARTED):
        with deployed.served(name, entry["entry_point"], **environment_of(name)) as function:
            status, answer = function.ask()
            taken = starts[name] = min(taken, function.cpu_seconds())
        if taken <= MOST_TIMES * bare:
            break
    assert taken <= MOST_TIMES * bare, f"{name} takes {taken:.2f} s, the framework alone {bare:.2f} s"
    if FLEET["functions"][name]["open_to_all"]:  # each asks in its own way, and has nothing at its root
        assert status in (401, 403, 404, 405), answer
    else:
        assert status == 401
        assert "Bearer" in answer["error"]["detail"]


def test_a_function_without_its_environment_says_which_variable_is_missing(deployed):
    with deployed.served("probe-answer", "probe_answer", FUNCTION_USE_ASGI="true") as function:
        status, answer = function.ask()
    assert status == 503
    assert "GOOGLE_CLOUD_PROJECT: not set" in answer["error"]["detail"]


def test_a_deployed_function_does_its_work_for_whom_it_may(deployed):
    with running(FIRESTORE) as address:
        environment = {
            **environment_of("probe-answer"),
            "KEYFLEET_PROVEN_BY": "iam",
            "KEYFLEET_REHEARSAL": "true",
            "FIRESTORE_EMULATOR_HOST": address,
        }
        body = json.dumps({"probe": "hour-1", "execution": f"e-{time.time_ns()}"}).encode()
        with deployed.served("probe-answer", "probe_answer", **environment) as function:
            stranger = function.ask(body, authorization=token("cloud-tasks", "probe-answer"))
            caller = token("workflow-probe-platform", "probe-answer")
            first, second = (function.ask(body, authorization=caller) for _ in range(2))
    assert stranger[0] == 403
    assert (first[0], second[0]) == (503, 200)
    assert second[1]["visits"] == 2
