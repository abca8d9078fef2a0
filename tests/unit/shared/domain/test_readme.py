"""The README shows the tables the code obeys."""

from pathlib import Path

import pytest

from infra.codegen.lifecycle_diagram import README, draw, fill, generate
from shared.domain.lifecycle import TABLE
from shared.domain.states import Requested

ROOT = Path(__file__).parents[4]


def test_the_readme_is_as_it_would_be_generated_now():
    assert generate() == {README: (ROOT / README).read_text(encoding="utf-8")}


def test_the_diagram_has_an_arrow_for_each_entry_of_the_table_and_a_start_and_two_ends():
    lines = draw(TABLE, Requested).splitlines()

    arrows = [line for line in lines if ": " in line]
    assert len(arrows) == sum(len(row) for row in TABLE.values())
    assert "    requested --> pending: Accept" in arrows
    assert "    [*] --> requested" in lines
    assert [line.split()[0] for line in lines if line.endswith("--> [*]")] == ["revoked", "failed"]


def test_filling_replaces_what_is_between_the_markers_and_nothing_else():
    text = "a\n<!-- generated: x -->\nold\n<!-- end: x -->\nb"

    assert fill(text, "x", r"new \1") == "a\n<!-- generated: x -->\nnew \\1\n<!-- end: x -->\nb"


@pytest.mark.parametrize("text", ["", "<!-- generated: x -->", "<!-- generated: x --><!-- end: x -->" * 2])
def test_a_readme_without_exactly_one_place_is_refused(text):
    with pytest.raises(ValueError, match="places for 'x'"):
        fill(text, "x", "new")
