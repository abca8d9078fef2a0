"""An environment with nothing in it but what functions are deployed with: links to what is installed here."""

import re
import subprocess
import sys
from importlib.metadata import distribution

from infra.archive.contents import contents
from infra.codegen.function_requirements import canonical
from infra.manifest.load import ROOT, load_manifest

PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^ ]+)", re.MULTILINE)


def pins(text):
    """Return the version of each requirement, by its canonical name."""
    return {canonical(name): version for name, version in PIN.findall(text)}


def unpack(folder, root=ROOT):
    """Write the archive's files into a folder."""
    for path, content in contents(root, load_manifest(root)).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    return folder


def link_requirements(folder):
    """Make a folder of packages that has what requirements-functions.txt names, and nothing else."""
    folder.mkdir()
    for name in pins((ROOT / "requirements-functions.txt").read_text()):
        installed = distribution(name)
        for file in installed.files or ():
            if file.parts[0] != ".." and not file.name.endswith(".pyc"):
                target = folder / file
                target.parent.mkdir(parents=True, exist_ok=True)
                if not target.exists():
                    target.symlink_to(installed.locate_file(file))
    return folder


def run(archive, packages, program, **environment):
    """Run a program where only the archive and those packages can be imported."""
    head = f"import sys; sys.path[:0] = [{str(archive)!r}, {str(packages)!r}]\n"
    return subprocess.run(
        [sys.executable, "-I", "-S", "-c", head + program],
        cwd=archive,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
