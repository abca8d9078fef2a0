"""The agent as one folder: built by PyInstaller, started, offered, and taken by a desk."""

import json
import subprocess
from datetime import timedelta
from importlib.metadata import version

import pytest

from edge_agent.release.manifest import Release
from edge_agent.release.update import this_kind
from infra.desk.keyfleet_edge import built, offered, packed
from tests.edge.installed import needs_freezer
from tests.edge.release.test_update import MAKER, NOW, served

BUILT_WITHIN = 1500.0


@pytest.mark.soak
@pytest.mark.timeout(BUILT_WITHIN)
def test_agent_is_built_starts_and_is_taken_as_a_release(tmp_path):
    needs_freezer()
    folder = built(tmp_path / "out")
    program = str(folder / "keyfleet-edge")

    def said(*words):
        return subprocess.run([program, *words], capture_output=True, text=True, check=False, timeout=120)

    assert said("version").stdout.strip() == version("keyfleet")
    home = tmp_path / "home"
    assert "does not run" in said("status", "--home", str(home)).stdout
    wrong = said("run", "--encoder", "left=morse@1:2", "--home", str(home))
    assert (wrong.returncode, "pn532_serial" in wrong.stderr) == (78, True)
    names = {path.name.partition(".")[0] for path in (folder / "_internal").iterdir()}
    assert names.isdisjoint({"google", "grpc", "boto3", "botocore"})
    assert "desk.html" in {path.name for path in folder.rglob("*.html")}
    with served(tmp_path) as offer:
        archives = {this_kind(): packed(folder, offer.site, version("keyfleet"))}
        until = NOW + timedelta(days=1)
        made = Release(number=1, version=version("keyfleet"), issued=NOW, until=until, archives=archives)
        offered(made, offer.site, MAKER)
        assert offer.update().version == version("keyfleet")
        taken = offer.shelf.folder / "current" / "keyfleet-edge"
        told = subprocess.run([str(taken), "version"], capture_output=True, text=True, check=True).stdout
        assert told.strip() == version("keyfleet")
        assert json.loads((offer.shelf.folder / "seen.json").read_text())["highest"] == 1
