"""Staff at work: a shift opens its floor and no other, its end shuts it, and whoever is fired opens none."""

from datetime import timedelta
from typing import Any, Final

from infra.cli.demo.claim import Proof
from infra.cli.demo.doors import BOOKED, NEIGHBOUR
from infra.cli.demo.scene import Act, Scene
from infra.cli.demo.stage import Stage
from infra.cli.demo.stay import TENANT
from shared.domain.secret import Secret

HOUSEKEEPER, PROPERTY = "usr_demo", "ppt_kabul"
SHIFT_LASTS: Final = timedelta(hours=8)
STARTED, ENDED = "melmastoon.staff.shift.started.v1", "melmastoon.staff.shift.ended.v1"
FIRED: Final = "melmastoon.iam.user.deactivated.v1"


def begin(stage: Stage) -> Proof:
    """A housekeeper comes on duty for the first floor."""
    pin = _on_duty(stage, "demo-early")
    tried = stage.doors.tried((*BOOKED, NEIGHBOUR), pin)
    opened = [door for door, reason in tried.items() if reason == "open"]
    stage.staff_pin = pin
    return Proof(sorted(opened) == sorted(BOOKED), {"tried": tried}, f"opened {', '.join(opened)}")


def end(stage: Stage) -> Proof:
    """The shift ends."""
    stage.publish(_told(stage, ENDED, shiftId="demo-early"))
    return _shut(stage)


def fire(stage: Stage) -> Proof:
    """Another shift begins, and in the middle of it the housekeeper loses the account."""
    stage.staff_pin = _on_duty(stage, "demo-late")
    stage.publish(_told(stage, FIRED, userId=HOUSEKEEPER))
    proof = _shut(stage)
    keys = stage.control.get("staff", property=PROPERTY, tenant=TENANT)["masterKeys"]
    states = [key["state"] for key in keys]
    return Proof(
        proof.held and set(states) == {"expired"}, {**proof.seen, "master_keys": states}, proof.detail
    )


def _on_duty(stage: Stage, shift: str) -> Secret[str]:
    """Let a shift begin; return the one PIN that its doors were told."""
    now = stage.patience.clock.now().replace(microsecond=0)
    told = {
        "shiftId": shift,
        "staffUserId": HOUSEKEEPER,
        "propertyId": PROPERTY,
        "validFrom": (now - timedelta(minutes=1)).isoformat(),
        "validUntil": (now + SHIFT_LASTS).isoformat(),
        "scopes": ["floor:1"],
    }
    stage.publish(_told(stage, STARTED, **told))
    return stage.until(lambda: _one_pin(stage))


def _one_pin(stage: Stage) -> Secret[str] | None:
    seen = stage.doors.seen()
    pins = [seen[name].pins for name in BOOKED]
    return pins[0][0] if all(len(each) == 1 for each in pins) else None


def _shut(stage: Stage) -> Proof:
    """Wait until no door has a PIN, and try the one that was."""
    stage.until(lambda: None if stage.doors.holding() else True)
    tried = stage.doors.tried(BOOKED, stage.staff_pin)
    detail = ", ".join(f"{door} {reason}" for door, reason in tried.items())
    return Proof("open" not in tried.values(), {"tried": tried}, detail)


def _told(stage: Stage, subject: str, **data: Any) -> dict[str, Any]:
    now = stage.patience.clock.now()
    return {
        "specVersion": "1.0",
        "id": f"evt_demo_{subject.split('.')[-2]}_{data.get('shiftId', 'all')}".replace("-", "_"),
        "subject": subject,
        "time": now.isoformat(),
        "tenantId": TENANT,
        "data": data,
    }


STAFF: Final = Scene(
    "Staff at work",
    "A housekeeper's shift begins on the first floor, ends, begins again, and then they lose their account.",
    (
        Act("shift", "One PIN opens the doors of the shift's floor, and no other.", begin),
        Act("shift_over", "The shift is over: the PIN opens nothing.", end),
        Act("fired", "Fired in the middle of a shift: the key is gone from every door.", fire),
    ),
)
