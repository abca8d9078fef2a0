"""The first hour judges what a project tells, and says what to do about each thing that is not well."""

import json

import pytest

from infra.first_hour.__main__ import main, plan
from infra.first_hour.checks import CHECKS, PROBE
from infra.first_hour.cloud import Answered, Cloud, Unreached

PLAN = plan()
AT = ["--project=hotel-locks", "--region=europe-west6"]
WELL = {
    "services describe": lambda words: service(PLAN["functions"][words[4]]),
    "composite list": lambda _: [{"name": "a/collectionGroups/credentials/indexes/1", "state": "READY"}],
    "workflows run": lambda _: {"state": "SUCCEEDED"},
    "subscriptions pull": lambda _: [{"message": {"orderingKey": "first-hour"}}],
    "topics publish": lambda _: [],
    "keys list": lambda _: [],
    "buckets list": lambda _: [{"name": "projects/p/locations/r/buckets/keyfleet"}],
    "logging read": lambda words: (
        [{"trace": "projects/hotel-locks/traces/1"}] if "service" in words[3] else []
    ),
    "auth print-identity-token": lambda words: (
        f"token-{'whole' if '--include-email' in words else 'nameless'} {words[3]}"
    ),
}


def service(planned):
    """Return what Cloud Run says of a service that is as planned."""
    container = {"resources": {"limits": {"cpu": f"{planned['cpu'] * 1000:g}m"}}}
    template = {"containers": [container], "containerConcurrency": planned["concurrency"]}
    return {"spec": {"template": {"spec": {**template, "timeoutSeconds": planned["timeout_seconds"]}}}}


class Project:
    """A project that answers as it is told to."""

    def __init__(self, **changes):
        self.answers = {**WELL, **{name.replace("_", " "): answer for name, answer in changes.items()}}
        self.slept, self.asked, self.calls = [], [], {}

    def run(self, command):
        self.asked.append(list(command))
        for name, answer in self.answers.items():
            if all(word in command for word in name.split()):
                told = answer(list(command))
                return told if isinstance(told, str) else json.dumps(told)
        raise Unreached(f"{' '.join(command[:4])}: not in this test")

    def call(self, url, headers, body):
        token = headers.get("authorization", "")
        for word, answer in self.calls.items():
            if word in token:
                return answer
        if not token:
            return Answered(403, "<html>Forbidden")
        if "nameless" in token:
            return Answered(401, '{"error":{"detail":"the token names no service account of this project"}}')
        return Answered(200 if "operator@" in token else 403, "{}", 0.4)

    def cloud(self):
        return Cloud("hotel-locks", "europe-west6", PLAN, self.run, self.call, self.slept.append)


def asked(project, *names):
    said = []
    status = main([*AT, f"--only={','.join(names or CHECKS)}"], project.cloud(), said.append)
    return status, "".join(said)


def test_a_project_that_is_well_is_told_so():
    project = Project()
    status, said = asked(project)
    assert status == 0, said
    assert said.count("✓") == len(CHECKS)
    assert sum(project.slept) > 15 * 60


def signature_taken(project):
    project.calls["operator@"] = Answered(
        401, '{"error":{"detail":"the token\'s signature is not the issuer\'s"}}'
    )


def open_to_strangers(project):
    project.calls["adapter-mock@"] = Answered(200, "{}")


def asleep(project):
    project.calls["operator@"] = Answered(200, "{}", 12.0)


def down(project):
    project.calls["operator@"] = Answered(503, "{}")


ILL = {
    "token": (signature_taken, {}, 'proven_by = "iam"'),
    "shape": (
        None,
        {"services_describe": lambda _: service({"cpu": 0.167, "concurrency": 1, "timeout_seconds": 60})},
        "by hand",
    ),
    "environment": (
        None,
        {"logging_read": lambda _: [{"resource": {"labels": {"service_name": "sweep-due"}}}]},
        "names the variable",
    ),
    "refusals": (open_to_strangers, {}, "invokers"),
    "databases": (
        None,
        {
            "composite_list": lambda _: [
                {"name": "a/collectionGroups/credentials/indexes/1", "state": "CREATING"}
            ]
        },
        "wait",
    ),
    "walk": (None, {"workflows_run": lambda _: {"state": "FAILED"}}, "sagas-fail"),
    "sweep": (down, {}, "no index"),
    "quarantine": (None, {"subscriptions_pull": lambda _: []}, "events-wait"),
    "keys": (None, {"keys_list": lambda _: [{"name": "k"}]}, "delete"),
    "region": (None, {"buckets_list": lambda _: []}, "foundation"),
    "traces": (None, {"logging_read": lambda _: [{"trace": "00-1-2-01"}]}, "traceparent"),
    "thaw": (asleep, {}, "main.py"),
}


def test_every_check_has_a_project_that_fails_it():
    assert ILL.keys() == CHECKS.keys()


@pytest.mark.parametrize("name", ILL)
def test_what_is_not_well_is_told_with_what_to_do(name):
    spoil, changes, remedy = ILL[name]
    project = Project(**changes)
    if spoil:
        spoil(project)
    status, said = asked(project, name)
    assert status == 1
    assert said.startswith(f"✗ {name}: ")
    assert remedy in said


def test_a_token_never_stands_in_what_is_said():
    project = Project(
        workflows_run=lambda _: (_ for _ in ()).throw(Unreached("gcloud workflows run: denied"))
    )
    signature_taken(project)
    assert "token-whole" not in asked(project)[1]


def test_what_cannot_be_reached_is_one_answer_and_the_rest_is_asked():
    status, said = asked(Project(composite_list=unreachable), "databases", "sweep")
    assert status == 1
    assert "✗ databases" in said
    assert "✓ sweep" in said


def unreachable(_):
    raise Unreached("gcloud firestore indexes: PERMISSION_DENIED")


def test_what_would_be_asked_is_listed_with_what_it_settles(capsys):
    said = []
    assert main([*AT, "--list"], None, said.append) == 0
    assert len(said) == len(CHECKS)
    assert "token" in said[0]
    assert "5" in said[0]


def test_a_check_that_is_none_is_refused(capsys):
    with pytest.raises(SystemExit):
        main([*AT, "--only=tokens"])
    assert "no such check as tokens" in capsys.readouterr().err


def test_the_probe_is_a_function_of_the_plan_that_an_operator_may_call():
    assert f"{PROBE}/operator" in PLAN["invokers"]
    assert "sweep-due/operator" in PLAN["invokers"]
    assert f"{PROBE}/adapter-mock" not in PLAN["invokers"]
