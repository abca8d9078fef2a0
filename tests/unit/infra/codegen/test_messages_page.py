"""The page of messages shows them all, and the gate names what is wrong with the texts of a tree."""

import shutil
from pathlib import Path

import pytest

from infra.codegen.messages_page import PAGE, TEXTS, generate, problems
from shared.messages.kinds import RULES

ROOT = Path(__file__).parents[4]


def planted(root, file, old, new):
    """Return a tree whose texts are ours but for one place."""
    folder = shutil.copytree(ROOT / TEXTS, root / TEXTS)
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")
    return root


def test_every_message_has_an_example_in_every_language():
    text = generate()[PAGE]
    for kind in RULES:
        headings = [line for line in text.splitlines() if line.endswith(f": {kind}")]
        assert [line.partition(":")[0].removeprefix("### ") for line in headings] == [
            *("Pashto", "Dari", "Arabic", "English", "French")
        ]


def test_the_page_is_as_it_would_be_written_now():
    assert (ROOT / PAGE).read_text(encoding="utf-8") == generate()[PAGE]


def test_our_texts_pass():
    assert problems(ROOT) == []


def test_a_broken_text_fails_the_gate_with_its_place(tmp_path):
    root = planted(tmp_path, "en.toml", "Dear guest,", "Dear {guest},")
    (problem,) = problems(root)
    assert problem.startswith(
        "shared/messages/texts/en/letter/greeting: slots are the same: guest is not known"
    )


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[letter]", "[letter"),
        ('"Dear guest,"', "1"),
        ('["key.ended"]', '["key.ended".more]'),
        ("long =", "long = 1 #"),
        ("[dates]", "x = 1\n[dates]"),
    ],
)
def test_a_file_that_cannot_be_understood_fails_the_gate(tmp_path, old, new):
    root = planted(tmp_path, "en.toml", old, new)
    (problem,) = problems(root)
    assert problem.startswith("shared/messages/texts: cannot be read: ")
