"""Days of a log are written as a release before wrote them: tiles, bundles, sealed bodies, checkpoints.

`released/days.v1.json` has the hash of each file, and of where each stream stood. It is never changed: who
holds an older checkpoint proves by those bytes, and a day that one release began the next may make again.
"""

import hashlib
import json
from pathlib import Path

from shared.ledger.audit_log import STREAMS
from shared.usecases.audit import frozen_day
from tests.support.audit_house import DAYS, SILK, Steady, audit_house, checked_out, later, stay
from tests.support.audited import ISSUED, LOCK, PROPERTY, row

RELEASED = json.loads(Path(__file__).with_name("released").joinpath("days.v1.json").read_text("utf-8"))
LOCK_TOLD = "melmastoon.lock.device"


def keys(day):
    """Return the rows of many keys, some of which end the same day."""
    for number in range(90):
        name = f"key_{number:03d}"
        yield from stay(name, day, number % 24, rooms=(f"rmu_{number}", "rmu_lobby"))
        if number % 3:
            yield from checked_out(name, day, ok=number % 2 == 0) if number % 24 < 11 else ()


def oddities(day):
    """Return rows with fractions, texts of people, changes, locks that did not let go, and what is amiss."""
    who = {"keyCredentialId": "key_x", "propertyId": PROPERTY, "reservationId": "rsv_x", "guestId": "gst_x"}
    at = [f"{day}T12:{minute:02}:00.{minute}Z" for minute in range(10, 30)]
    changes = {"validUntil": {"from": f"{day}T11:00:00Z", "to": f"{later(day, 9)}T11:00:00Z"}}
    locks = [{"deviceId": "lck_1", "ok": False, "exposureUntil": f"{later(day, 40)}T00:00:00.5Z"}]
    open_ended = [
        {"deviceId": "lck_2", "ok": False, "exposureUntil": None},
        {"deviceId": "lck_3", "ok": True},
    ]
    told = {**who, "label": "Frau Müller ☃", "floor": "2. Stock", "metadata": {"vendorRevokeOk": False}}
    return [
        row("key_x", 1, at[0], ISSUED, told, operatorId="usr_7", reason="lost", staffUserId="usr_8"),
        row("key_x", 2, at[1], f"{LOCK}.updated.v1", {**who, "changes": changes, "vendorMessage": 'näh "x"'}),
        row("key_x", 4, at[2], f"{LOCK}.revoke_settled.v1", {**who, "locks": locks}, reason="two words here"),
        row(
            "key_y", 1, at[3], f"{LOCK}.revoke_settled.v1", {**who, "locks": open_ended}, capabilities=["a b"]
        ),
        row("key_y", 2, at[2], ISSUED, {**who, "guestId": "gst_other", "rooms": ["rmu 1", "rmu_2"]}),
        row(
            "lck_1",
            1,
            at[4],
            f"{LOCK_TOLD}.health.v1",
            {"metric": {"batteryPct": [81.5, 1e-7, 3]}, "pin": True},
        ),
        row("lck_1", 2, at[5], f"{LOCK_TOLD}.health.v1", {"attempts": 3, "ok": None, "odd": {"pin": "1234"}}),
        row("lck_2", 1, f"{later(day, 1)}T00:00:00Z", f"{LOCK_TOLD}.health.v1", {"deviceId": "lck_2"}),
        row("lck_3", 1, at[6], f"{LOCK_TOLD}.health.v1", {"rooms": ["r" * 120 + str(n) for n in range(150)]}),
    ]


async def released(folder, monkeypatch):
    """Close three days; return the hash of each file of the log, and where its streams stand."""
    monkeypatch.setattr(frozen_day, "PAGE", 50)
    async with audit_house(folder, Steady()) as house:
        await house.tell(*keys(DAYS[0]), *oddities(DAYS[0]))
        await house.close(DAYS[0])
        await house.tell(*stay("key_late", DAYS[0]), *checked_out("key_000", DAYS[1]))
        await house.tell(row("key_020", 9, f"{DAYS[1]}T09:00:00Z"))
        await house.close(DAYS[1])
        await house.close(DAYS[2])
        files = house.embedded.engine.read("SELECT name, data FROM objects ORDER BY name", ())
        streams = house.embedded.engine.read(
            f"SELECT id, unpacked(body) FROM packed WHERE tenant = '{SILK}' AND collection = '{STREAMS}' "
            "ORDER BY id",
            (),
        )
        stood = ((name, json.dumps(json.loads(body), sort_keys=True).encode()) for name, body in streams)
        return {"files": hashes(files), "streams": hashes(stood)}


def hashes(contents):
    return {name: hashlib.sha256(content).hexdigest() for name, content in contents}


async def test_days_are_written_to_the_byte_as_a_release_before_wrote_them(tmp_path, monkeypatch):
    assert await released(tmp_path, monkeypatch) == RELEASED
