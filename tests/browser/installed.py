"""The browser that pages are looked at with: Debian's Chromium or another, where a machine has one."""

import shutil
from importlib.resources import files

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
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("no Chromium is installed: on Debian it comes with the package chromium")
    return found


def axe_source():
    """Return axe-core, which judges accessibility, as a package of the dev group brings it."""
    return (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
