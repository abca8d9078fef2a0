"""Terraform itself, where it is installed, in a copy of the tree, with the stand-in as Google's provider."""

import json
import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from infra.archive.contents import pack
from infra.manifest.load import ROOT
from infra.terraform.schema import FILES, schema_of

_HOST = ["registry", "terraform", "io"]
HOST = ".".join(_HOST)
"""A folder's name that Terraform expects: nothing is fetched from there."""
RC = 'provider_installation {{\n  filesystem_mirror {{\n    path = "{}"\n  }}\n}}\n'
STAND_IN = Path(__file__).with_name("stand_in.py")
ENVIRONMENTS = ("environments/dev", "environments/stage", "environments/prod")
EXAMPLES = {
    "examples/minimal": {"project_id": "hotel-locks-try"},
    "examples/production": {
        "project_id": "hotel-locks-gulf",
        "billing_account": "000000-000000-000000",
        "producers": '{"reservation-service"=["serviceAccount:bookings@hotel.iam.gserviceaccount.com"]}',
        "pager": "https://pager.example.com/locks",
    },
}


def needs_terraform():
    """Skip what needs Terraform where it is not installed."""
    if shutil.which("terraform") is None:
        pytest.skip("terraform is not installed; infra/terraform still holds its files to the schema")


@dataclass(frozen=True)
class Workspace:
    """A copy of what Terraform reads, in which it may write."""

    root: Path

    @classmethod
    def at(cls, root):
        """Copy the tree, and put the stand-in where Terraform looks for providers."""
        shutil.copytree(ROOT / "terraform", root / "terraform", ignore=shutil.ignore_patterns(".terraform*"))
        shutil.copytree(ROOT / "workflows", root / "workflows")
        pack(ROOT, root / "build/keyfleet.zip")
        _install_stand_in(root / "plugins")
        (root / "rc").write_text(RC.format(root / "plugins"))
        return cls(root)

    def run(self, folder, *command):
        """Run one command of Terraform in a folder."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TF_")}
        environment |= {
            "TF_CLI_CONFIG_FILE": str(self.root / "rc"),
            "TF_DISABLE_PLUGIN_TLS": "1",
            "TF_IN_AUTOMATION": "1",
            "CHECKPOINT_DISABLE": "1",
            "GOGC": "400",  # a fifth less work, for twice the memory
        }
        return subprocess.run(
            ["terraform", *command, "-no-color"],
            cwd=self.root / "terraform" / folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=800,
        )

    def init(self, folder):
        """Make a folder ready; it has to go well."""
        done = self.run(folder, "init", "-input=false", "-backend=false")
        assert done.returncode == 0, done.stderr

    def plan(self, folder, *options):
        """Return the changes that would be made, by address."""
        self.init(folder)
        done = self.run(folder, "plan", "-input=false", "-lock=false", "-out=plan", *options)
        assert done.returncode == 0, done.stderr
        shown = json.loads(self.run(folder, "show", "-json", "plan").stdout)
        return {each["address"]: each for each in shown["resource_changes"] if each["mode"] == "managed"}


def variables_of(folder):
    """Return the options that give a folder its example's values."""
    if folder in EXAMPLES:
        return [f"-var={name}={value}" for name, value in EXAMPLES[folder].items()]
    return ["-var-file=terraform.tfvars.example"]


def _install_stand_in(plugins):
    machine = {"x86_64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    system = f"{platform.system().lower()}_{machine}"
    for name in FILES:
        version = schema_of(name).version
        program = (
            plugins / HOST / "hashicorp" / name / version / system / f"terraform-provider-{name}_v{version}"
        )
        program.parent.mkdir(parents=True)
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STAND_IN}" {name}\n')
        program.chmod(0o755)
