"""keyfleet verify: a pack against a policy, without any fleet."""

import json

import pytest

from tests.support.audit_pack import POLICY, three_days
from tests.support.notaries import flipped

PACK = three_days().whole()


@pytest.fixture
def files(tmp_path):
    (tmp_path / "policy").write_text(POLICY, encoding="utf-8")
    (tmp_path / "pack").write_bytes(PACK)
    (tmp_path / "altered").write_bytes(flipped(PACK, 60_000))
    return tmp_path


def verify(run, files, pack, *arguments):
    return run("verify", str(files / pack), "--policy", str(files / "policy"), *arguments)


def test_verify_says_what_was_checked_and_what_to_know(run, files):
    result = verify(run, files, "pack")
    assert result.exit_code == 0
    assert "The pack verifies: 9 entries under 3 anchors, 5 with their bodies." in result.stdout
    assert "! stream key_b: the log itself found a row gap, 4" in result.stdout


def test_verify_says_where_and_what_fails(run, files):
    result = verify(run, files, "altered")
    assert result.exit_code == 1
    assert "The pack does not verify" in result.stdout
    assert "✗ line " in result.stdout
    assert "✗ seal: the pack was changed after it was made" in result.stdout


def test_verify_tells_scripts_the_same(run, files):
    facts = json.loads(verify(run, files, "pack", "--json").stdout)
    assert (facts["verifies"], facts["failures"]) == (True, [])
    assert facts["checked"] == {"anchors": 3, "entries": 9, "bodies": 5}
    assert json.loads(verify(run, files, "altered", "--json").stdout)["verifies"] is False


def test_verify_refuses_what_it_cannot_read(run, files):
    assert verify(run, files, "absent").exit_code == 2
    assert run("verify", str(files / "pack"), "--policy", str(files / "absent")).exit_code == 2
    assert run("verify", str(files / "pack")).exit_code == 2
