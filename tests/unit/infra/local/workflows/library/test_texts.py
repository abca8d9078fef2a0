"""text.*, against the examples and the edges of its documentation."""

import pytest


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('text.find_all("banana", "an")', [1, 3]),
        ('text.find_all("aaa", "aa")', [0]),
        ('text.find_all("abc", "x")', []),
        ('text.find_all("ab", "")', [0, 1, 2]),
        (
            'text.find_all_regex("HelloWorld", "Hello|World")',
            [{"index": 0, "match": "Hello"}, {"index": 5, "match": "World"}],
        ),
        ('text.find_all_regex("onetwo", "one|onetwo")', [{"index": 0, "match": "onetwo"}]),
        ('text.match_regex("HelloWorld", "Hello|Goodbye")', True),
        ('text.match_regex("HelloWorld", "Goodbye")', False),
        ('text.replace_all("one two", "o", "0")', "0ne tw0"),
        ('text.replace_all_regex("one two", "one|two", "three")', "three three"),
        ('text.replace_all_regex("abc", "", "-")', "-a-b-c-"),
        (r'text.replace_all_regex("abc", "b", "\\1")', r"a\1c"),
        ('text.split("a,b,,c", ",")', ["a", "b", "", "c"]),
        ('text.split("abc", "")', ["a", "b", "c"]),
        ('text.split("abc", ",")', ["abc"]),
        ('text.substring("Hello", 1, 3)', "el"),
        ('text.substring("Hello", 5, 5)', ""),
        ('text.substring("Hello", 3, 9)', "lo"),
        ('text.substring("Hello", 6, 9)', ""),
        ('text.to_lower("ÀB")', "àb"),
        ('text.to_upper("àb")', "ÀB"),
        ('text.url_encode("a/b/c?item=d+e f")', "a%2Fb%2Fc%3Fitem%3Dd%2Be%20f"),
        ('text.url_encode("~.-_é")', "%7E.-_%C3%A9"),
        ('text.url_encode_plus("a/b/c?item=d+e f")', "a%2Fb%2Fc%3Fitem%3Dd%2Be+f"),
        ('text.url_decode("a%2Fb%2Fc%3Fitem%3Dd%2Be+f")', "a/b/c?item=d+e f"),
    ],
)
def test_text_function_gives_the_documented_value(evaluate, expression, value):
    assert value == evaluate(expression)


@pytest.mark.parametrize(
    ("expression", "tag"),
    [
        ("text.to_lower(1)", "TypeError"),
        ('text.split("a", 1)', "TypeError"),
        ('text.substring("abc", -1, 2)', "IndexError"),
        ('text.substring("abc", -1, 2)', "ValueError"),
        ('text.substring("abc", 2, 1)', "IndexError"),
        ('text.substring("abc", 0.5, 1)', "TypeError"),
        ('text.url_decode("100%")', "ValueError"),
        ('text.url_decode("%zz")', "ValueError"),
        ('text.match_regex("a", "(")', "ValueError"),
        (r'text.match_regex("aa", "(a)\\1")', "ValueError"),
        ('text.match_regex("a", 1)', "TypeError"),
    ],
)
def test_text_function_refuses_bad_arguments(evaluate, expression, tag):
    assert tag in evaluate(expression)


def test_replacement_cannot_grow_beyond_the_string_limit(evaluate):
    tags = evaluate("text.replace_all(a, b, a)", a="x" * 8000, b="x")
    assert tags == ["ResourceLimitError"]
