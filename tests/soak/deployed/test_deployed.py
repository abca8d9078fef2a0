"""The archive, installed and started as Cloud Functions does it, serves every entry point."""

import base64
import json
import time

import pytest

from infra.manifest.load import load_manifest
from tests.emulators.installed import FIRESTORE, running
from tests.soak.deployed.installed import FLEET, PLACE, Deployed, environment_of

pytestmark = [pytest.mark.soak, pytest.mark.timeout(600)]
MOST_TIMES, OF_ROUTES = 3, 4.5
"""Measured on a busy machine: up to 2.6 times, and 3.4 for the API, whose first request loads its routes."""
FUNCTIONS = [name for name, each in FLEET["functions"].items() if each["kind"] == "function"]


@pytest.fixture(scope="module")
def deployed(tmp_path_factory):
    return Deployed.at(tmp_path_factory.mktemp("deployed"))


def token(caller, function):
    """Return a token as a function sees it where Google has checked it: its signature is taken away."""
    now = int(time.time())
    claims = {"iss": "https://accounts.google.com", "aud": f"{PLACE['base_url']}/{function}", "iat": now}
    claims |= {"exp": now + 600, "email": f"{caller}@{PLACE['email_domain']}"}
    parts = (json.dumps(part).encode() for part in ({"alg": "RS256", "kid": "k"}, claims))
    head, body = (base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)
    return f"Bearer {head}.{body}.SIGNATURE_REMOVED_BY_GOOGLE"


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_is_served_and_asks_who_calls(name, deployed):
    with deployed.served(name, FLEET["functions"][name]["entry_point"], **environment_of(name)) as function:
        status, answer = function.ask()
    if FLEET["functions"][name]["open_to_all"]:  # each asks in its own way, and has nothing at its root
        assert status in (401, 403, 404), answer
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


@pytest.mark.parametrize("name", ["on-booking-confirmed", "adapter-ttlock", "sweep-due", "lock-api"])
def test_a_cold_start_takes_little_more_than_the_framework_s_own(name, deployed, tmp_path):
    family = load_manifest().functions[name]
    with deployed.bare(tmp_path).served("nothing", "nothing", FUNCTION_USE_ASGI="true") as nothing:
        nothing.ask()
        least = nothing.cpu_seconds()
    with deployed.served(name, family.entry_point, **environment_of(name)) as function:
        function.ask()
        taken = function.cpu_seconds()
    most = OF_ROUTES if name == "lock-api" else MOST_TIMES
    assert taken <= most * least, f"{name} takes {taken:.2f} s, the framework alone {least:.2f} s"
