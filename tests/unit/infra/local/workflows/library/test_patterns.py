"""Regular expressions in RE2 syntax, leftmost-longest, in linear time."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.workflows.errors import RaisedError
from infra.local.workflows.library.patterns import compile_pattern


def matches(pattern, text):
    return [text[start:end] for start, end in compile_pattern(pattern).find_all(text)]


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("a|ab|abc", "abcd", ["abc"]),
        ("a+?", "aaa", ["aaa"]),
        ("(a|b)*c", "xabcab", ["abc"]),
        ("[a-c]+", "xxabcx", ["abc"]),
        ("[^a-c]+", "abxyc", ["xy"]),
        ("[]a]+", "]a]b", ["]a]"]),
        ("[a\\-z]+", "a-zb", ["a-z"]),
        (r"\d{2,3}", "1 22 4444", ["22", "444"]),
        (r"\d{2}", "12345", ["12", "34"]),
        (r"\w+@\w+\.com", "me@site.com you@x.org", ["me@site.com"]),
        (r"\bcat\b", "cat concat cat", ["cat", "cat"]),
        (r"\Bcat", "cat concat", ["cat"]),
        ("^a", "aa\na", ["a"]),
        ("(?m)^a", "aa\na", ["a", "a"]),
        ("a$", "a\na", ["a"]),
        ("(?m)a$", "a\na", ["a", "a"]),
        (r"\Aa|a\z", "aba", ["a", "a"]),
        ("a.c", "a\nc abc", ["abc"]),
        ("(?s)a.c", "a\nc", ["a\nc"]),
        ("(?i)hello", "HeLLo", ["HeLLo"]),
        ("(?i:h)ello", "Hello HELLO", ["Hello"]),
        ("x(?i)y(?-i)z", "xYz xYZ", ["xYz"]),
        ("(?P<year>[0-9]{4})", "in 2024", ["2024"]),
        ("(?:ab){2}", "ababab", ["abab"]),
        ("[[:alpha:]]+[[:^digit:]]", "ab!1", ["ab!"]),
        (r"\p{Lu}+", "aÀBc", ["ÀB"]),
        (r"\PL+", "a12b", ["12"]),
        (r"\x41\x{42}\t", "AB\t", ["AB\t"]),
        (r"[\d\s]+", "a1 2b", ["1 2"]),
        (r"\.\*", "a.*b", [".*"]),
        ("", "ab", ["", "", ""]),
        ("a*", "baac", ["", "aa", ""]),
        ("a{,2}", "a{,2}", ["a{,2}"]),
    ],
)
def test_pattern_finds_the_leftmost_longest_matches(pattern, text, found):
    assert found == matches(pattern, text)


NOT_RE2 = (
    *("(", ")", "[", "\\", "*a", "a**", "a{1}{2}?*", "a{2,1}", "a{1001}", "((a{1000}){1000})"),
    *(r"\1", r"\q", r"\x{110000}", r"\pQ", "[b-a]", "[[:what:]]"),
    *("(a", "(?=a)", "(?<!a)", "(?P>x)", "(" * 60 + ")" * 60),
)


@pytest.mark.parametrize("pattern", NOT_RE2)
def test_pattern_that_is_not_re2_is_a_value_error(pattern):
    with pytest.raises(RaisedError) as refused:
        compile_pattern(pattern)
    assert refused.value.payload["tags"] == ["ValueError"]


@given(st.text(alphabet="abc \n", max_size=20))
def test_pattern_agrees_with_backtracking_where_both_mean_the_same(text):
    for pattern in ("a+b", "[ab]+c?", "(ab)+", ".b", "a{2,3}", r"\w+\s"):
        expected = [found.span() for found in re.finditer(pattern, text)]
        assert expected == list(compile_pattern(pattern).find_all(text))


def test_pattern_that_would_explode_by_backtracking_stays_linear():
    assert matches("(a*)*b", "a" * 3000) == []


@given(st.text(max_size=30))
def test_any_text_compiles_or_is_a_value_error(pattern):
    text = "some text 123"
    try:
        spans = list(compile_pattern(pattern).find_all(text))
    except RaisedError as refused:
        spans = [] if refused.payload["tags"] == ["ValueError"] else [(-1, -1)]
    assert all(0 <= start <= end <= len(text) for start, end in spans)


def test_l5_an_expression_that_would_hold_the_loop_is_given_up():
    with pytest.raises(RaisedError) as refused:
        matches("a.*b|a", "a" * 20_000)
    assert "takes too long" in str(refused.value.payload)


def test_l5_a_long_text_is_no_reason_to_give_up():
    assert len(matches("[0-9]+", "12 " * 20_000)) == 20_000
