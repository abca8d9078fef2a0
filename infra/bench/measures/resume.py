"""After kill -9: how soon a fleet answers again, and how soon its calls in flight are made again."""

import http.server
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.bench.figures import BenchError, Figure, Ground, Measure, Sample
from infra.bench.processes import answering, spawned
from infra.local.ambient import SystemClock, SystemEntropy
from infra.local.identity import LocalIdentity
from infra.local.own_socket import HomeConnection
from infra.local.server import free_port
from infra.local.world import FleetConfig
from infra.manifest.model import OPERATOR

IN_FLIGHT, PATIENCE_SECONDS = 8, 30.0
NAME = "bench_wait"
WORKFLOW = """
main:
  params: [args]
  steps:
    - call:
        call: http.post
        args: {url: "${args.url}", body: {execution: "${args.n}"}, timeout: 600}
"""
RAW = "raw.asgi_first_answer_s"
ANSWER, RESENT = "resume.first_answer_s", "resume.calls_in_flight_sent_again_s"
FIGURES = {
    RAW: Figure("s", "lower"),
    ANSWER: Figure("s", "lower", beside=RAW),
    RESENT: Figure("s", "lower", floor=2.0, beside=RAW),
}


class _Listening(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = (
        128  # with the usual five, a call would be measured that the kernel makes wait a second
    )


class Slow:
    """A server that takes requests and does not answer before it is told to."""

    def __init__(self) -> None:
        self._requests: list[float] = []
        self._arrival = threading.Condition()
        self._told = threading.Event()
        self._server = _Listening(("127.0.0.1", 0), self._handler())
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    @contextmanager
    def serving(self) -> Iterator["Slow"]:
        """Serve for a while."""
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield self
        finally:
            self._told.set()
            self._server.shutdown()
            self._server.server_close()
            thread.join()

    def reached(self, count: int) -> float:
        """Wait until so many requests have come; return when the last of them did."""
        with self._arrival:
            if not self._arrival.wait_for(lambda: len(self._requests) >= count, PATIENCE_SECONDS):
                raise BenchError(f"{len(self._requests)} of {count} calls were made")
            return self._requests[count - 1]

    def _take(self) -> None:
        with self._arrival:
            self._requests.append(time.perf_counter())
            self._arrival.notify_all()
        self._told.wait(PATIENCE_SECONDS)

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        slow = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                slow._take()

            def log_message(self, *_: object) -> None:
                return

        return Handler


def take(ground: Ground) -> Sample:
    """Kill a fleet whose executions all wait for an answer, and start it again."""
    port, home, workflows = free_port(), ground.folder / "home", ground.folder / "workflows"
    workflows.mkdir()
    (workflows / f"{NAME}.yaml").write_text(WORKFLOW, encoding="utf-8")
    fleet: list[str | Path] = ["-m", "infra.bench.programs.fleet", home, str(port), workflows]
    with Slow().serving() as slow:
        with answering(fleet, port, ground.folder):
            for number in range(IN_FLIGHT):
                _start_execution(home, port, {"url": slow.url, "n": number})
            slow.reached(IN_FLIGHT)
        with spawned(fleet, port, ground.folder) as process:
            answered = process.first_answer()
            resent = slow.reached(2 * IN_FLIGHT) - process.spawned
    return {RAW: _raw(ground.folder), ANSWER: answered, RESENT: resent}


def _raw(folder: Path) -> float:
    port = free_port()
    with spawned(["-m", "infra.bench.programs.raw_asgi", str(port)], port, folder) as process:
        return process.first_answer()


def _start_execution(home: Path, port: int, argument: dict[str, object]) -> None:
    config = FleetConfig(home, port)
    identity = LocalIdentity.at(config.identity_key, SystemClock().now, SystemEntropy().token)
    headers = {"authorization": f"Bearer {identity.token(OPERATOR, config.control_url)}"}
    connection = HomeConnection(home, port, PATIENCE_SECONDS)
    body = json.dumps({"workflow": NAME, "argument": argument})
    connection.request("POST", "/_cloud/executions", body, headers)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    if answer.status != 200:
        raise BenchError(f"an execution could not be started: {answer.status}")


MEASURE = Measure("resume", FIGURES, take)
