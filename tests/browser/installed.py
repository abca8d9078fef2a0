"""The browser that pages are looked at with, where a machine has one; nothing of it is fetched here."""

import os
import shutil
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def browser_path():
    """Return where a Chromium is, or skip by the name of what is absent."""
    try:
        import playwright.async_api  # noqa: F401 - asked for whether it is there
    except ImportError:
        pytest.skip("playwright is not installed: pip install playwright, without its browsers")
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium is installed: on Debian it comes with the package chromium")
    return found


def axe_source():
    """Return axe-core, which judges accessibility, or None where AXE_CORE names no file of it."""
    named = os.environ.get("AXE_CORE", "")
    return Path(named).read_text(encoding="utf-8") if named else None
