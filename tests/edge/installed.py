"""What a desk's tests need of the machine: a D-Bus for Bluetooth, systemd, and what freezes a program."""

import importlib.util
import os
import shutil
import subprocess
from contextlib import contextmanager

import pytest

DAEMON = "dbus-daemon"


def needs_systemd():
    """Skip where nothing can say what systemd thinks of a unit."""
    if shutil.which("systemd-analyze") is None:
        pytest.skip("systemd-analyze is not installed: on Debian it comes with the package systemd")


def needs_freezer():
    """Skip where the agent cannot be made one folder."""
    if importlib.util.find_spec("PyInstaller") is None:
        pytest.skip("PyInstaller is not installed: pip install pyinstaller")


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
