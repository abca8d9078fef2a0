"""What the first hour asks, each with what it settles of `infra/docs/cloud-findings.md`, and how to judge it.

| check | is well when |
|---|---|
| shape | every function has the cpu, the concurrency and the time that the plan says |
| token | a call of an operator is taken: Google hands us tokens whole |
| refusals | nobody, somebody else and a token without a name are each refused, and by whom they should be |
| environment | no function crashed, and none misses a variable |
| databases | every index is READY |
| walk | a probe went through Workflows, a retry, a task, a callback, the cipher and both databases |
| sweep | the sweeper answers, so every query that it makes has its index |
| quarantine | a bad message, with an attribute of Google's own, is set aside once, and stays |
| keys | no account of the project has a key in a file |
| region | the fleet's log lies in the region |
| traces | a line of ours stands under its request |
| thaw | after a quiet quarter of an hour the first call is answered in seconds, by the same worker |
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from infra.first_hour.cloud import Answered, Cloud

PROBE: Final = "probe-start"
QUIET_MINUTES: Final = 16
WARM_SECONDS: Final = 5.0
SETTLING_SECONDS: Final = 30.0
BAD_FOR: Final = "melmastoon.tenant.config_updated.v1"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was seen, and what to do if that is not well."""

    well: bool
    saw: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """One question."""

    asks: str
    findings: tuple[int, ...]
    judge: Callable[[Cloud], Verdict]


def shape(cloud: Cloud) -> Verdict:
    """Compare what runs with the plan."""
    amiss = [said for name, each in cloud.plan["functions"].items() for said in _misshapen(cloud, name, each)]
    return Verdict(not amiss, "; ".join(amiss) or "as planned", "terraform plan: it was changed by hand")


def _misshapen(cloud: Cloud, name: str, planned: Mapping[str, object]) -> Iterator[str]:
    told = cloud.told("run", "services", "describe", name, f"--region={cloud.region}")
    template = told["spec"]["template"]["spec"]
    seen = {
        "cpu": float(template["containers"][0]["resources"]["limits"]["cpu"].removesuffix("m")),
        "concurrency": template["containerConcurrency"],
        "timeout_seconds": template["timeoutSeconds"],
    }
    seen["cpu"] = seen["cpu"] / 1000 if seen["cpu"] >= 100 else seen["cpu"]
    for field, value in seen.items():
        if value != planned[field]:
            yield f"{name}: {field} {value:g}, not {planned[field]}"


def token(cloud: Cloud) -> Verdict:
    """Call as operator: finding 5 is decided here."""
    answer = cloud.ask(PROBE)
    if answer.status == 401 and "signature" in answer.text:
        remedy = 'set proven_by = "iam" and apply: Google takes the signature away after its own check'
        return Verdict(False, _seen(answer), remedy)
    return Verdict(
        answer.status == 200, _seen(answer), "see the line `caller not proven` in the function's log"
    )


def refusals(cloud: Cloud) -> Verdict:
    """Be nobody, somebody else, and somebody without a name."""
    wanted = {
        "nobody": (cloud.ask(PROBE, None), 403),
        "an account that may not call": (cloud.ask(PROBE, "adapter-mock"), 403),
        "a token without an e-mail": (cloud.ask(PROBE, email=False), 401),
    }
    amiss = [f"{who}: {answer.status}" for who, (answer, status) in wanted.items() if answer.status != status]
    return Verdict(not amiss, ", ".join(amiss) or "each refused", "compare `invokers` of the plan with IAM")


def environment(cloud: Cloud) -> Verdict:
    """Look for crashes and for what is not set."""
    found = cloud.lines('jsonPayload.message="the function crashed" OR "PlatformUnbound"')
    names = sorted({each["resource"]["labels"]["service_name"] for each in found})
    return Verdict(
        not found, ", ".join(names) or "none", "the line names the variable, or the place in the code"
    )


def databases(cloud: Cloud) -> Verdict:
    """See that every index is READY."""
    waiting = [
        each["name"].rpartition("/collectionGroups/")[2]
        for database in cloud.plan["databases"].values()
        for each in cloud.told("firestore", "indexes", "composite", "list", f"--database={database['id']}")
        if each["state"] != "READY"
    ]
    return Verdict(
        not waiting, ", ".join(waiting) or "all READY", "wait: building takes minutes, with data hours"
    )


