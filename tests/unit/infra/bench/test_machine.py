"""What a figure is read with."""

import tempfile
from pathlib import Path

from infra.bench import machine


def test_a_file_system_is_that_of_the_innermost_mount(tmp_path, monkeypatch):
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/vda / ext4 rw 0 0\nnone /memory tmpfs rw 0 0\nnone /memory/deep xfs rw 0 0\n")
    monkeypatch.setattr(machine, "MOUNTS", mounts)
    assert machine.filesystem(Path("/somewhere/else")) == "ext4"
    assert machine.filesystem(Path("/memory/here")) == "tmpfs"
    assert machine.filesystem(Path("/memory/deep/down")) == "xfs"
    assert machine.filesystem(Path("/memories")) == "ext4"


def test_memory_is_no_place_to_measure_a_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    monkeypatch.setattr(machine, "filesystem", lambda folder: "tmpfs" if folder == tmp_path else "ext4")
    assert machine.on_disk() == Path.cwd()
    monkeypatch.setattr(machine, "filesystem", lambda _: "ext4")
    assert machine.on_disk() == tmp_path


def test_the_facts_name_the_machine(tmp_path):
    facts = machine.facts(tmp_path)
    assert facts["cores"] >= 1
    assert facts["sqlite"].count(".") == 2
    assert facts["fsync_p50_ms"] > 0
