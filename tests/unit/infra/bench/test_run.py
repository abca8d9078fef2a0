"""The run that is kept, for everybody to read."""

from infra.bench.run import keep, kept
from infra.manifest.load import ROOT


def test_nothing_that_is_kept_says_where_on_this_machine_it_was_made(tmp_path):
    report = {"machine": {"cores": 2, "folder": str(tmp_path)}, "untaken": {"one": f"no {ROOT}/functions"}}
    path = tmp_path / "run.json"
    keep(report, path)
    assert kept(path) == {"machine": {"cores": 2}, "untaken": {"one": "no functions"}}
