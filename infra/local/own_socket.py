"""The fleet's own socket, a file in its home: who reaches it is the same user, and each end looks first.

A port can be anybody's between two starts; a file in a folder of one's own cannot. So no token is ever
sent to find out who listens: the kernel says whose process is at the other end before a byte is written.
"""

import http.client
import os
import socket
import stat
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

SOCKET: Final = "fleet.sock"
ADDRESS: Final = "127.0.0.1"
WAITING: Final = 128
_CREDENTIALS: Final = struct.Struct("3i")
"""Process, user and group of a peer, as Linux tells them."""


class ForeignPeer(ConnectionError):
    """The process at the other end is another user's."""


def listen_at_home(home: Path) -> socket.socket:
    """Return the listening socket of a home; whoever calls holds its lock, so one found there is nobody's."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        with _address(home) as address:
            _clear(home / SOCKET)
            listener.bind(address)
        # Nobody can connect before it listens, so nobody does before it is the owner's alone.
        (home / SOCKET).chmod(0o600)
        listener.listen(WAITING)
    except OSError:
        listener.close()
        raise
    return listener


def leave_home(home: Path) -> None:
    """Take the socket away, so that nobody waits at it."""
    _clear(home / SOCKET)


def connect_at_home(home: Path, timeout: float) -> socket.socket:
    """Return a connection to the fleet that serves a home; nothing has been sent yet."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(timeout)
    try:
        with _address(home) as address:
            connection.connect(address)
        if not is_own(connection):
            raise ForeignPeer("the fleet's socket is served by another user")
    except OSError:
        connection.close()
        raise
    return connection


def is_own(connection: socket.socket) -> bool:
    """Return whether the other end is this user's; where no kernel tells, the file's mode holds."""
    if not hasattr(socket, "SO_PEERCRED"):
        return True
    raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    _, user, _ = _CREDENTIALS.unpack(raw)
    return bool(user == os.geteuid())


class HomeConnection(http.client.HTTPConnection):
    """HTTP over the socket of a home; the port says only which fleet the caller means."""

    def __init__(self, home: Path, port: int, timeout: float) -> None:
        super().__init__(ADDRESS, port, timeout=timeout)
        self._home, self._patience = home, timeout

    def connect(self) -> None:
        """Connect to the process of this user that serves the home, or to nobody."""
        self.sock = connect_at_home(self._home, self._patience)


def _clear(path: Path) -> None:
    try:
        kind = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISSOCK(kind) or stat.S_ISLNK(kind):
        path.unlink()


@contextmanager
def _address(home: Path) -> Iterator[str]:
    """An address for the socket: through the folder's descriptor, for an address holds 107 bytes only."""
    folder = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        short = Path(f"/proc/self/fd/{folder}")
        yield str((short if short.exists() else home) / SOCKET)
    finally:
        os.close(folder)
