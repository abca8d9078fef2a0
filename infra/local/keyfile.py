"""Files that hold a key: in a folder that only their owner changes, judged as they are opened.

| found | refused, because |
|---|---|
| a folder of another user, or one that others may write to | they could put a key there that they know |
| a link, or no regular file | it was meant to lead elsewhere |
| a file of another user | they know the key |
| a file that others may read | they may know the key |
"""

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from shared.domain.secret import Secret
from shared.ports.documents import StorageFull

OTHERS_WRITE: Final = 0o022
OTHERS: Final = 0o077
DRAFT: Final = ".draft-"
NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT})


class KeyFileRefused(Exception):
    """A key file, or the folder it lies in, that cannot be trusted."""


def check_folder(folder: Path) -> None:
    """Refuse a folder in which others may put files in the place of ours."""
    found = folder.stat()
    if found.st_uid != os.geteuid():
        raise KeyFileRefused(
            f"{folder} belongs to another user: run as that user, or name a folder of yours with --home"
        )
    if found.st_mode & OTHERS_WRITE:
        raise KeyFileRefused(
            f"others may write to {folder}: run chmod 700 on it, look who put what there, and rotate the keys"
        )


def read_or_create(path: Path, make: Callable[[], bytes]) -> bytes:
    """Return the file's bytes, making it first if there is none; two makers agree on one file."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    check_folder(path.parent)
    if not os.path.lexists(path):
        _create(path, make())
    return read_private(path)


def read_private(path: Path) -> bytes:
    """Return the bytes of a file that is this user's alone, as it was when it was judged."""
    try:
        # Without waiting: a pipe in its place would keep us.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if path.is_symlink():
            raise KeyFileRefused(f"{path.name} is a link: put the key file itself there") from error
        raise
    try:
        _judge(path, os.fstat(descriptor))
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def replace_private(path: Path, content: Secret[bytes]) -> None:
    """Put other bytes in the place of a key file's, whole or not at all, and wipe those it had."""
    for left in path.parent.glob(f"{path.name}{DRAFT}*"):
        left.unlink()
    former = os.open(path, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        _drafted(path, content.reveal()).replace(path)
        _sync_folder(path.parent)
        _wipe(former)
    finally:
        os.close(former)


def _judge(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise IsADirectoryError(errno.EISDIR, "it is no regular file", str(path))
    if found.st_uid != os.geteuid():
        raise KeyFileRefused(f"{path.name} belongs to another user: replace it by one of your own")
    if found.st_mode & OTHERS:
        raise KeyFileRefused(f"{path.name} is readable by others: run chmod 600 on it, and rotate the key")


def _create(path: Path, content: bytes) -> None:
    draft = _drafted(path, content)
    try:
        # A link fails where a rename would replace the key of another process that was first.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path, follow_symlinks=False)
    finally:
        draft.unlink()


def _drafted(path: Path, content: bytes) -> Path:
    # Made exclusively, under a name that nobody guesses, for its owner alone.
    with _finding_room(path):
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}{DRAFT}")
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(descriptor)
        except OSError:
            Path(name).unlink()
            raise
    return Path(name)


@contextlib.contextmanager
def _finding_room(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in NO_ROOM:
            raise
        raise StorageFull(f"{path.name} finds no room for another key: free some space") from error


def _wipe(descriptor: int) -> None:
    found = os.fstat(descriptor)
    if found.st_nlink:
        return  # a backup shares it
    os.pwrite(descriptor, bytes(found.st_size), 0)
    os.fsync(descriptor)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
