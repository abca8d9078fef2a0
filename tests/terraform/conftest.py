"""One workspace a process, and each folder's plan in it made once."""

import fcntl
import json
import os
from functools import cache

import pytest

from infra.terraform.plan import cells
from tests.terraform.installed import Workspace, needs_terraform, variables_of


@pytest.fixture(scope="session")
def workspace(tmp_path_factory):
    needs_terraform()
    return Workspace.at(tmp_path_factory.mktemp("terraform"))


@pytest.fixture(scope="session")
def planned(workspace, tmp_path_factory):
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared

    @cache
    def of(folder):
        # The workers of a run share one folder: whoever comes first plans, the others read.
        kept = shared / f"{folder.replace('/', '-')}.plan.json"
        with kept.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                changes = [*workspace.plan(folder, *variables_of(folder)).values()]
                kept.write_text(json.dumps({"resource_changes": changes}))
        return json.loads(kept.read_text())

    return of


@pytest.fixture(scope="session")
def dev(planned):
    (cell,) = cells(planned("environments/dev"))
    return cell
