"""Waiting without a real clock."""

import pytest

from infra.cli.polling import OutOfPatience


def test_patience_looks_until_it_finds(patience):
    findings = iter([None, None, "here"])
    began = patience.seconds()
    assert patience.until(lambda: next(findings), 10) == "here"
    assert patience.seconds() - began == pytest.approx(0.1)


def test_patience_takes_what_is_empty_for_found(patience):
    assert patience.until(list, 10) == []


def test_patience_ends(patience):
    began = patience.seconds()
    with pytest.raises(OutOfPatience, match="not within 2 s"):
        patience.until(lambda: None, 2)
    assert patience.seconds() - began == pytest.approx(2, abs=0.1)
