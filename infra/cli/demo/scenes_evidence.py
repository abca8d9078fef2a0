"""The night after: the day is closed for good, and what was done at the doors can be shown to a stranger."""

import base64
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from infra.cli.demo.claim import Proof
from infra.cli.demo.scene import Act, Scene
from infra.cli.demo.scenes_arrival import restarted
from infra.cli.demo.stage import Stage
from infra.cli.demo.stay import TENANT

AFTER_MIDNIGHT: Final = timedelta(minutes=20)
BY: Final = "usr_auditor"


def night(stage: Stage) -> Proof:
    """Let the night pass while the fleet is stopped, then have it close the day, as its schedule would."""
    from infra.local.home_clock import HomeClock

    now = stage.patience.clock.now()
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    stage.fleet.stop()
    HomeClock.of(stage.home, movable=True).move((midnight + AFTER_MIDNIGHT - now).total_seconds())
    restarted(stage)
    started = stage.control.call("anchor-due", {"date": now.date().isoformat()})
    ended = stage.until(lambda: _ended(stage, started["execution"]))
    closed: Mapping[str, Any] = ended.get("result") or {}
    held = ended["state"] == "SUCCEEDED" and closed["open"] == []
    return Proof(held, {"state": ended["state"], "closed": closed}, f"{closed.get('date')}, signed")


def evidence(stage: Stage) -> Proof:
    """Take the stay's evidence away, check it with the file an auditor has, and then with one bit turned."""
    from infra.verifier.verify_pack import verify

    asked = {"tenant": TENANT, "kind": "stay", "reservation": stage.stay.id, "by": BY}
    handed = stage.control.call("audit-pack", asked)
    pack, policy = base64.b64decode(handed["pack"]), handed["policy"]
    report, forged = verify(pack, policy), verify(_forged(pack), policy)
    secret = stage.pin.reveal() in pack.decode() + handed["page"]
    seen = {"failures": report.failures, "checked": report.checked, "forged": forged.failures[:1]}
    detail = f"{report.checked.get('entries', 0)} entries; of the forged one: {forged.failures[0]}"
    return Proof(not report.failures and bool(forged.failures) and not secret, seen, detail)


def _ended(stage: Stage, execution: str) -> Mapping[str, Any] | None:
    # Google names an execution below its workflow; the control plane knows it by its own id.
    shown = stage.control.get("executions", execution.rpartition("/")[2])
    return None if shown["state"] in ("ACTIVE", "QUEUED") else shown


def _forged(pack: bytes) -> bytes:
    """Return the pack with one bit turned in the middle."""
    at = len(pack) // 2
    return pack[:at] + bytes([pack[at] ^ 1]) + pack[at + 1 :]


EVIDENCE: Final = Scene(
    "The night after",
    "The day's log is closed and signed; an auditor takes the stay's evidence away, and needs us no more.",
    (
        Act("anchored", "The day was closed, signed, and put into the cell's log.", night),
        Act("evidence", "The stay's evidence verifies offline, and not with one bit of it turned.", evidence),
    ),
)
