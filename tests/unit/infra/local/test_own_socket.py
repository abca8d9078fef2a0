"""The socket in a fleet's home: made for its owner, found through a long path, taken away again."""

import os
import stat
from pathlib import Path

import pytest

from infra.local.own_socket import (
    SOCKET,
    ForeignPeer,
    HomeConnection,
    connect_at_home,
    is_own,
    leave_home,
    listen_at_home,
)


@pytest.fixture
def home(tmp_path):
    """A home whose path is longer than any address of a socket."""
    path = tmp_path / ("h" * 120)
    path.mkdir(mode=0o700)
    return path


def test_a_socket_is_its_owners_alone_whatever_the_umask(home):
    before = os.umask(0)
    try:
        with listen_at_home(home):
            assert stat.S_IMODE((home / SOCKET).stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_a_socket_left_behind_is_replaced_and_a_link_is_not_followed(home, tmp_path):
    listen_at_home(home).close()
    listen_at_home(home).close()
    (home / SOCKET).unlink()
    (home / SOCKET).symlink_to(tmp_path / "elsewhere")
    with listen_at_home(home) as listener, connect_at_home(home, 1.0) as connection:
        accepted, _ = listener.accept()
        assert is_own(accepted)
        assert is_own(connection)
        accepted.close()
    assert not (tmp_path / "elsewhere").exists()


def test_a_file_in_the_place_of_the_socket_is_left_alone(home):
    (home / SOCKET).write_text("somebody's")
    with pytest.raises(OSError, match="in use"):
        listen_at_home(home)
    assert (home / SOCKET).read_text() == "somebody's"


def test_nobody_is_reached_where_no_fleet_serves(home):
    with pytest.raises(FileNotFoundError):
        connect_at_home(home, 1.0)
    listen_at_home(home).close()
    with pytest.raises(ConnectionRefusedError):
        connect_at_home(home, 1.0)
    leave_home(home)
    assert not (home / SOCKET).exists()


def test_s2_nothing_is_sent_to_another_users_process(home, monkeypatch):
    with listen_at_home(home) as listener:
        monkeypatch.setattr("os.geteuid", lambda: 4711)
        with pytest.raises(ForeignPeer):
            HomeConnection(home, 8787, 1.0).request("GET", "/", headers={"Authorization": "Bearer canary"})
        accepted, _ = listener.accept()
        accepted.settimeout(1.0)
        assert accepted.recv(100) == b""
        accepted.close()


def _descriptors():
    return len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").is_dir() else 0


def test_an_address_leaves_no_descriptor_behind(home):
    before = _descriptors()
    listen_at_home(home).close()
    assert _descriptors() == before
