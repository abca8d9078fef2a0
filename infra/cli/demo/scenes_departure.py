"""The guest leaves: the doors forget, even through another kill, and nobody was told the PIN."""

import json
from collections.abc import Sequence
from typing import Any, Final

from infra.cli.demo.claim import Proof
from infra.cli.demo.doors import BOOKED, DELETING
from infra.cli.demo.scene import Act, Scene
from infra.cli.demo.scenes_arrival import killed, restarted
from infra.cli.demo.stage import Stage
from infra.cli.demo.stay import ON_THE_DAY

SILENCE_SECONDS: Final = 4.0
TOLD: Final = ("requested", "pending", "issued", "revoked", "revoke_settled")
"""What the world hears of a key that is made and taken back, in this order."""


def leave(stage: Stage) -> Proof:
    """Check-out, and a kill at the worst moment: a lock forgot the PIN, and the fleet has not heard."""
    stage.doors.trouble(DELETING, "timeout_after_success", times=1, seconds=SILENCE_SECONDS)
    stage.publish(stage.stay.ended("checked_out", stage.patience.clock.now()))
    holding = stage.until(lambda: _fewer(stage))
    proof = killed(stage)
    held = proof.held and len(holding) == len(BOOKED) - 1
    return Proof(held, {**proof.seen, "doors_with_a_pin": holding})


def settle(stage: Stage) -> Proof:
    """Another fleet takes the rest back, and says what became of it at each lock."""
    stage.doors.mend()
    restarted(stage)
    key = stage.until(lambda: stage.settled("revoked"))
    kept = stage.document("credentials", key["id"])
    locks = [lock["ok"] for lock in kept["credential"]["state"]["settlement"]]
    seen = {"reason": key["reason"], "settlement": locks, "grants": [each["state"] for each in key["grants"]]}
    detail = ", ".join(f"{grant['label']} {grant['state']}" for grant in key["grants"])
    return Proof(key["reason"] == "checkout" and locks == [True] * len(BOOKED), seen, detail)


def shut(stage: Stage) -> Proof:
    """The guest comes back, within the hours that were booked."""
    with stage.doors.later(ON_THE_DAY):
        tried = stage.doors.tried(BOOKED, stage.pin)
    left = [name for name, door in stage.doors.seen().items() if door.pins or door.listed]
    detail = ", ".join(f"{door} {reason}" for door, reason in tried.items())
    return Proof("open" not in tried.values() and not left, {"tried": tried, "left": left}, detail)


def told(stage: Stage) -> Proof:
    """The events of the key, in order, each published."""
    events = [each for each in stage.timeline() if each["source"] == "event"]
    numbered = [each["what"].split()[:2] for each in events]
    expected = [[f"{n}.", f"melmastoon.lock.credential.{what}.v1"] for n, what in enumerate(TOLD, 1)]
    stage.counts["events"] = len(events)
    published = {each["kind"] for each in events} == {"published"}
    return Proof(numbered == expected and published, {"events": numbered}, ", ".join(TOLD))


def silent(stage: Stage) -> Proof:
    """Hunt what is secret in everything that anybody can read."""
    written = {"logs": stage.fleet.words + stage.vendor.words, **_accounts(stage)}
    secrets = (stage.pin.reveal(), *_account())
    found = [where for where, text in written.items() if any(secret in text for secret in secrets)]
    sizes = {where: len(text) for where, text in written.items()}
    detail = f"{sum(sizes.values()):,} characters were searched: {', '.join(sizes)}"
    return Proof(not found and all(sizes.values()), {"found_in": found, "searched": sizes}, detail)


def _account() -> Sequence[str]:
    """Return what opens the sample's account."""
    from infra.local.sample.load import sample_vendor
    from infra.simulators.registry import simulated_vendor

    return simulated_vendor(sample_vendor()).secrets


def _fewer(stage: Stage) -> tuple[str, ...] | None:
    holding = stage.doors.holding()
    return holding if len(holding) < len(BOOKED) else None


def _accounts(stage: Stage) -> dict[str, str]:
    """Return what the fleet tells its operators and the world."""
    keys, executions = stage.keys_of(stage.stay), stage.control.get("executions")["executions"]
    numbers = range(1, len(TOLD) + 1)
    accounts: dict[str, Any] = {
        "keys": keys,
        "events": [
            stage.document("outbox", f"{key['id']}.{number:06d}") for key in keys for number in numbers
        ],
        "sagas": [stage.control.get("executions", each["id"]) for each in executions],
        "timeline": stage.timeline(),
        "dead letters": stage.control.get("dead-letters"),
    }
    return {where: json.dumps(account) for where, account in accounts.items()}


DEPARTURE: Final = Scene(
    "The guest leaves",
    "At check-out the fleet is killed again: the first lock forgot the PIN, and nobody knows of it yet.",
    (
        Act("killed_again", "The fleet was killed with the PIN gone from one door, and still at two.", leave),
        Act(
            "settled", "The next one took back the rest: the revocation is settled, ok at every lock.", settle
        ),
        Act("shut", "The PIN no longer opens any door, and the vendor lists nothing.", shut),
    ),
)
TOLD_THE_WORLD: Final = Scene(
    "What the world was told",
    "Every event of the key was numbered when it happened, so that a gap would show.",
    (
        Act("events", "Five events, numbered without a gap, each published.", told),
        Act(
            "secret",
            "Neither the PIN nor the account at the vendor stands in any log, event, saga or timeline.",
            silent,
        ),
    ),
)
