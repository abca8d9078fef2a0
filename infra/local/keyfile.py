"""Files that hold a key: created at once and for the owner alone, refused when others may read them."""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path


class KeyFileRefused(Exception):
    """A key file that cannot be trusted."""


def read_or_create(path: Path, make: Callable[[], bytes]) -> bytes:
    """Return the file's bytes, making it first if there is none; two makers agree on one file."""
    if not path.exists():
        _create(path, make())
    if path.stat().st_mode & 0o077:
        raise KeyFileRefused(f"{path.name} is readable by others: run chmod 600 on it, and rotate the key")
    return path.read_bytes()


def _create(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    try:
        # A link fails where a rename would replace the key of another process that was first.
        with contextlib.suppress(FileExistsError):
            os.link(draft, path)
    finally:
        draft.unlink()