def walk(cloud: Cloud) -> Verdict:
    """Let a probe walk the way that a key does."""
    words = ("workflows", "run", "probe_platform", f"--location={cloud.region}")
    told = cloud.told(*words, '--data={"probe":"first-hour","wait_seconds":1}')
    return Verdict(
        told["state"] == "SUCCEEDED",
        told["state"],
        "its error names the step: infra/runbooks/cloud/sagas-fail.md",
    )


def sweep(cloud: Cloud) -> Verdict:
    """Have the sweeper make every query of its own."""
    answer = cloud.ask("sweep-due")
    return Verdict(
        answer.status == 200, _seen(answer), "503 with `no index`: wait; else its log names the service"
    )


def quarantine(cloud: Cloud) -> Verdict:
    """Publish what can never be read, and look for it where it is kept."""
    cloud.gcloud(
        *("pubsub", "topics", "publish", BAD_FOR, "--message=first-hour", "--ordering-key=first-hour"),
        "--attribute=googclient_schemaencoding=JSON",
    )
    cloud.sleep(SETTLING_SECONDS)
    found = cloud.told("pubsub", "subscriptions", "pull", "quarantine", "--limit=20")
    mine = [each for each in found or () if each["message"].get("orderingKey") == "first-hour"]
    saw = f"{len(mine)} of 1 in the quarantine"
    return Verdict(len(mine) >= 1, saw, "infra/runbooks/cloud/events-wait.md: what did the push answer?")


def keys(cloud: Cloud) -> Verdict:
    """Look for passwords in files."""
    found = [
        name
        for name in cloud.plan["identities"]
        if cloud.told(
            *("iam", "service-accounts", "keys", "list", "--managed-by=user"),
            f"--iam-account={name}@{cloud.project}.iam.gserviceaccount.com",
        )
    ]
    return Verdict(not found, ", ".join(found) or "none", "delete them: impersonate the account instead")


def region(cloud: Cloud) -> Verdict:
    """See where lines rest."""
    told = cloud.told("logging", "buckets", "list", f"--location={cloud.region}")
    names = [each["name"].rpartition("/")[2] for each in told or ()]
    return Verdict(
        "keyfleet" in names, ", ".join(names) or "no bucket", "apply: the module foundation makes it"
    )


def traces(cloud: Cloud) -> Verdict:
    """See that a line of ours bears the trace of its request."""
    cloud.ask(PROBE, "adapter-mock")  # a refusal of ours is a line, if Google lets it through to us
    found = cloud.lines('jsonPayload.service="keyfleet"')
    traced = [each for each in found if str(each.get("trace", "")).startswith(f"projects/{cloud.project}/")]
    saw = f"{len(traced)} of {len(found)} lines"
    return Verdict(bool(traced) or not found, saw, "does a traceparent reach the function?")


def thaw(cloud: Cloud) -> Verdict:
    """Leave all alone, and call once."""
    cloud.sleep(QUIET_MINUTES * 60)
    answer = cloud.ask(PROBE)
    killed = cloud.lines('"WORKER TIMEOUT" OR "UNAVAILABLE"', QUIET_MINUTES + 5)
    well = answer.status == 200 and answer.seconds < WARM_SECONDS and not killed
    saw = f"{_seen(answer)} in {answer.seconds:.1f} s, {len(killed)} lines of killed workers"
    return Verdict(well, saw, "is main.py of the archive ours? min_instances keep one warm")


def _seen(answer: Answered) -> str:
    return f"answered {answer.status}"


CHECKS: Final[Mapping[str, Check]] = {
    "token": Check("are tokens handed to us whole?", (5, 7, 22), token),
    "shape": Check("does what runs have its cpu, concurrency and time?", (3, 17, 18), shape),
    "environment": Check("does every function know where it is?", (1, 2, 20), environment),
    "refusals": Check("is everybody else refused?", (21,), refusals),
    "databases": Check("are all indexes READY?", (12, 28), databases),
    "walk": Check("do Workflows, Tasks, callbacks, KMS and both databases work?", (5, 21, 26, 30), walk),
    "sweep": Check("has every query of the sweeper its index?", (12, 18), sweep),
    "quarantine": Check("is a bad message set aside, once, whatever Google adds?", (10, 11), quarantine),
    "keys": Check("has no account a key in a file?", (27,), keys),
    "region": Check("does the log lie in the region?", (34,), region),
    "traces": Check("does a line stand under its request?", (25,), traces),
    "thaw": Check("does an idle instance come back whole?", (4, 15, 16, 23), thaw),
}
"""In the order of asking: what decides about the rest comes first."""
