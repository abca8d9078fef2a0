"""A fleet process with workflows of its own, and somebody outside for it to call."""

import shutil

import pytest

from infra.manifest.load import ROOT
from tests.chaos.fleet_process import FleetProcess, Outsider, free_port

WORKFLOW = """
main:
  params: [a]
  steps:
    - name: {assign: [name: "${uuid.generate()}"]}
    - one:
        call: http.post
        args: {url: "${a.url}", body: {execution: "${name}", step: 1}}
        result: r1
    - two:
        call: http.post
        args: {url: "${a.url}", body: {execution: "${name}", step: 2, after: "${r1.body.count}"}}
        result: r2
    - done: {return: {name: "${name}", counts: ["${r1.body.count}", "${r2.body.count}"]}}
"""


@pytest.fixture
def outsider():
    """A server outside the fleet."""
    server = Outsider()
    yield server
    server.close()


@pytest.fixture
def fleet(tmp_path):
    """A fleet process, not yet started."""
    folder = tmp_path / "workflows"
    folder.mkdir()
    (folder / "outside.yaml").write_text(WORKFLOW)
    shutil.copy(ROOT / "workflows" / "probe_platform.yaml", folder)
    process = FleetProcess(tmp_path / "home", free_port(), folder)
    yield process
    process.kill()
