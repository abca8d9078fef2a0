"""A fleet and its doors as processes of their own, with a bad line between: started, killed, restored."""

import contextlib
import http.client
import json
import shutil
import subprocess
import sys
import time
from datetime import datetime

from infra.cli.address import FleetAddress
from infra.cli.control import ControlPlane
from infra.cli.problems import Problem
from tests.chaos.fleet_process import free_port
from tests.chaos.simulator_process import SimulatorProcess
from tests.soak.outside.bad_line import BadLine
from tests.soak.outside.fleet import UNDER_WAY

START_SECONDS, STEPS_SECONDS, GIVE_UP_SECONDS = 90, 400, 60
CALM, LOOK_SECONDS = 3, 0.2
FRONT = 1000001
LOCKS = {"101": 1000101, "102": 1000102, "203": 1000203, "204": 1000204}


class Silent(Exception):
    """The fleet does not answer: it is dead, or not up yet."""


class House:
    """One home, one port, one set of doors."""

    def __init__(self, folder, seed):
        self.home, self.backup = folder / "home", folder / "backup"
        self.log = folder / "fleet.log"
        self.doors = SimulatorProcess(free_port())
        self.line = BadLine(self.doors.port, seed)
        self.at = FleetAddress(self.home, free_port())
        self.control = ControlPlane(self.at, patience=20)
        self._process, self.kills = None, 0

    def start(self):
        """Run a fleet, and wait until it serves."""
        place = (str(self.home), str(self.at.port), str(self.line.port))
        command = (sys.executable, "-m", "tests.soak.outside.fleet", *place)
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                return self.get("status")
            except Silent:
                assert self._process.poll() is None, self.log.read_text()[-2000:]
                assert time.monotonic() < deadline, "the fleet did not start"
                time.sleep(0.05)

    def kill(self):
        """Kill -9, and start again."""
        self._process.kill()
        self._process.wait()
        self.kills += 1
        self.start()

    def stop(self):
        """Stop it in order."""
        self._process.terminate()
        assert self._process.wait(30) == 0, self.log.read_text()[-2000:]

    def back_up(self):
        """Put the home away, as README says: the fleet is stopped meanwhile."""
        self.stop()
        shutil.copytree(self.home, self.backup)
        self.start()

    def restore(self):
        """Put the backup in the home's place; the sandbox's clock goes on."""
        self.stop()
        ahead = (self.home / "clock.ahead").read_bytes()
        shutil.rmtree(self.home)
        self.backup.rename(self.home)
        (self.home / "clock.ahead").write_bytes(ahead)
        self.start()

    def get(self, *path, **query):
        """Ask the control plane; raise Silent where nobody answers."""
        return self._asked(lambda: self.control.get(*path, **query))

    def call(self, function, **body):
        """Call a function."""
        return self._asked(lambda: self.control.call(function, body))

    def publish(self, event):
        """Publish an event as its producer does; raise Silent where nobody knows whether it was taken."""
        body = {"subject": event["subject"], "event": event}
        return self._asked(lambda: self.control.post("publish", body=body))

    def insist(self, event):
        """Publish an event until somebody says that it was taken."""
        deadline = time.monotonic() + GIVE_UP_SECONDS
        while True:
            try:
                return self.publish(event)
            except Silent:
                assert time.monotonic() < deadline, "nobody takes events any more"
                time.sleep(0.2)

    def now(self):
        """Return what time it is at the fleet."""
        return datetime.fromisoformat(self.get("clock")["now"])

    def later(self, seconds):
        """Let time go on, for fleet and doors, once no adapter works."""
        self._await_steps()
        ahead = self._asked(lambda: self.control.post("clock", body={"seconds": seconds}))
        # Doors go by the machine's clock, and so far ahead of it as the fleet is.
        self.doors.steer("POST", "clock", aheadSeconds=ahead["ahead_seconds"])

    def _await_steps(self):
        calm, deadline = 0, time.monotonic() + STEPS_SECONDS
        while (calm := 0 if self.get("status")["counters"].get(UNDER_WAY) else calm + 1) < CALM:
            assert time.monotonic() < deadline, "an adapter works and works"
            time.sleep(LOOK_SECONDS)

    def codes(self):
        """Return what is in each lock's own memory: its codes, each with its times."""
        locks = self.doors.steer("GET", "state")["locks"]
        return {lock["lockId"]: lock["codes"] for lock in locks}

    def close(self):
        """End everything."""
        with contextlib.suppress(OSError):
            if self._process is not None:
                self._process.kill()
                self._process.wait()
        self.line.close()
        self.doors.close()

    def _asked(self, ask):
        try:
            return ask()
        except (Problem, OSError, http.client.HTTPException, json.JSONDecodeError) as error:
            raise Silent(str(error)) from None
