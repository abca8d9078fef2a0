"""A desk's machine: units that systemd reads, a service with little left to take, encoders that are ours."""

import re
import subprocess

import pytest

from tests.architecture.tree import ROOT
from tests.edge.installed import needs_systemd

DESK = ROOT / "infra" / "desk"
UNITS = sorted(path.name for path in DESK.iterdir() if path.suffix in (".service", ".timer", ".path"))
MOST_EXPOSED = 2.0


@pytest.fixture
def units(tmp_path):
    """The units beside each other, with programs that are on this machine too."""
    needs_systemd()
    for name in UNITS:
        text = (DESK / name).read_text()
        text = re.sub(
            r"^ExecStart=/var/lib/keyfleet-releases/\w+/keyfleet-edge",
            "ExecStart=/bin/true",
            text,
            flags=re.MULTILINE,
        )
        (tmp_path / name).write_text(text)
    return tmp_path


def analyzed(*words):
    """Ask systemd what it thinks."""
    done = subprocess.run(["systemd-analyze", *map(str, words)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_units_are_read_without_a_word(units):
    code, said = analyzed("verify", "--man=no", *(units / name for name in UNITS))
    ours = [line for line in said.splitlines() if "keyfleet" in line]
    assert (code, ours) == (0, [])


def test_agent_is_left_with_little(units):
    _, said = analyzed("security", "--offline=yes", units / "keyfleet-edge.service")
    assert float(re.search(r"exposure level for keyfleet-edge.service: ([\d.]+)", said)[1]) <= MOST_EXPOSED


def test_agents_keys_come_encrypted_and_it_cannot_write_its_own_program():
    text = (DESK / "keyfleet-edge.service").read_text()
    assert re.findall(r"^LoadCredentialEncrypted=([\w-]+):", text, re.MULTILINE) == [
        "device-key",
        "ledger-key",
    ]
    assert "ProtectSystem=strict" in text
    assert "keyfleet-releases" not in "".join(
        re.findall(r"^(?:StateDirectory|ReadWritePaths)=.*", text, re.MULTILINE)
    )
    users = {name: re.findall(r"^User=(.*)", (DESK / name).read_text(), re.MULTILINE) for name in UNITS}
    assert users["keyfleet-edge.service"] != users["keyfleet-edge-update.service"]


def test_rules_are_pairs_of_names_and_values_and_every_way_out_is_there():
    text = (DESK / "60-keyfleet-encoders.rules").read_text()
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    pair = r'[A-Z]+(\{[\w./]+\})?(==|=)"[^"]*"'
    assert [line for line in lines if not re.fullmatch(f"{pair}(, {pair})*", line)] == []
    assert set(re.findall('GOTO="(\\w+)"', text)) == set(re.findall('LABEL="(\\w+)"', text))
    assert set(re.findall('GROUP="([\\w-]+)"', text)) <= set(
        re.findall(r"^g (\S+)", (DESK / "keyfleet-edge.sysusers").read_text(), re.MULTILINE)
    )
