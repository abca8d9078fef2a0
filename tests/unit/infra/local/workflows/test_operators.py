"""Operators are strict about the kinds they take."""

import pytest

BIG = 9223372036854775807


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ('"a" + 1', "a1"),
        ('1 + "a"', "1a"),
        ('2.5 + "a"', "2.5a"),
        ('true + "a"', "truea"),
        ('"a" + false', "afalse"),
        ("1 + 2.5", 3.5),
        ("2.0 + 1", 3.0),
        ("7.5 // 2", 3.0),
        ("7.5 % 2", 1.5),
        ("1 == 1.0", True),
        ("1 == true", False),
        ('1 == "1"', False),
        ("[1, [2.0]] == [1.0, [2]]", True),
        ("[1] == [true]", False),
        ("null == false", False),
        ('"a" < "b"', True),
        ("1 < 1.5", True),
        ("1 in [1.0]", True),
        ("true in [1]", False),
        ("false and 1", False),
        ("true or 1", True),
    ],
)
def test_operator_gives_the_documented_kind(evaluate, expression, value):
    result = evaluate(expression)
    assert (type(value), value) == (type(result), result)


@pytest.mark.parametrize(
    "expression",
    [
        "1 + true",
        "true + 1.5",
        "true + true",
        "1 + null",
        '"a" + null',
        '"a" + [1]',
        "[1] + [2]",
        '"a" * 2',
        "true - 1",
        '-"a"',
        "-true",
        'not "x"',
        "not 0",
        "not null",
        "1 and true",
        "true and 1",
        "false or null",
        '1 < "2"',
        "true < false",
        "[1] < [2]",
        "1 < 2 < 3",
        '"a" in "abc"',
        "1 in 2",
        '"abc"[0]',
        "[1][true]",
        "[1][0.0]",
        '[1]["0"]',
        '"a".b',
        "null.x",
    ],
)
def test_operator_refuses_other_kinds(evaluate, expression):
    assert "TypeError" in evaluate(expression)


@pytest.mark.parametrize("expression", ["1 / 0", "1 // 0", "1 % 0", "1.0 / 0", "1.5 % 0.0"])
def test_division_by_zero_has_its_own_tag(evaluate, expression):
    assert "ZeroDivisionError" in evaluate(expression)


@pytest.mark.parametrize(
    "expression",
    [f"{BIG} + 1", f"-{BIG} - 2", f"{BIG} * 2", "-9223372036854775808 // -1", "1e308 * 10", "1e308 + 1e308"],
)
def test_overflow_is_a_value_error(evaluate, expression):
    assert "ValueError" in evaluate(expression)


@pytest.mark.parametrize("expression", ["[1][1]", "[1][-1]", "[][0]"])
def test_position_outside_a_list_is_an_index_error(evaluate, expression):
    assert evaluate(expression) == ["IndexError", "LookupError"]


@pytest.mark.parametrize("expression", ["m.b", 'm["b"]'])
def test_missing_key_is_a_key_error(evaluate, expression):
    assert evaluate(expression, m={"a": 1}) == ["KeyError", "LookupError"]


def test_map_key_must_be_a_string(evaluate):
    assert "TypeError" in evaluate("m[1]", m={"1": 1})
    assert evaluate("1 in m", m={"1": 1}) is False


def test_equality_of_maps_compares_numbers_across_kinds(evaluate):
    assert evaluate("m == n", m={"a": 1}, n={"a": 1.0}) is True
    assert evaluate("m == n", m={"a": 1}, n={"b": 1}) is False
