"""The demo's acts: what is done to a fleet in each, and what must then be so."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from infra.cli.control import ControlPlane
from infra.cli.demo.claim import Claim
from infra.cli.demo.process import FleetProcess
from infra.cli.patience import OutOfPatience, Patience
from infra.cli.problems import Problem, Refused

CONFIG_UPDATED = "melmastoon.tenant.config_updated.v1"
TENANT, STRANGER, PLATFORM = "tnt_silk", "tnt_unheard_of", "tnt_platform"
POLICY = {"preferredKinds": ["pin_code", "rfid_card"], "pinDigits": 8}
WAIT_SECONDS = 2
SOON, IN_TIME = 5.0, 10.0
PROBE = "demo"

Json = Mapping[str, Any]


@dataclass(slots=True)
class Demo:
    """A fleet, and what is known of it so far."""

    process: FleetProcess
    control: ControlPlane
    patience: Patience
    execution: str = ""
    history: Json = field(default_factory=dict)

    def acts(self) -> Iterator[Claim]:
        """Play everything in order; each act leaves a claim, and stands on those before it."""
        for act in ACTS:
            yield act(self)

    def act(self, name: str, text: str, play: Callable[[], tuple[bool, dict[str, Any]]]) -> Claim:
        """Play one act, and note whether it held; what fails or does not come in time did not."""
        began = self.patience.seconds()
        try:
            held, seen = play()
        except OutOfPatience as late:
            held, seen = False, {"happened": str(late)}
        except Problem as problem:
            held, seen = False, {"happened": problem.message, "remedy": problem.remedy}
        return Claim(name, text, held, round(self.patience.seconds() - began, 3), seen)

    def shown(self) -> Json:
        """Return the execution as it stands, and remember it."""
        self.history = self.control.get("executions", self.execution)
        return self.history

    def document(self, tenant: str, collection: str, identity: str) -> Json:
        """Return a document's data, empty if there is none."""
        return self.control.get("documents", tenant, collection, identity).get("document") or {}


def start(demo: Demo) -> Claim:
    """A first start, in an empty folder."""

    def play() -> tuple[bool, dict[str, Any]]:
        functions = [each["name"] for each in demo.process.start()["functions"]]
        return "on-config-updated" in functions, {"pid": demo.process.pid, "functions": functions}

    return demo.act("starts", "The embedded cloud starts in an empty folder.", play)


def move_in(demo: Demo) -> Claim:
    """The sample hotel."""

    def play() -> tuple[bool, dict[str, Any]]:
        name = demo.document(TENANT, "tenant", "record").get("name")
        return name is not None, {"tenant": TENANT, "name": name}

    return demo.act("sample", "The sample hotel has moved in.", play)


def publish(demo: Demo) -> Claim:
    """An event reaches its function."""

    def play() -> tuple[bool, dict[str, Any]]:
        request = {"subject": CONFIG_UPDATED, "tenant": TENANT, "data": {"keyKindPolicy": POLICY}}
        event = demo.control.post("publish", body=request)["event_id"]
        kept = demo.patience.until(lambda: _kept_for(demo, event), SOON)
        return kept["settings"] == POLICY, {"event": event, "settings": kept["settings"]}

    text = "A published event reached on-config-updated, which keeps the key policy it carried."
    return demo.act("event", text, play)


def start_saga(demo: Demo) -> Claim:
    """A saga is turned away once, comes again, and waits."""

    def play() -> tuple[bool, dict[str, Any]]:
        argument = {"probe": PROBE, "wait_seconds": WAIT_SECONDS}
        body = {"workflow": "probe_platform", "argument": argument}
        demo.execution = demo.control.post("executions", body=body)["execution"]
        steps = demo.patience.until(lambda: _waiting(demo.shown()), SOON)
        retries = [step["what"] for step in steps if step["kind"] == "retry"]
        return len(retries) == 1, {"execution": demo.execution, "retries": retries}

    return demo.act("saga", "A saga was turned away once, came again, and now waits for a callback.", play)


