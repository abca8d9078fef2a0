"""The repository is the agreed tree, pinned by hash, free of addresses, machine paths and unfinished work."""

import subprocess

import pytest

from tests.architecture.gates import GATES, broken
from tests.architecture.planting import FILES, OUTSIDE, PROJECT, pins, planted, plants
from tests.architecture.repository import RULES
from tests.architecture.tree import Tree

REGISTRY, HOME, UNFINISHED = "https://py" + "pi.org/simple", "/ho" + "me/clerk/keyfleet", "TO" + "DO"
PRIVATE_KEY = "-----BEGIN PRIVATE" + " KEY-----"
VIOLATIONS = {
    "Top-level folders are the agreed ones": [{"docs/index.md": "# Keys"}, {"src/keyfleet.py": ""}],
    "Lock files hold no addresses": [
        {"uv.lock": ""},
        {"requirements.txt": "--index-url https://example.org/simple\n" + pins(*OUTSIDE)},
        {"requirements-dev.txt": pins(*OUTSIDE, "pytest") + "    # from https://example.org\n"},
    ],
    "Requirements are pinned by hash": [
        {"requirements.txt": pins(*OUTSIDE) + "rich==15.0\n"},
        {"requirements-functions.txt": pins(*OUTSIDE) + "rich==15.0\n"},
        {"requirements-dev.txt": pins(*OUTSIDE, "pytest") + "rich>=15.0 \\\n    --hash=sha256:00\n"},
    ],
    "Requirements agree with the project": [
        {"requirements.txt": pins(*OUTSIDE[1:])},
        {"requirements-dev.txt": pins(*OUTSIDE)},
        {"pyproject.toml": PROJECT.replace("orjson>=1", "orjson>=2")},
        {"requirements-dev.txt": pins(*OUTSIDE, "pytest", version="1.1")},
        {
            "requirements.txt": pins(*OUTSIDE, "hid"),
            "requirements-dev.txt": pins(*OUTSIDE, "hid", "pytest"),
        },
    ],
    "Make has its targets": [{"Makefile": FILES["Makefile"].replace("demo:", "show:")}],
    "Requirements are installed as wheels": [
        {"Makefile": FILES["Makefile"] + "pins:\n\tpip install --require-hashes -r requirements.txt\n"}
    ],
    "Schemas are JSON": [{"schemas/fleet.json": "{,}"}],
    "No registry address": [{"infra/README.md": f"Install from {REGISTRY}"}],
    "No absolute machine path": [{"infra/README.md": f"It lies in {HOME}"}],
    "No unfinished work": [{"infra/README.md": f"{UNFINISHED}: say more"}],
    "No credential": [{"infra/local/key.txt": PRIVATE_KEY}],
}


@pytest.mark.parametrize("gate", RULES)
def test_tree_keeps_the_repository_rules(tree, gate):
    assert list(GATES[gate](tree)) == []


def test_every_rule_has_a_violation():
    assert list(VIOLATIONS) == [*RULES]


@pytest.mark.parametrize("plant", plants(VIOLATIONS), ids=str)
def test_stray_file_or_line_is_caught_by_its_gate_alone(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert list(broken(tree)) == [plant.gate]


def test_ignored_files_are_not_the_repository_s_with_git_and_without(tmp_path):
    (tmp_path / ".gitignore").write_text("build/\n*.egg-info/\n")
    for path in ("kept.py", "build/made.py", "keyfleet.egg-info/made.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    without_git = Tree(tmp_path, {}).files
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)

    assert without_git == Tree(tmp_path, {}).files == (".gitignore", "kept.py")
