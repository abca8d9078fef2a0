"""A stage whose fleet, vendor and doors answer as told."""

import pytest

from infra.cli.control import ControlPlane
from infra.cli.demo.doors import BOOKED, NEIGHBOUR, Door
from infra.cli.demo.stage import Stage
from infra.cli.demo.stay import Stay
from shared.domain.secret import Secret

PIN = "48291357"
KEY = "key_1"
SAGA = "01X"


class FakeProcess:
    """A process that starts and dies as told."""

    def __init__(self, pid):
        self.pid, self.exit_status, self.words = pid, -9, "fleet started"

    def start(self):
        self.pid += 10

    def serves(self):
        return {"functions": [{"name": "on-booking-confirmed"}]}

    def kill(self):
        return self.exit_status


class FakeDoors:
    """Doors with a PIN at each that was booked."""

    def __init__(self):
        self.doors = {name: self.door(n, 1) for n, name in enumerate(BOOKED)} | {NEIGHBOUR: self.door(9, 0)}
        self.reasons = {"early": "not_yet_valid", "day": "open", "late": "expired"}
        self.troubles, self.writes, self._time = [], 3, "early"

    @staticmethod
    def door(lock, pins, pin=PIN):
        return Door(lock, (Secret(pin),) * pins, pins)

    def seen(self):
        return self.doors

    def holding(self):
        return tuple(sorted(name for name, door in self.doors.items() if door.pins))

    def tried(self, names, pin):
        return {name: self._reason(self.doors[name], pin) for name in names}

    def written(self):
        return self.writes

    def trouble(self, operation, fault, **rule):
        self.troubles.append(fault)

    def mend(self):
        self.troubles.clear()

    def later(self, ahead):
        self._time = "day" if ahead.days == 0 else "late"
        return self

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._time = "early"

    def _reason(self, door, pin):
        return self.reasons[self._time] if pin in door.pins else "unknown"


WINDOW = {"from": "2026-05-01T01:00:00Z", "until": "2026-05-03T01:00:00Z", "zone": "Asia/Kabul"}


class Told:
    """What the fake fleet tells of the stay, with defaults of a stay that goes well."""

    def __init__(self, fleet):
        self._fleet = fleet
        self.keys(self.key())

    @staticmethod
    def key(**other):
        """Return a key as the control plane shows it."""
        key = {
            "id": KEY,
            "state": "active",
            "reason": None,
            "due_at": "2026-05-03T13:00:00.000Z",
            "attempts": 2,
            "saga": {"execution": SAGA, "generation": 1},
            "window": WINDOW,
            "effective": WINDOW,
            "grants": [{"label": name, "state": "placed"} for name in BOOKED],
        }
        return key | other

    def keys(self, *keys, reservation="rsv_demo"):
        self._fleet.will(
            "GET", f"/credentials?tenant=tnt_silk&reservation={reservation}", {"credentials": list(keys)}
        )

    def timeline(self, *lines):
        told = [dict(zip(("source", "kind", "what"), line, strict=True)) for line in lines]
        self._fleet.will("GET", "/timeline/rsv_demo?tenant=tnt_silk", {"timeline": told})

    def document(self, collection, identity, data):
        self._fleet.will("GET", f"/documents/tnt_silk/{collection}/{identity}", {"document": data})

    def execution(self, state):
        shown = {"id": SAGA, "state": state, "argument": {}, "steps": []}
        self._fleet.will("GET", f"/executions/{SAGA}", shown)
        self._fleet.will("GET", "/executions?state=ACTIVE&workflow=work_on_key", {"executions": [shown]})
        self._fleet.will("GET", "/executions", {"executions": [shown]})


@pytest.fixture
def stage(fleet, patience):
    """A stage in the middle of a demo that goes well."""
    fleet.will("POST", "/publish", {"event_id": "evt_1"})
    stay = Stay("rsv_demo", patience.clock.now())
    made = Stage(
        FakeProcess(41), FakeProcess(51), ControlPlane(fleet.place), FakeDoors(), patience, stay, None
    )
    made.pin, made.execution = Secret(PIN), SAGA
    return made


@pytest.fixture
def told(fleet):
    """What the stage's fleet tells."""
    return Told(fleet)
