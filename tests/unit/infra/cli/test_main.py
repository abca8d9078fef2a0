"""The command as a whole: what it promises, and how lean it starts."""

import subprocess
import sys
from importlib.metadata import version

import pytest

from infra.cli.problems import EXIT_CODES

HEAVY = (
    "aiohttp",
    "functions_framework",
    "infra.local.fleet",
    "nacl",
    "pydantic",
    "ruamel",
    "starlette",
    "uvicorn",
)


def test_help_explains_every_exit_code(run):
    said = " ".join(run("--help").stdout.split())
    assert all(f"{code} {meaning}" in said for code, meaning in EXIT_CODES)


def test_version_is_that_of_the_package(run):
    assert run("--version").stdout == f"keyfleet {version('keyfleet')}\n"


@pytest.mark.parametrize(
    "arguments", [["no-such-command"], ["status", "--no-such-option"], ["workflow", "run"]]
)
def test_wrong_usage_exits_with_2_and_says_so_on_stderr(run, arguments):
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr


def test_the_command_starts_without_what_only_some_commands_need():
    code = f"import sys, infra.cli.main; print([name for name in {HEAVY} if name in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout == "[]\n"


def test_only_the_module_of_the_command_that_is_asked_for_is_read_in():
    code = (
        "import sys\nfrom infra.cli.main import app\nbefore = {*sys.modules}\n"
        "app(['quota', '--help'], standalone_mode=False)\n"
        "print(sorted(name for name in {*sys.modules} - before if name.startswith('infra.cli')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert ran.stdout.splitlines()[-1] == "['infra.cli.quota']"
