"""Key files and the folder they lie in: judged before they are believed, replaced without leaving a copy."""

import errno
import os
import stat

import pytest

from infra.local import keyfile
from infra.local.keyfile import KeyFileRefused, read_or_create, replace_private
from shared.domain.secret import Secret
from shared.ports.documents import StorageFull


@pytest.fixture
def home(tmp_path):
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    return path


def _make():
    return b"k" * 32


def _mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_key_is_made_once_and_for_its_owner_alone_whatever_the_umask(home):
    before = os.umask(0)
    try:
        assert read_or_create(home / "a.key", _make) == _make()
    finally:
        os.umask(before)
    assert read_or_create(home / "a.key", lambda: b"other") == _make()
    assert _mode(home / "a.key") == 0o600
    assert [file.name for file in home.iterdir()] == ["a.key"]


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_s11_a_folder_that_others_may_write_to_is_refused(home, mode):
    read_or_create(home / "a.key", _make)
    home.chmod(mode)
    with pytest.raises(KeyFileRefused, match=r"others may write to .*chmod 700"):
        read_or_create(home / "a.key", _make)


def test_s11_a_folder_of_another_user_is_refused_before_anything_is_made(home, monkeypatch):
    monkeypatch.setattr(keyfile.os, "geteuid", lambda: 4711)
    with pytest.raises(KeyFileRefused, match="belongs to another user"):
        read_or_create(home / "a.key", _make)
    assert list(home.iterdir()) == []


def test_s11_a_key_of_another_user_is_refused(home, monkeypatch):
    read_or_create(home / "a.key", _make)
    monkeypatch.setattr(keyfile, "check_folder", lambda _folder: None)
    monkeypatch.setattr(keyfile.os, "geteuid", lambda: 4711)
    with pytest.raises(KeyFileRefused, match=r"a\.key belongs to another user"):
        read_or_create(home / "a.key", _make)


@pytest.mark.parametrize("leads", ["somewhere", "nowhere"])
def test_s11_a_link_in_the_place_of_a_key_is_not_followed(home, tmp_path, leads):
    target = tmp_path / "known.key"
    if leads == "somewhere":
        target.write_bytes(_make())
        target.chmod(0o600)
    (home / "a.key").symlink_to(target)
    with pytest.raises(KeyFileRefused, match="is a link"):
        read_or_create(home / "a.key", _make)
    assert target.exists() is (leads == "somewhere")


def test_s11_a_pipe_in_the_place_of_a_key_keeps_nobody_waiting(home):
    os.mkfifo(home / "a.key", 0o600)
    with pytest.raises(OSError, match="no regular file"):
        read_or_create(home / "a.key", _make)


@pytest.mark.parametrize("name", ["a.key.new", "a.key.draft-aaaaaaaa"])
def test_s11_a_draft_that_somebody_prepared_is_not_written_to(home, name):
    read_or_create(home / "a.key", _make)
    prepared = home / name
    prepared.touch()
    prepared.chmod(0o644)
    replace_private(home / "a.key", Secret(b"fresh"))
    assert read_or_create(home / "a.key", _make) == b"fresh"
    assert _mode(home / "a.key") == 0o600
    assert not prepared.exists() or prepared.read_bytes() == b""


def test_s3_the_bytes_of_a_replaced_key_are_wiped_unless_a_backup_shares_them(home):
    read_or_create(home / "a.key", _make)
    with (home / "a.key").open("rb") as held:
        replace_private(home / "a.key", Secret(b"second"))
        assert held.read() == bytes(32)
    (home / "backup").hardlink_to(home / "a.key")
    replace_private(home / "a.key", Secret(b"third"))
    assert (home / "backup").read_bytes() == b"second"


@pytest.mark.parametrize("step", ["mkstemp", "fsync"])
def test_a_key_that_finds_no_room_says_so_and_leaves_nothing(home, monkeypatch, step):
    def full(*_args, **_named):
        raise OSError(errno.ENOSPC, "No space left on device")

    read_or_create(home / "a.key", _make)
    monkeypatch.setattr(keyfile.tempfile if step == "mkstemp" else keyfile.os, step, full)
    with pytest.raises(StorageFull, match=r"a\.key finds no room for another key: free some space"):
        replace_private(home / "a.key", Secret(b"second"))
    with pytest.raises(StorageFull, match=r"b\.key finds no room"):
        read_or_create(home / "b.key", _make)
    assert [(file.name, file.read_bytes()) for file in home.iterdir()] == [("a.key", _make())]
