"""The page of problems says what the catalogue says."""

from pathlib import Path

from infra.codegen.problems_page import PAGE, generate
from shared.runtime.problems import CATALOGUE

ROOT = Path(__file__).parents[4]


def test_every_problem_stands_on_the_page_with_its_status_and_remedy():
    rows = [line for line in generate()[PAGE].splitlines() if line.startswith("| `")]
    assert len(rows) == len(CATALOGUE)
    for row, problem in zip(rows, CATALOGUE, strict=True):
        assert row.startswith(f"| `{problem.code}` | {problem.status} ")
        assert problem.remedy in row


def test_the_page_is_as_it_would_be_written_now():
    assert (ROOT / PAGE).read_text(encoding="utf-8") == generate()[PAGE]
