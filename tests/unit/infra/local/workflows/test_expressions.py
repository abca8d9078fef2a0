"""The grammar of expressions."""

import pytest

from infra.local.workflows.expressions import (
    Binary,
    Call,
    Item,
    ListOf,
    Literal,
    Member,
    Name,
    parse_expression,
)
from infra.local.workflows.tokens import ExpressionError


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 + 3 * 4", 14),
        ("(2 + 3) * 4", 20),
        ("-2 * 3", -6),
        ("- (2 + 3)", -5),
        ("10 - 4 - 3", 3),
        ("7 // 2", 3),
        ("-7 // 2", -4),
        ("7 % 4", 3),
        ("-7 % 4", 1),
        ("7 / 2", 3.5),
        ("4 / 2", 2.0),
        ("1 + 2 == 3 and not false", True),
        ("false or true and not false", True),
        ("true OR false AND NOT true", True),
        ("True and TRUE and not False", True),
        ("1 < 2 and 2 <= 2 and 3 > 2 and 3 >= 3 and 1 != 2", True),
        ('"a" in ["a", "b"]', True),
        ("not (1 in [2])", True),
        ("[1, [2, 3]][1][0]", 2),
        ("[]", []),
        ("[1, 2,]", [1, 2]),
        ("null == null", True),
        ("1.5e3", 1500.0),
        (".5 + 1", 1.5),
        ("-9223372036854775808", -9223372036854775808),
        (r'"tab\tquote\"slash\\\u00e9\/"', 'tab\tquote"slash\\é/'),
        ("'single quotes are read too'", "single quotes are read too"),
        ('"{" + "}" + "${x}"', "{}${x}"),
        ("1\n  + 2", 3),
    ],
)
def test_expression_evaluates_as_documented(evaluate, expression, value):
    result = evaluate(expression)
    assert (type(value), value) == (type(result), result)


@pytest.mark.parametrize(
    ("source", "column"),
    [
        ("", 1),
        ("1 +", 4),
        ("1 2", 3),
        ("a.b.", 5),
        ("a.1", 2),
        ("a[1", 4),
        ("f(1", 4),
        ("(1", 3),
        ("a ? b", 3),
        ('{"a": 1}', 1),
        ('"open', 1),
        (r'"\x41"', 1),
        (r'"\ud800"', 1),
        ("a not in b", 3),
        ("2 ** 3", 4),
        ("not", 4),
        ("a end", 3),
        ("9223372036854775808", 1),
        ("1e999", 1),
        ("lambda: 1", 7),
        ("[1](2)", 4),
        ("a.b()(1)", 6),
        ("x and or y", 7),
        ("aNd b", 5),
    ],
)
def test_broken_expression_names_the_column(source, column):
    with pytest.raises(ExpressionError) as broken:
        parse_expression(source)
    assert column == broken.value.column
    assert broken.value.remedy


def test_not_binds_tighter_than_comparison(evaluate):
    assert evaluate("not t in [t, f]", t=True, f=False) is True
    assert "TypeError" in evaluate('not "x" in m', m={"x": 1})


def test_postfix_binds_tightest():
    tree = parse_expression('a.b[0]["k"].c')
    assert isinstance(tree, Member)
    assert isinstance(tree.target, Item)
    assert parse_expression("text.split(a, b)") == Call("text.split", (Name("a", 12), Name("b", 15)), 1)


def test_operators_of_one_level_group_from_the_left():
    tree = parse_expression("1 - 2 - 3")
    assert isinstance(tree, Binary)
    assert isinstance(tree.left, Binary)
    assert Literal(3, 9) == tree.right


def test_mixed_case_keywords_are_plain_names():
    assert parse_expression("And") == Name("And", 1)


def test_a_string_may_hold_a_line_end():
    assert parse_expression('"a\nb"') == Literal("a\nb", 1)


def test_keywords_may_be_keys(evaluate):
    assert evaluate("m.in + m.not", m={"in": 1, "not": 2}) == 3


def test_lists_nest_without_maps():
    assert isinstance(parse_expression("[[1], []]"), ListOf)


def test_deep_nesting_is_refused_and_not_a_crash():
    for deep in ("(" * 190 + "1" + ")" * 190, "-" * 390 + "x", "not " * 95 + "x", "[" * 180):
        with pytest.raises(ExpressionError):
            parse_expression(deep)


def test_long_chains_are_not_deep(evaluate):
    assert evaluate("+".join(["1"] * 199)) == 199
