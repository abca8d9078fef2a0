"""A booking on a bad day: the vendor breaks down, everything arrives a hundred times, the fleet dies."""

from collections.abc import Mapping
from typing import Any, Final

from infra.cli.answer import moment
from infra.cli.demo.claim import Proof
from infra.cli.demo.doors import ADDING, BOOKED, OFFLINE
from infra.cli.demo.scene import Act, Scene
from infra.cli.demo.stage import Json, Stage
from infra.cli.demo.stay import TENANT

CONFIG_UPDATED: Final = "melmastoon.tenant.config_updated.v1"
PIN_DIGITS: Final = 8
DELIVERIES: Final = 100
"""A clear no. After silence a grant is watched for minutes, for the call might still arrive at its lock."""
CONFIRMED: Final = "on-booking-confirmed"


def start(stage: Stage) -> Proof:
    """Both processes, at the same time."""
    for process in (stage.vendor, stage.fleet):
        process.start()
    stage.vendor.serves()
    functions = len(stage.fleet.serves()["functions"])
    hotel = stage.document("tenant", "record").get("name")
    pids = {"fleet": stage.fleet.pid, "vendor": stage.vendor.pid}
    detail = (
        f"{hotel}; the fleet of {functions} functions is process {pids['fleet']}, the vendor {pids['vendor']}"
    )
    return Proof(hotel is not None, {"hotel": hotel, "functions": functions, **pids}, detail)


def wish(stage: Stage) -> Proof:
    """An event reaches its function, which keeps what it says."""
    data = {"keyKindPolicy": {"preferredKinds": ["pin_code", "rfid_card"], "pinDigits": PIN_DIGITS}}
    request = {"subject": CONFIG_UPDATED, "tenant": TENANT, "data": data}
    event = stage.control.post("publish", body=request)["event_id"]
    settings = stage.until(lambda: _kept_for(stage, event))
    return Proof(settings == data["keyKindPolicy"], {"settings": settings})


def deliver(stage: Stage) -> Proof:
    """One event, a hundred times, in a day's worst hour."""
    stage.doors.trouble(ADDING, OFFLINE, after=1)
    event, before = stage.stay.confirmed(), _acknowledged(stage.control.get("status"))
    stage.publish(event, DELIVERIES)
    status = stage.until(lambda: _all_taken(stage, before))
    keys, set_aside = len(stage.keys_of(stage.stay)), status["parked"]
    return Proof((keys, set_aside) == (1, 0), {"keys": keys, "set_aside": set_aside})


def half_made(stage: Stage) -> Proof:
    """The saga is told no, and will come again; one door has its PIN by now."""
    rests = stage.until(lambda: _resting(stage))
    refused, holding = stage.happened("attempt", "refused"), stage.doors.holding()
    held = bool(refused) and len(holding) == 1 and set(holding) <= set(BOOKED)
    seen = {"refused": refused, "again_in": rests, "doors_with_a_pin": holding}
    return Proof(held, seen, f"{''.join(refused[-1:])}\nagain in {rests}")


def kill(stage: Stage) -> Proof:
    """kill -9, in mid-saga."""
    active = stage.control.get("executions", state="ACTIVE", workflow="work_on_key")["executions"]
    stage.execution = active[0]["id"] if active else ""
    proof = killed(stage)
    return Proof(proof.held and len(active) == 1, {**proof.seen, "active_sagas": len(active)})


def resume(stage: Stage) -> Proof:
    """Another process on the same folder; the vendor is well again."""
    stage.doors.mend()
    before = restarted(stage)
    # The start is noted along with the first commit after it.
    resumed = stage.until(lambda: stage.happened("saga", "resumed") or None)
    seen = {"pid": stage.fleet.pid, "pid_before": before, "resumed": len(resumed)}
    return Proof(
        stage.fleet.pid != before and len(resumed) == 1, seen, f"process {stage.fleet.pid} follows {before}"
    )


def issued(stage: Stage) -> Proof:
    """The saga comes to its end, and the key is active."""
    stage.until(lambda: _ended(stage))
    key = stage.until(lambda: stage.settled("active"))
    stage.counts["attempts"] = key["attempts"]
    execution = key["saga"]["execution"].rpartition("/")[2]  # Google's names begin with the workflow's
    held = execution == stage.execution and key["saga"]["generation"] == 1
    locks = ", ".join(sorted(grant["label"] for grant in key["grants"]))
    detail = f"{key['id']}: PIN {'•' * PIN_DIGITS} at {locks}\n{_window(key['effective'])}"
    return Proof(held, {"key": key["id"], "attempts": key["attempts"], "saga": dict(key["saga"])}, detail)


def killed(stage: Stage) -> Proof:
    """End the fleet without warning."""
    pid, status = stage.fleet.pid, stage.fleet.kill()
    stage.counts["kills"] += 1
    return Proof(status == -9, {"pid": pid, "exit_status": status})


def restarted(stage: Stage) -> int:
    """Start another fleet in the same folder, and return the process that it follows."""
    before = stage.fleet.pid
    stage.fleet.start()
    stage.fleet.serves()
    return before


def _kept_for(stage: Stage, event: str) -> Mapping[str, Any] | None:
    kept = stage.document("policies", "tenant")
    settings: Mapping[str, Any] = kept.get("settings", {})
    return settings if kept.get("event_id") == event else None


def _acknowledged(status: Json) -> int:
    return int(status["counters"].get("acks", 0))


def _all_taken(stage: Stage, before: int) -> Json | None:
    status = stage.control.get("status")
    waiting = status["backlog"].get(CONFIRMED, 0)
    return status if not waiting and _acknowledged(status) - before >= DELIVERIES else None


def _resting(stage: Stage) -> str | None:
    saga = [each for each in stage.timeline() if each["source"] == "saga"]
    kind, what = (saga[-1]["kind"], str(saga[-1]["what"])) if saga else ("", "")
    return what.removeprefix("sleep ") if kind == "asked" and what.startswith("sleep ") else None


def _ended(stage: Stage) -> Json | None:
    execution = stage.control.get("executions", stage.execution)
    return None if execution["state"] == "ACTIVE" else execution


def _window(window: Json) -> str:
    begins, ends = (f"{moment(window[end])} UTC" for end in ("from", "until"))
    return f"from {begins} until {ends}; the hotel keeps the time of {window['zone']}"


EMPTY_FOLDER: Final = Scene(
    "An empty folder",
    "A fleet and a simulated lock vendor start, each a process of its own. There is no cloud and no account.",
    (
        Act("starts", "Both answer, and the sample hotel has moved in.", start),
        Act("event", f"The hotel wants PINs of {PIN_DIGITS} digits; the event reached its function.", wish),
    ),
)
BAD_DAY: Final = Scene(
    "A bad day to book",
    "Two rooms are booked; the event comes a hundred times at once; after one door no other is reached.",
    (
        Act("delivered", f"All {DELIVERIES} deliveries were taken, and one key was requested.", deliver),
        Act(
            "outage",
            "One door has its PIN, two could not be reached; the saga will ask again by itself.",
            half_made,
        ),
    ),
)
KILL: Final = Scene(
    "kill -9",
    "The fleet dies with the key half made. The vendor reaches its locks again; another process takes over.",
    (
        Act("killed", "The fleet was killed without warning, in the middle of the saga.", kill),
        Act("resumed", "The new process found the saga in its journal, and took it up.", resume),
        Act("issued", "The same saga came to its end: the key is issued.", issued),
    ),
)
