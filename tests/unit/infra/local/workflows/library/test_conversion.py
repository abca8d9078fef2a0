"""The expression helpers."""

import pytest


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('int("42")', 42),
        ('int("-7")', -7),
        ("int(2.7)", 2),
        ("int(-2.7)", -2),
        ("int(5)", 5),
        ('double("2.7")', 2.7),
        ('double("1e3")', 1000.0),
        ("double(3)", 3.0),
        ("string(1)", "1"),
        ("string(1.7)", "1.7"),
        ("string(true)", "true"),
        ('string("x")', "x"),
        ('len("añb")', 3),
        ("len([1, 2])", 2),
        ("len(keys(m))", 2),
        ("keys(m)", ["a", "b"]),
        ("default(null, 5)", 5),
        ("default(false, 5)", False),
        ('default("", 5)', ""),
        ('if(null, "a", "b")', "b"),
        ('if(1 == 1, "a", "b")', "a"),
        ("get_type(1)", "integer"),
        ("get_type(1.0)", "double"),
        ('get_type("a")', "string"),
        ("get_type(true)", "boolean"),
        ("get_type(null)", "null"),
        ("get_type([])", "list"),
        ("get_type(m)", "map"),
        ('get_type(text.encode("a"))', "bytes"),
    ],
)
def test_helper_converts_as_documented(evaluate, expression, value):
    result = evaluate(expression, m={"a": 1, "b": 2})
    assert (type(value), value) == (type(result), result)


@pytest.mark.parametrize(
    ("expression", "tag"),
    [
        ('int("abc")', "ValueError"),
        ('int("2.7")', "ValueError"),
        ('int("1_000")', "ValueError"),
        ('int("")', "ValueError"),
        ('int(" 1")', "ValueError"),
        ('int("٣")', "ValueError"),
        ('int("9223372036854775808")', "ValueError"),
        ("int(1e300)", "ValueError"),
        ("int(true)", "TypeError"),
        ("int(null)", "TypeError"),
        ('double("nan")', "ValueError"),
        ('double("inf")', "ValueError"),
        ('double("1e999")', "ValueError"),
        ("double(true)", "TypeError"),
        ("string(null)", "TypeError"),
        ("string([1])", "TypeError"),
        ("len(1)", "TypeError"),
        ("len(null)", "TypeError"),
        ("keys([1])", "TypeError"),
        ('if("yes", 1, 2)', "TypeError"),
    ],
)
def test_helper_refuses_what_it_cannot_convert(evaluate, expression, tag):
    assert tag in evaluate(expression)


def test_both_values_of_if_are_evaluated(evaluate):
    assert "ZeroDivisionError" in evaluate("if(true, 1, 1 / 0)")
    assert "ZeroDivisionError" in evaluate("default(1, 1 / 0)")
