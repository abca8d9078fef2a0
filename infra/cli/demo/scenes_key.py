"""The key itself: there is one, it opens what was booked, and nothing else opens anything."""

from datetime import timedelta
from typing import Final

from infra.cli.demo.claim import Proof
from infra.cli.demo.doors import BOOKED, NEIGHBOUR, another
from infra.cli.demo.scene import Act, Scene
from infra.cli.demo.scenes_arrival import DELIVERIES, PIN_DIGITS
from infra.cli.demo.stage import Stage
from infra.cli.demo.stay import AFTERWARDS, ON_THE_DAY, Stay

ISSUED: Final = "credential.issued.v1"
UNMAPPED, UNMAPPED_FIELD = "rmu_999", "data.rooms[1]"


def one_key(stage: Stage) -> Proof:
    """What the ledger and the events say."""
    keys = stage.keys_of(stage.stay)
    grants = sorted((grant["label"], grant["state"]) for key in keys for grant in key["grants"])
    told = [what for what in stage.happened("event", "published") if ISSUED in what]
    stage.counts.update(keys=len(keys), locks=len(grants))
    held = (len(keys), len(told)) == (1, 1) and grants == [(name, "placed") for name in BOOKED]
    return Proof(held, {"keys": len(keys), "grants": grants, "issued": told}, "".join(told[:1]))


def one_pin(stage: Stage) -> Proof:
    """What the vendor and its locks say."""
    doors = stage.doors.seen()
    at_locks = {name: (len(door.pins), door.listed) for name, door in doors.items() if door.pins}
    pins = [pin for door in doors.values() for pin in door.pins]
    stage.pin = pins[0] if pins else stage.pin
    same = all(pin == stage.pin for pin in pins) and len(stage.pin.reveal()) == PIN_DIGITS
    written = stage.doors.written()
    held = at_locks == dict.fromkeys(BOOKED, (1, 1)) and same and written == len(BOOKED)
    return Proof(held, {"pins_and_listed": at_locks, "same": same, "written": written})


def opens(stage: Stage) -> Proof:
    """The guest, on the day."""
    with stage.doors.later(ON_THE_DAY):
        tried = stage.doors.tried((*BOOKED, NEIGHBOUR), stage.pin)
    held = tried == {**dict.fromkeys(BOOKED, "open"), NEIGHBOUR: "unknown"}
    return Proof(held, tried, _said(tried))


def strangers(stage: Stage) -> Proof:
    """Somebody else, on the day."""
    with stage.doors.later(ON_THE_DAY):
        tried = stage.doors.tried(BOOKED, another(stage.pin))
    return Proof(set(tried.values()) == {"unknown"}, tried, _said(tried))


def hours(stage: Stage) -> Proof:
    """The guest, too early and too late."""
    early = stage.doors.tried(BOOKED, stage.pin)
    with stage.doors.later(AFTERWARDS):
        late = stage.doors.tried(BOOKED, stage.pin)
    held = set(early.values()) == {"not_yet_valid"} and set(late.values()) == {"expired"}
    return Proof(held, {"early": early, "late": late}, f"early: {_said(early)}\nlate: {_said(late)}")


def quarantine(stage: Stage) -> Proof:
    """A room that nobody has mapped to a lock."""
    bad = Stay("rsv_demo_unmapped", stage.stay.booked, rooms=("rmu_101", UNMAPPED))
    stage.publish(bad.confirmed())
    letters = stage.until(lambda: stage.control.get("dead-letters")["messages"] or None)
    told = [{name: letter[name] for name in ("field", "reason", "remedy")} for letter in letters]
    # The stay is remembered, for somebody must see to it (decision 0071); it names no key.
    keys, record = stage.keys_of(bad), stage.document("reservations", bad.id)
    named = [each["field"] for each in told if each["remedy"]] == [UNMAPPED_FIELD]
    half = [*keys, *record.get("credentials", ())]
    return Proof(
        named and not half,
        {"set_aside": told, "keys": len(keys), "record": record.get("status")},
        "".join(each["reason"] for each in told),
    )


def never(stage: Stage) -> Proof:
    """The cancellation overtakes the booking."""
    off = Stay("rsv_demo_cancelled", stage.stay.booked, rooms=("rmu_203",))
    stage.publish(off.ended("cancelled", off.booked + timedelta(seconds=1)))
    stage.until(lambda: _heard(stage, off, 1))
    stage.publish(off.confirmed())
    record = stage.until(lambda: _heard(stage, off, 2))
    keys, neighbour = len(stage.keys_of(off)), len(stage.doors.seen()[NEIGHBOUR].pins)
    held = (record["status"], keys, neighbour) == ("cancelled", 0, 0)
    return Proof(held, {"status": record["status"], "keys": keys, "pins": neighbour})


def _heard(stage: Stage, stay: Stay, events: int) -> dict[str, str] | None:
    record = dict(stage.document("reservations", stay.id))
    return record if len(record.get("heard", ())) == events else None


def _said(tried: dict[str, str]) -> str:
    return ", ".join(f"{door} {reason.replace('_', ' ')}" for door, reason in tried.items())


ONE_KEY: Final = Scene(
    "One key",
    f"{DELIVERIES} deliveries, an outage and a kill: how many keys did that make?",
    (
        Act("one_key", "One key, one grant at each lock, one `issued` event.", one_key),
        Act(
            "one_pin",
            "The vendor wrote three PINs, one into each lock, all the same; no lock has a second.",
            one_pin,
        ),
    ),
)
DOORS: Final = Scene(
    "At the doors",
    "The PIN is tried on the simulated keypads, and never shown.",
    (
        Act("opens", "On the day it opens both rooms and the front door, and not the neighbour's.", opens),
        Act("stranger", "A stranger's PIN opens nothing.", strangers),
        Act("hours", "An hour too early and an hour too late, the doors stay shut.", hours),
    ),
)
NO_KEY: Final = Scene(
    "What must not become a key",
    "A booking names a room that has no lock; another is cancelled before its confirmation arrives.",
    (
        Act(
            "quarantined",
            "The bad booking is set aside, with field, reason and remedy; no half of it.",
            quarantine,
        ),
        Act("cancelled", "The cancelled stay never gets a key.", never),
    ),
)