def kill(demo: Demo) -> Claim:
    """kill -9, in mid-saga."""

    def play() -> tuple[bool, dict[str, Any]]:
        state, pid = demo.shown()["state"], demo.process.pid
        status = demo.process.kill()
        return state == "ACTIVE" and status == -9, {"pid": pid, "exit_status": status, "state": state}

    return demo.act("killed", "kill -9, in the middle of the saga.", play)


def start_again(demo: Demo) -> Claim:
    """The same folder, another process."""

    def play() -> tuple[bool, dict[str, Any]]:
        demo.process.start()
        return True, {"pid": demo.process.pid}

    return demo.act("restarted", "Another process starts on the same folder.", play)


def resume(demo: Demo) -> Claim:
    """The saga goes on where it was, and comes to its end."""

    def play() -> tuple[bool, dict[str, Any]]:
        ended = demo.patience.until(lambda: _ended(demo.shown()), IN_TIME)
        result = ended["result"] or {}
        return (ended["state"], result.get("answer")) == ("SUCCEEDED", "here"), {
            "state": ended["state"],
            "result": ended["result"],
        }

    return demo.act("resumed", "The saga went on, the callback arrived, and it SUCCEEDED.", play)


def count_visits(demo: Demo) -> Claim:
    """No finished call is made a second time."""

    def play() -> tuple[bool, dict[str, Any]]:
        visits = demo.document(PLATFORM, "probes", PROBE).get("visits")
        return visits == 2, {"visits": visits}

    text = "No finished call was repeated: the function counted two visits, the refused one and the retry."
    return demo.act("once", text, play)


def policy_survived(demo: Demo) -> Claim:
    """What was acknowledged before the kill is there after it."""

    def play() -> tuple[bool, dict[str, Any]]:
        settings = demo.document(TENANT, "policies", "tenant").get("settings")
        return settings == POLICY, {"settings": settings}

    return demo.act("kept", "The key policy from before the kill is still there.", play)


def refuse(demo: Demo) -> Claim:
    """An invalid event is refused before anything is published."""

    def play() -> tuple[bool, dict[str, Any]]:
        request = {"subject": CONFIG_UPDATED, "tenant": TENANT, "data": {"propertyId": "Room 204"}}
        try:
            demo.control.post("publish", body=request)
        except Refused as refusal:
            return "propertyId" in refusal.message, {"said": refusal.message}
        return False, {"said": None}

    return demo.act("refused", "A malformed event was refused before it was published, by field.", play)


def quarantine(demo: Demo) -> Claim:
    """An event that can never succeed is set aside with its reason."""

    def play() -> tuple[bool, dict[str, Any]]:
        request = {"subject": CONFIG_UPDATED, "tenant": STRANGER, "data": {"keyKindPolicy": POLICY}}
        demo.control.post("publish", body=request)
        letters = demo.patience.until(lambda: _set_aside(demo), SOON)
        told = [{name: letter[name] for name in ("field", "reason", "remedy")} for letter in letters]
        return [letter["field"] for letter in letters] == ["tenantId"], {"set_aside": told}

    text = "An event of an unknown tenant is the one message set aside, with field, reason and remedy."
    return demo.act("quarantined", text, play)


ACTS = (
    start,
    move_in,
    publish,
    start_saga,
    kill,
    start_again,
    resume,
    count_visits,
    policy_survived,
    refuse,
    quarantine,
)


def _kept_for(demo: Demo, event: str) -> Json | None:
    kept = demo.document(TENANT, "policies", "tenant")
    return kept if kept.get("event_id") == event else None


def _waiting(shown: Json) -> list[Json] | None:
    steps: list[Json] = shown["steps"]
    return steps if steps and steps[-1]["kind"] == "asked" and "callback" in steps[-1]["what"] else None


def _ended(shown: Json) -> Json | None:
    return None if shown["state"] == "ACTIVE" else shown


def _set_aside(demo: Demo) -> list[Json] | None:
    return demo.control.get("dead-letters")["messages"] or None
