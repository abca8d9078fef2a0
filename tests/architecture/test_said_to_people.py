"""What is accepted rather than mended is said to people, in words that go with the code."""

import re

import pytest

from shared.vendors.ttlock.adapter import GUARD
from tests.architecture.tree import ROOT

SECURITY, README = ((ROOT / name).read_text(encoding="utf-8") for name in ("SECURITY.md", "README.md"))
WORDS = {name: re.sub(r"\s+", " ", page) for name, page in (("security", SECURITY), ("readme", README))}
HELD_BY = re.compile(r"`(tests/[\w/.]+)`")


@pytest.mark.parametrize(
    "said",
    [
        "puts an older sealed value of the same field back (its age is not sealed)",
        "Restored in another project, what KMS sealed does not open",
        "the same token can be spelt in more than one way",
    ],
    ids=["SL10", "SL11", "SL12"],
)
def test_what_was_accepted_is_said_to_operators(said):
    assert said in WORDS["security"]


def test_no_threat_is_left_to_design():
    table = SECURITY.partition("## Threats")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert [row for row in rows if not HELD_BY.search(row)] == []


@pytest.mark.parametrize("path", sorted({*HELD_BY.findall(SECURITY)}))
def test_what_holds_a_threat_is_there(path):
    assert (ROOT / path).exists()


def test_readme_says_what_a_hotel_gets_at_its_vendors_limit():
    assert f"TTLock takes {GUARD.limit.calls} calls a minute of an application" in WORDS["readme"]
