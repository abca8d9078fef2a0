"""An agent that is killed while it makes a key: the next one makes it whole, once."""

import subprocess
import sys
import threading

import pytest

from edge_agent.ledger.ledger import DeskLedger
from infra.local.ambient import SystemEntropy
from infra.simulators.encoders.pn532 import Pn532
from infra.simulators.key_cards.classic_card import ClassicCard
from infra.simulators.wires.pty_port import PtyPort
from tests.architecture.tree import ROOT
from tests.edge.issuing.agent import LEDGER_KEY
from tests.edge.issuing.scene import NOW
from tests.edge.issuing.test_desk import door


class Watched(Pn532):
    """An encoder that tells when it has heard a number of commands, and waits for what becomes of it."""

    def __init__(self, card, stop_at):
        super().__init__(card)
        self.stop_at, self.reached, self.go_on = stop_at, threading.Event(), threading.Event()

    def _struck(self, command):
        answers = super()._struck(command)
        if len(self.commands) == self.stop_at:
            self.reached.set()
            self.go_on.wait(30)
        return answers


def agent(path, port, life):
    """Start the agent."""
    command = [sys.executable, "-m", "tests.edge.issuing.agent", str(path), port, str(life)]
    return subprocess.Popen(command, cwd=ROOT)


@pytest.mark.parametrize("command", [4, 6, 11, 14, 17, 33, 36, 41])
def test_agent_killed_at_a_command_of_the_encoder_makes_one_key(tmp_path, command):
    plastic, path = ClassicCard(), tmp_path / "desk.db"
    device = Watched(plastic, command)
    with PtyPort(device) as line:
        first = agent(path, line.path, 0)
        reached = device.reached.wait(60)
        first.kill()
        first.wait()
        device.go_on.set()
        assert reached, f"the agent never came to command {command}: {len(device.commands)}"

    device.stop_at = 0
    with PtyPort(device) as line:
        assert agent(path, line.path, 1).wait(60) == 0
    before = plastic.writes
    with PtyPort(device) as line:
        assert agent(path, line.path, 2).wait(60) == 0

    ledger = DeskLedger(path, LEDGER_KEY, SystemEntropy())
    (row,) = ledger.unsent()
    (key,) = ledger.keys_in("active")
    assert row.key_id == key.id
    assert ledger.left() == []
    ledger.verify()
    ledger.close()
    assert plastic.writes == before
    assert door().present(plastic, NOW) == "opens"
