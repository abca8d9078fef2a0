"""One workspace a process, and each plan in a run made once, whichever worker asks for it first."""

import json
from functools import cache

import pytest

from infra.terraform.plan import cells
from tests.support.once import made_once
from tests.terraform.installed import Workspace, needs_terraform, variables_of


@pytest.fixture(scope="session")
def workspace(tmp_path_factory):
    needs_terraform()
    return Workspace.at(tmp_path_factory.mktemp("terraform"))


@pytest.fixture(scope="session")
def once(tmp_path_factory):
    """Return what reads the changes of a plan that the workers of a run share, by a name of it."""

    def changes(name, plan):
        def keep(folder):
            (folder / "plan.json").write_text(json.dumps({"resource_changes": [*plan().values()]}))

        kept = made_once(tmp_path_factory, f"plan-{name.replace('/', '-')}", keep)
        return json.loads((kept / "plan.json").read_text())

    return changes


@pytest.fixture(scope="session")
def planned(workspace, once):
    return cache(lambda folder: once(folder, lambda: workspace.plan(folder, *variables_of(folder))))


@pytest.fixture(scope="session")
def dev(planned):
    (cell,) = cells(planned("environments/dev"))
    return cell
