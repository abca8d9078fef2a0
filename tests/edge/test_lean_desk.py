"""A desk is installed without the cloud: `keyfleet[edge]` brings none of its libraries, and asks for none."""

import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

CLOUD = ("google", "grpc", "boto3", "botocore")
ALONE = """
import importlib, pkgutil, sys
class NoCloud:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in CLOUD:
            raise ImportError(f"a desk imports {name}")
CLOUD = sys.argv[1].split(",")
sys.meta_path.insert(0, NoCloud())
import edge_agent
for found in pkgutil.walk_packages(edge_agent.__path__, "edge_agent."):
    if found.name != "edge_agent.__main__":
        importlib.import_module(found.name)
"""


def test_every_module_of_the_agent_is_imported_without_the_cloud():
    names = ",".join((*CLOUD, "functions", "infra", "functions_framework", "flask"))
    done = subprocess.run([sys.executable, "-c", ALONE, names], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_what_a_desk_installs_holds_no_library_of_the_cloud():
    seen, todo = set(), [("keyfleet", "edge")]
    while todo:
        name, extra = todo.pop()
        seen.add(name)
        try:
            wanted = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # for another system than this
        for each in map(Requirement, wanted):
            if each.marker is None or each.marker.evaluate({"extra": extra}):
                found = [(canonicalize_name(each.name), one) for one in (each.extras or {""})]
                todo += [one for one in found if one[0] not in seen]
    assert "pyserial" in seen
    assert [name for name in seen if name.partition("-")[0] in CLOUD or name.startswith("google")] == []
