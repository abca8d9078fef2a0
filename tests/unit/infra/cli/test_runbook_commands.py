"""What a runbook tells somebody to type is a command that there is, with options that it has."""

import re
from pathlib import Path

import pytest
import typer

from infra.cli.main import app

ROOT = Path(__file__).parents[4]
PAGES = sorted([*ROOT.glob("infra/runbooks/**/*.md"), *ROOT.glob("shared/vendors/*/RUNBOOK.md")])
TOLD = re.compile(r"`keyfleet ([^`]+)`")
TYPED = re.compile(r"keyfleet ([^`)\n#|]+)")
TYPED_FROM = [ROOT / "README.md", *sorted(ROOT.glob("infra/docs/*.md"))]
VENDORS = {each.parent.name for each in ROOT.glob("shared/vendors/*/RUNBOOK.md")} | {"VENDOR"}
PLACE = {"--home", "--port", "--json"}


def commands(group, words=()):
    """Yield each command that there is with the options it has."""
    if not hasattr(group, "commands"):
        yield words, {option for each in group.params for option in each.opts if option.startswith("--")}
        return
    for name, command in group.commands.items():
        yield from commands(command, (*words, name))


KNOWN = dict(commands(typer.main.get_command(app)))


def told(page):
    """Return what a page tells to type: lines that are wrapped are one."""
    text = re.sub(r"\n\s*", " ", page.read_text(encoding="utf-8"))
    return [line.split() for line in TOLD.findall(text)]


def required(group, words):
    """Return what a command cannot do without."""
    for word in words:
        group = group.commands[word]
    return {each.opts[0] for each in group.params if each.required and each.opts[0].startswith("--")}


def typed(page):
    """Return what stands in a page's blocks to be typed as it is."""
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return [line.split() for block in blocks for line in TYPED.findall(block)]


def meant(words):
    """Return the command that words begin with, the longest there is."""
    found = [tuple(words[:length]) for length in (3, 2, 1) if tuple(words[:length]) in KNOWN]
    return found[0] if found else None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_and_options_of_a_runbook_exist(page):
    for words in told(page):
        command = meant(words)
        assert command is not None, f"{page.name}: no command keyfleet {' '.join(words[:2])}"
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        assert options <= KNOWN[command] | PLACE, f"{page.name}: keyfleet {' '.join(words)}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_command_of_a_runbook_that_is_more_than_named_says_all_that_it_must(page):
    for words in told(page):
        command = meant(words)
        if command is None or words[len(command) :] == [] or "…" in words:
            continue  # it is only named, or the page says that more is to be given
        missing = required(typer.main.get_command(app), command) - set(words)
        assert not missing, f"{page.name}: keyfleet {' '.join(words)} lacks {missing}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_vendors_of_a_runbook_are_some_that_there_are(page):
    for words in told(page):
        after = [words[at + 1] for at, word in enumerate(words) if word == "--vendor"]
        named = words[2:3] if words[:2] in (["canary", "begin"], ["canary", "stop"]) else after
        assert {*named} <= VENDORS, f"{page.name}: keyfleet {' '.join(words)}"


@pytest.mark.parametrize("page", [each for each in TYPED_FROM if typed(each)], ids=lambda page: page.name)
def test_commands_of_a_page_say_all_that_they_must(page):
    for words in typed(page):
        command = meant(words)
        assert command is not None, f"{page.name}: no command keyfleet {' '.join(words[:2])}"
        missing = required(typer.main.get_command(app), command) - set(words)
        assert not missing, f"{page.name}: keyfleet {' '.join(words)} lacks {missing}"


def test_runbook_of_the_guest_at_the_door_names_what_lets_a_guest_in():
    (page,) = (page for page in PAGES if page.name == "guest-at-the-door.md")
    named = {meant(words) for words in told(page)}
    assert {
        ("credentials",),
        ("timeline",),
        ("retry",),
        ("release",),
        ("alerts",),
        ("key", "replace"),
    } <= named


def test_command_that_there_is_not_is_found(tmp_path):
    page = tmp_path / "planted.md"
    page.write_text("Type `keyfleet open-sesame --now` and\n`keyfleet status\n --loud`.")
    first, second = told(page)
    assert meant(first) is None
    assert {word for word in second if word.startswith("--")} - KNOWN[meant(second)] == {"--loud"}
