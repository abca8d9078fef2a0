"""The demo's guest: a telephone and a mailbox at the outbox, and a browser that runs no script."""

import http.client
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import orjson

from infra.cli.address import ADDRESS
from infra.cli.sim.with_catchers import outbox_address
from shared.domain.secret import Secret

PATIENCE_SECONDS: Final = 10.0
MAIL, PHONE, LAST_DIGITS = "guest@demo.example", "+93700555121", "5121"
LOCALE: Final = "fa-AF"
_LINK: Final = re.compile(r"https?://\S+/guest-page/\S+/[0-9A-Za-z]{22}")
_ALOUD: Final = re.compile(r'class="aloud">([0-9 ]+)<')


class Guest:
    """Whoever the stay was booked for."""

    def __init__(self, home: Path, port: int) -> None:
        self._home, self._port = home, port

    @property
    def outbox(self) -> str:
        """Where a browser sees all that was sent."""
        return outbox_address(self._home, self._port)

    def messages(self, *to: str) -> list[Mapping[str, Any]]:
        """Return what was sent to the guest, or to these addresses, the oldest first."""
        from infra.catchers.serve import outbox_token

        headers = {"authorization": f"Bearer {outbox_token(self._home)}"}
        status, raw = _asked(self._port, "GET", "/outbox", b"", headers)
        found = orjson.loads(raw)["messages"] if status == http.client.OK else []
        return [each for each in found if each["to"] in (to or (MAIL, PHONE))]

    def link(self, *to: str, channel: str = "email") -> str:
        """Return the link of the first message on a way to the guest, or nothing."""
        letters = [each for each in self.messages(*to) if each["channel"] == channel]
        found = (_LINK.search(each["data"].get("link") or each["text"]) for each in letters)
        return next((link[0] for link in found if link), "")


class Browser:
    """A browser on one device: it keeps its session."""

    def __init__(self) -> None:
        self._cookie = ""

    def look(self, link: str) -> tuple[int, Secret[str] | None]:
        """Open a link, as a mail scanner or a preview does too."""
        return self._opened("GET", link, b"")

    def show(self, link: str, proof: str = "") -> tuple[int, Secret[str] | None]:
        """Press the button, with the second fact where it is asked for."""
        return self._opened("POST", link, urlencode({"do": "show", "proof": proof}).encode())

    def _opened(self, method: str, link: str, body: bytes) -> tuple[int, Secret[str] | None]:
        parts = urlsplit(link)
        headers = {"origin": f"{parts.scheme}://{parts.netloc}", "cookie": self._cookie}
        if body:
            headers["content-type"] = "application/x-www-form-urlencoded"
        connection = http.client.HTTPConnection(ADDRESS, parts.port or 80, timeout=PATIENCE_SECONDS)
        try:
            connection.request(method, parts.path, body, headers)
            answer = connection.getresponse()
            self._cookie = (answer.headers.get("set-cookie") or self._cookie).partition(";")[0]
            shown = _ALOUD.search(answer.read().decode())
        finally:
            connection.close()
        return answer.status, Secret(shown[1].replace(" ", "")) if shown else None


def _asked(port: int, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection(ADDRESS, port, timeout=PATIENCE_SECONDS)
    try:
        connection.request(method, path, body, dict(headers))
        answer = connection.getresponse()
        return answer.status, answer.read()
    except OSError:
        return 0, b""
    finally:
        connection.close()
