"""The page of permissions says what the table says."""

from pathlib import Path

from infra.codegen.permissions_page import PAGE, generate
from shared.domain.permissions import RULES, Role

ROOT = Path(__file__).parents[4]


def test_every_permission_and_role_stands_on_the_page():
    text = generate()[PAGE]
    for permission, rule in RULES.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"| `{permission}` |")]
        assert ("fresh" in row) is rule.fresh
        assert ("set by tenant" in row) is rule.configurable
        assert ("integrators" in row) is rule.integrators
        held = row.split("|")[-2].strip()
        assert (set() if held == "-" else set(held.split(", "))) == rule.roles
    assert [role for role in Role if f"\n| {role} | " not in text] == []


def test_the_page_is_as_it_would_be_written_now():
    assert (ROOT / PAGE).read_text(encoding="utf-8") == generate()[PAGE]
