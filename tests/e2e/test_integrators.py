"""What an integrator does first with a fleet that really runs: listens, reads, asks by tools."""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urljoin

from shared.domain.secret import Secret
from shared.vendor_kit.standard_webhooks import SIGNATURE, signature
from tests.support.examiners import node

ROOT = Path(__file__).parents[2]
BOOKED = "melmastoon.reservation.booking.confirmed.v1"
STAY = {
    "reservationId": "rsv_heard",
    "propertyId": "ppt_kabul",
    "guest": {"id": "gst_1"},
    "rooms": ["rmu_101"],
}


GOT = []


class Program(BaseHTTPRequestHandler):
    """A program under way, which keeps what it is sent."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        GOT.append((dict(self.headers), json.loads(body)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        """Say nothing."""


def _stay(fleet):
    now = datetime.fromisoformat(fleet.ask("clock")["now"])
    times = [f"{now + timedelta(days=each):%Y-%m-%dT%H:%M:%SZ}" for each in (2, 4)]
    return {**STAY, "validFrom": times[0], "validUntil": times[1]}


def _listening(fleet, program):
    url = f"http://127.0.0.1:{program.server_address[1]}/hook"
    command = [sys.executable, "-m", "infra.cli", "listen", "--tenant", "tnt_silk", "--times", "1"]
    command += ["--forward-to", url, *fleet.place, "--json"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_listener_hears_a_booking_as_it_becomes_a_key(running):
    with HTTPServer(("127.0.0.1", 0), Program) as program:
        threading.Thread(target=program.serve_forever, daemon=True).start()
        with _listening(running, program) as process:
            assert "Listening" in process.stderr.readline()
            (live,) = running.ask("webhook", "list", "--tenant", "tnt_silk")["listeners"]
            running.ask("publish", BOOKED, "--tenant", "tnt_silk", "--data", json.dumps(_stay(running)))
            out, _ = process.communicate(timeout=60)
        program.shutdown()
    assert json.loads(out)["heard"] == 1
    headers, told = GOT[0]
    assert told["type"].startswith("melmastoon.lock.")
    assert {name.lower(): at for name, at in headers.items()}[SIGNATURE].startswith("v1,")
    assert (live["state"], running.ask("webhook", "list", "--tenant", "tnt_silk")["listeners"]) == (
        "live",
        [],
    )


def test_a_model_asks_the_fleet_over_stdin(running):
    lines = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "aboutMe", "arguments": {}}},
    ]
    command = [sys.executable, "-m", "infra.cli", "mcp", *running.place]
    text = "".join(json.dumps(each) + "\n" for each in lines)
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=True)
    hello, me = map(json.loads, done.stdout.splitlines()[:2])
    assert hello["result"]["serverInfo"]["name"] == "keyfleet"
    assert me["result"]["structuredContent"]["roles"] == ["auditor"]


def test_the_description_is_served_where_the_fleet_is(running):
    for path, says in (("openapi.json", "openapi"), ("asyncapi.json", "asyncapi")):
        with urllib.request.urlopen(f"http://127.0.0.1:{running.port}/docs/{path}", timeout=20) as answer:
            assert says in json.loads(answer.read())
    for path in ("/docs", "/docs/"):
        here = f"http://127.0.0.1:{running.port}{path}"
        with urllib.request.urlopen(here, timeout=20) as answer:
            page, policy = answer.read().decode(), answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "http://" not in page.replace("http://127.0.0.1", "")
        for named in re.findall(r'(?:href|src)="([^"]+)"', page):
            with urllib.request.urlopen(urljoin(here, named), timeout=20) as found:
                assert found.status == 200


def _blocks(language):
    page = (ROOT / "infra" / "docs" / "integrating.md").read_text(encoding="utf-8")
    return [each.split("```")[0] for each in page.split(f"```{language}\n")[1:]]


TYPES = (
    (r"^type .*\n", ""),
    (r"<(Answer|Booked|Key)>(?=\()", ""),
    (r"\b(\w+)\??: (string|object|Record<string, string>)(?=[,) =])", r"\1"),
    (r": Promise<Answer>", ""),
    (r" as Answer", ""),
)
"""What the page's TypeScript has beside JavaScript: taken away, node of any age runs it."""


def _around(running):
    """Return what surrounds the page's programs: times, places, and the key that its first words draw."""
    now = datetime.fromisoformat(running.ask("clock")["now"])
    expires, arrives, leaves = (f"{now + timedelta(days=each):%Y-%m-%dT%H:%M:%SZ}" for each in (90, 2, 4))
    place = {"KEYFLEET": f"http://127.0.0.1:{running.port}", "KEYFLEET_PORT": str(running.port)}
    stay = {"EXPIRES": expires, "ARRIVES": arrives, "LEAVES": leaves}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    around = {**os.environ, **place, **stay, "KEYFLEET_HOME": str(running.home), "PATH": path}
    (giving,) = _blocks("sh")
    given = subprocess.run(["sh", "-ec", giving], env=around, capture_output=True, text=True, check=True)
    return {**around, "KEYFLEET_KEY": json.loads(given.stdout)["key"]}


def test_what_the_page_says_in_typescript_makes_a_key(running):
    (plain,) = _blocks("ts")
    for written, instead in TYPES:
        plain, times = re.subn(written, instead, plain, flags=re.MULTILINE)
        assert times, f"the page has no {written} any more"
    command = [node(), "--input-type=module", "-e", plain]
    done = subprocess.run(command, env=_around(running), capture_output=True, text=True, check=False)
    assert done.stdout.startswith("key_"), done.stderr


def test_what_the_page_for_integrators_says_works_as_it_stands(running):
    around = _around(running)
    booking, checking = _blocks("python")
    made = subprocess.run(
        [sys.executable, "-c", booking], env=around, capture_output=True, text=True, check=True
    )
    assert made.stdout.startswith("key_")
    namespace = {}
    exec(checking, namespace)  # the page's own words
    seconds, body = int(time.time()), b'{"type": "a"}'
    secret = "whsec_" + "QUJD" * 10
    signed = signature(Secret(secret.encode()), "evt_1", seconds, body)
    headers = {
        "webhook-id": "evt_1",
        "webhook-timestamp": str(seconds),
        SIGNATURE: f"v1,{'A' * 43}= {signed}",
    }
    assert namespace["is_ours"](headers, body, secret)
    assert not namespace["is_ours"](headers, body + b" ", secret)
