"""An agent that is killed while it writes a job's card: the next one finishes that card alone."""

import subprocess
import sys

import pytest

from edge_agent.ledger.desk_tables import WRITTEN
from edge_agent.ledger.ledger import DeskLedger
from infra.local.ambient import SystemEntropy
from infra.simulators.key_cards.classic_card import ClassicCard
from infra.simulators.wires.pty_port import PtyPort
from tests.architecture.tree import ROOT
from tests.edge.desk.writer import LEDGER_KEY
from tests.edge.issuing.scene import NOW
from tests.edge.issuing.test_desk import door
from tests.edge.issuing.test_killed_agent import Watched

SOAK = [4, 6, 8, 11, 14, 17, 20, 24, 33, 40, 46, 53]


def agent(path, port):
    """Start the agent."""
    command = [sys.executable, "-m", "tests.edge.desk.writer", str(path), port]
    return subprocess.Popen(command, cwd=ROOT)


def struck_or_over(device, process):
    """Say within a minute whether the encoder heard the command, or the agent ended before it came so far."""
    for _ in range(1200):
        if device.reached.wait(0.05) or process.poll() is not None:
            break
    return device.reached.is_set() or process.poll() == 0


@pytest.mark.parametrize("command", [pytest.param(each, marks=pytest.mark.soak) for each in SOAK])
def test_agent_killed_at_a_command_of_the_encoder_leaves_one_card_of_one_job(tmp_path, command):
    plastic, path = ClassicCard(), tmp_path / "desk.db"
    device = Watched(plastic, command)
    with PtyPort(device) as line:
        first = agent(path, line.path)
        reached = struck_or_over(device, first)
        first.kill()
        first.wait()
        device.go_on.set()
        assert reached, f"the agent never came to command {command}: {len(device.commands)}"

    device.stop_at = 0
    with PtyPort(device) as line:
        assert agent(path, line.path).wait(60) == 0
    before = plastic.writes
    with PtyPort(device) as line:
        assert agent(path, line.path).wait(60) == 0

    ledger = DeskLedger(path, LEDGER_KEY, SystemEntropy())
    row = ledger.jobs.get("job_1")
    ledger.close()
    assert (row.step, row.told, row.uid) == (WRITTEN, True, plastic.uid.hex())
    assert plastic.writes == before
    assert door().present(plastic, NOW) == "opens"
