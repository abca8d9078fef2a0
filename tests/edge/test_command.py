"""How the desk's command ends: what a person must set right is told apart from what may pass."""

import pytest

from edge_agent import command
from edge_agent.agent.machine import EncoderUnclear
from edge_agent.cloud.line import CloudSilent
from edge_agent.pairing.identity import NotPaired
from edge_agent.pairing.keychain import KeychainUnsafe
from edge_agent.release.manifest import ReleaseRefused


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (EncoderUnclear("write NAME=MODEL@…"), 78),
        (KeychainUnsafe("sign in"), 78),
        (NotPaired("pair it"), 78),
        (CloudSilent("no answer"), 1),
        (ReleaseRefused("older"), 1),
    ],
)
def test_trouble_is_a_line_and_an_end_that_the_service_understands(trouble, code, monkeypatch, capsys):
    def troubled():
        raise trouble

    monkeypatch.setattr(command, "app", troubled)
    with pytest.raises(SystemExit) as ended:
        command.main()
    assert (ended.value.code, capsys.readouterr().err) == (code, f"✗ {trouble}\n")
