"""A process of the bench: waited for, measured, killed with all it started."""

import os
from pathlib import Path

import pytest

from infra.bench.figures import BenchError
from infra.bench.processes import answering, spawned
from infra.local.server import free_port

FORKING = """
import os, sys
from http.server import HTTPServer, SimpleHTTPRequestHandler
if os.fork():
    sum(range(3_000_000))
    os.wait()
else:
    open(sys.argv[2], "w").write(str(os.getpid()))
    HTTPServer(("127.0.0.1", int(sys.argv[1])), SimpleHTTPRequestHandler).serve_forever()
"""


@pytest.fixture
def forking(tmp_path):
    port = free_port()
    return ["-c", FORKING, str(port), str(tmp_path / "child")], port


def test_a_first_answer_may_come_from_a_child(forking, tmp_path):
    with spawned(*forking, tmp_path) as process:
        assert 0 < process.first_answer() < 30


def test_cpu_and_memory_are_those_of_the_whole_tree(forking, tmp_path):
    with answering(*forking, tmp_path) as process:
        assert process.cpu_seconds() > 0.01
        rss, pss = process.memory_megabytes()
        assert 0 < pss < rss


def test_nothing_is_left_of_it(forking, tmp_path):
    with answering(*forking, tmp_path):
        child = int((tmp_path / "child").read_text())
        os.kill(child, 0)
    status = Path(f"/proc/{child}/status")
    assert not status.exists() or "zombie" in status.read_text()


def test_a_process_that_dies_is_quoted(tmp_path):
    with (
        pytest.raises(BenchError, match="no luck today"),
        answering(["-c", "raise SystemExit('no luck today')"], free_port(), tmp_path),
    ):
        pass
