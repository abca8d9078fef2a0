"""A private D-Bus for tests of Bluetooth, where the machine has the daemon."""

import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest

DAEMON = "dbus-daemon"


@contextmanager
def private_bus(folder):
    """Run a bus of our own in a folder and yield its address; skip where no daemon is installed."""
    daemon = shutil.which(DAEMON)
    if daemon is None:
        pytest.skip(f"{DAEMON} is not installed: on Debian it comes with the package dbus-daemon")
    read, write = os.pipe()
    command = [daemon, "--session", "--nofork", f"--print-address={write}", f"--address=unix:dir={folder}"]
    process = subprocess.Popen(command, pass_fds=[write])
    os.close(write)
    try:
        with os.fdopen(read) as said:
            yield said.readline().strip()
    finally:
        process.terminate()
        process.wait()
