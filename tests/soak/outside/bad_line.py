"""A bad line between a fleet and its vendor: it cuts, delays, garbles, halves, says a false yes, echoes."""

import http.client
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

KINDS = ("cut_before", "cut_after", "late", "garbage", "half", "false_yes", "echo")
YES = b'{"errcode": 0, "errmsg": "none error message", "description": "ok"}'
LATE = (0.3, 2.5)


class BadLine:
    """Passes calls on to a vendor, some of them badly, drawn from a seed."""

    def __init__(self, vendor_port, seed):
        self.vendor_port, self.chance, self.share = vendor_port, Random(seed), 0.0
        self.faults, self.calls = Counter(), 0
        self._lock = threading.Lock()
        settings = {"request_queue_size": 128, "daemon_threads": True, "handle_error": lambda *_: None}
        server = type("Line", (ThreadingHTTPServer,), settings)
        self._server = server(("127.0.0.1", 0), _Call)
        self._server.line = self
        self.port = self._server.server_port
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def draw(self):
        """Return what becomes of the next call: None where it goes well."""
        with self._lock:
            self.calls += 1
            if self.chance.random() >= self.share:
                return None
            kind = self.chance.choice(KINDS)
            self.faults[kind] += 1
            return kind

    def delay(self):
        """Return how late a late answer is."""
        with self._lock:
            return self.chance.uniform(*LATE)

    def close(self):
        """End it."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Call(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self._passed(b"")

    def do_POST(self):
        self._passed(self.rfile.read(int(self.headers.get("content-length") or 0)))

    def log_message(self, *_):
        pass

    def _passed(self, body):
        fault = self.server.line.draw()
        if fault == "cut_before":
            self.close_connection = True
            return
        if fault == "false_yes":
            self._answered(200, YES)
        elif fault == "echo":
            self._answered(200, body or self.path.encode())
        else:
            self._asked(fault, body)

    def _asked(self, fault, body):
        line = self.server.line
        vendor = http.client.HTTPConnection("127.0.0.1", line.vendor_port, timeout=30)
        try:
            own = ("connection", "host")
            kept = {name: value for name, value in self.headers.items() if name.lower() not in own}
            vendor.request(self.command, self.path, body, kept)
            answer = vendor.getresponse()
            content, heads = answer.read(), answer.getheaders()
        except OSError:
            self.close_connection = True
            return
        finally:
            vendor.close()
        if fault == "late":
            time.sleep(line.delay())
        if fault == "cut_after":
            self.close_connection = True
        elif fault == "garbage":
            self._answered(200, bytes(line.chance.randrange(256) for _ in range(60)))
        elif fault == "half":
            self._answered(answer.status, content, heads, sent=len(content) // 2)
        else:
            self._answered(answer.status, content, heads)

    def _answered(self, status, content, heads=(("content-type", "application/json"),), sent=None):
        try:
            self.send_response_only(status)
            for name, value in heads:
                if name.lower() not in ("content-length", "connection", "transfer-encoding"):
                    self.send_header(name, value)
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content if sent is None else content[:sent])
        except OSError:
            self.close_connection = True
        if sent is not None:
            self.close_connection = True
