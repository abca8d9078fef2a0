"""A clerk at the demo's desk, who has the console's pages and nothing else."""

import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from http.cookiejar import CookieJar
from pathlib import Path
from typing import Any, Final

ADDRESS: Final = "agent.json"
PATIENCE: Final = 30.0
Json = Mapping[str, Any]


class Clerk:
    """Somebody with a browser."""

    def __init__(self, home: Path) -> None:
        self._base = _base(home)
        jar = urllib.request.HTTPCookieProcessor(CookieJar())
        self._browser = urllib.request.build_opener(jar)
        self.page = ""

    def sign_in(self, user: str, pin: str) -> None:
        """Sign in with a PIN."""
        self._asked("/")
        self.press("/sign-in", user=user, pin=pin)

    def look(self) -> str:
        """Look at the screen."""
        return self._asked("/")

    def press(self, path: str, **form: str) -> str:
        """Press a button of the page that is shown."""
        hidden = {
            name: found[1]
            for name in ("proof", "once")
            if (found := re.search(f'name="{name}" value="([^"]*)"', self.page))
        }
        return self._asked(path, urllib.parse.urlencode({**hidden, **form}).encode())

    def _asked(self, path: str, form: bytes | None = None) -> str:
        request = urllib.request.Request(self._base + path, form, {"origin": self._base})  # noqa: S310 - this machine alone
        with self._browser.open(request, timeout=PATIENCE) as answer:
            self.page = answer.read().decode()
        return self.page


def status_of(home: Path) -> Json | None:
    """Return how the agent of a home stands, or None where none answers."""
    try:
        with urllib.request.urlopen(f"{_base(home)}/status", timeout=3) as answer:  # noqa: S310 - this machine alone
            told: Json = json.load(answer)
            return told
    except (OSError, ValueError, KeyError, urllib.error.URLError):
        return None


def _base(home: Path) -> str:
    return f"http://127.0.0.1:{json.loads((home / ADDRESS).read_text())['port']}"
