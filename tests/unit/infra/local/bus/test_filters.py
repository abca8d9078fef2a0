"""The filter language accepts what Pub/Sub documents and refuses the rest, saying where."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.bus.filters import FilterRefused, compile_filter


@pytest.mark.parametrize(
    ("text", "attributes", "passes"),
    [
        ("", {}, True),
        ("  ", {"a": "1"}, True),
        ("attributes:a", {"a": ""}, True),
        ("attributes:a", {"b": "1"}, False),
        ('attributes.a = "1"', {"a": "1"}, True),
        ('attributes.a="1"', {"a": "2"}, False),
        ('attributes.a = "1"', {}, False),
        ('attributes.a != "1"', {"a": "2"}, True),
        ('attributes.a != "1"', {"a": "1"}, False),
        ('attributes.a != "1"', {}, True),
        ('hasPrefix(attributes.a, "mel")', {"a": "melmastoon"}, True),
        ('hasPrefix(attributes.a, "mel")', {"a": "Melmastoon"}, False),
        ('hasPrefix(attributes.a, "")', {}, False),
        ("NOT attributes:a", {}, True),
        ("NOT NOT attributes:a", {}, False),
        ("attributes:a AND attributes:b AND attributes:c", {"a": "", "b": "", "c": ""}, True),
        ("attributes:a AND attributes:b", {"a": ""}, False),
        ("attributes:a OR attributes:b OR attributes:c", {"c": ""}, True),
        ("attributes:a AND (attributes:b OR attributes:c)", {"a": "", "c": ""}, True),
        ("(attributes:a AND attributes:b) OR attributes:c", {"a": ""}, False),
        ("NOT (attributes:a OR attributes:b)", {"c": ""}, True),
        ("NOT attributes:a AND attributes:b", {"b": ""}, True),
        ('attributes:"iana.org/language"', {"iana.org/language": "ps"}, True),
        ("attributes:my-key_1", {"my-key_1": ""}, True),
        (r'attributes.a = "say \"hi\"\n\\"', {"a": 'say "hi"\n\\'}, True),
        (r'attributes.a = "\u0646\x41"', {"a": "نA"}, True),
        ("attributes:AND AND attributes:NOT", {"AND": "", "NOT": ""}, True),
        ('attributes:"AND" OR attributes:"("', {"(": ""}, True),
    ],
)
def test_a_filter_lets_through_what_it_says(text, attributes, passes):
    assert compile_filter(text)(attributes) is passes


@pytest.mark.parametrize(
    ("text", "position", "remedy"),
    [
        ("attributes:a AND attributes:b OR attributes:c", 30, "parentheses"),
        ("attributes:a attributes:b", 13, "AND or OR"),
        ("attributes:a and attributes:b", 13, "AND or OR"),
        ("attributes.a", 12, "compare with = or !="),
        ("attributes.a > 1", 13, "write attributes:key"),
        ("attributes.a = 1", 15, "double quotes"),
        ('attributes.a = "1', 15, "write attributes:key"),
        ('attributes.a = "\\q"', 16, "double the"),
        ('attribute.a = "1"', 0, "write attributes:key"),
        ('hasSuffix(attributes.a, "1")', 0, "write attributes:key"),
        ('hasPrefix(attributes.a "1")', 23, "expected ','"),
        ("attributes:", 11, "name an attribute"),
        ("(attributes:a", 13, "expected ')'"),
        ("attributes:a)", 12, "AND or OR"),
        ("NOT", 3, "write attributes:key"),
        ("(" * 30 + "attributes:a" + ")" * 30, 20, "nest at most 20"),
        ("attributes:" + "a" * 250, 256, "within 256 bytes"),
        ("data.size = 3", 0, "write attributes:key"),
    ],
)
def test_a_malformed_filter_is_refused_with_position_and_remedy(text, position, remedy):
    with pytest.raises(FilterRefused, match=re.escape(remedy)) as refused:
        compile_filter(text)
    assert refused.value.position == position


@given(st.text(alphabet='attributes:.="()!, ANDORT\\hxPfe1', max_size=80))
def test_any_text_is_a_filter_or_refused(text):
    with contextlib.suppress(FilterRefused):
        assert isinstance(compile_filter(text)({"a": "1"}), bool)
