"""A claim as a line of the story."""

from infra.cli.demo.claim import Claim


def test_a_claim_that_holds_shows_its_details_line_by_line():
    said = Claim("key", "There is a key.", True, 0.5, {"n": 1}, "one\ntwo").said()
    assert said.plain == "  ✓ There is a key. (0.50 s)\n    one\n    two"


def test_a_claim_without_details_is_one_line():
    assert Claim("key", "There is a key.", True, 0.5).said().plain == "  ✓ There is a key. (0.50 s)"


def test_a_claim_that_does_not_hold_shows_what_was_seen():
    said = Claim("key", "There is a key.", False, 0.5, {"n": 0}, "one").said()
    assert said.plain == "  ✗ There is a key. (0.50 s)\n    seen instead: {'n': 0}"
