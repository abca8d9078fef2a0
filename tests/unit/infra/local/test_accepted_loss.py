"""A loss that somebody accepted: told, dated, and the evidence kept."""

import json

import pytest

from infra.local.fleet import open_fleet
from infra.local.simulation.loop import run_virtually
from infra.local.storage.connection import connect, read_meta
from infra.local.storage.database import Damaged
from infra.local.storage.mark import Mark
from infra.local.upkeep import LOSSES
from infra.local.world import FleetConfig, World
from tests.support.simulated import play


def _shortened(home):
    """Leave a home whose mark promises five commits more than the file has."""

    async def nothing(on):
        return None

    play(home, nothing)
    writer, mark = connect(home / "fleet.db"), Mark(home / "fleet.mark")
    identity, commit = read_meta(writer)
    writer.close()
    mark.reset(identity, commit + 5)
    mark.close()


def _opened(home, **options):
    async def main(clock):
        lines = []
        log = type("Lines", (), {"write": lambda _, line: lines.append(line)})()
        from shared.kernel.log import Log

        config = FleetConfig(home, sample=True, **options)
        async with open_fleet(config, World(clock=clock, threaded=False, log=Log("keyfleet", log))):
            return "".join(lines)

    return run_virtually(main)


def test_without_leave_a_shortened_database_is_not_served(tmp_path):
    _shortened(tmp_path)
    with pytest.raises(Damaged, match="5 acknowledged group commits are missing"):
        _opened(tmp_path)
    assert not (tmp_path / LOSSES).exists()


def test_an_accepted_loss_is_told_and_noted_and_the_evidence_kept(tmp_path):
    _shortened(tmp_path)
    before = (tmp_path / "fleet.db").read_bytes()
    lines = _opened(tmp_path, accept_loss=True)
    (note,) = map(json.loads, (tmp_path / LOSSES).read_text().splitlines())
    assert (tmp_path / LOSSES).stat().st_mode & 0o777 == 0o600
    assert "5 acknowledged group commits" in note["finding"]
    assert note["at"].startswith("2026-")
    assert (tmp_path / note["kept_as"]).read_bytes() == before
    assert (tmp_path / note["kept_as"]).stat().st_mode & 0o077 == 0
    assert "a loss was accepted" in lines


def test_where_nothing_is_lost_nothing_is_noted(tmp_path):
    _opened(tmp_path)
    _opened(tmp_path, accept_loss=True)
    assert not (tmp_path / LOSSES).exists()
    assert not list(tmp_path.glob("*.damaged-*"))
