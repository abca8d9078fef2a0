"""list.*, map.* and math.*."""

import pytest


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("list.concat([1], 2)", [1, 2]),
        ("list.concat([1], [2])", [1, [2]]),
        ("list.prepend([1], 2)", [2, 1]),
        ('map.get(m, "a")', {"b": 1}),
        ('map.get(m, ["a", "b"])', 1),
        ('map.get(m, ["a", "x", "y"])', None),
        ('map.get(m, "zz")', None),
        ('map.get(1, "a")', None),
        ('map.delete(m, "a")', {"n": 1}),
        ('map.delete(m, "zz")', {"a": {"b": 1}, "n": 1}),
        ("map.merge(m, o)", {"a": {"c": 2}, "n": 1}),
        ("map.merge_nested(m, o)", {"a": {"b": 1, "c": 2}, "n": 1}),
        ("math.abs(-123)", 123),
        ("math.abs(-1.5)", 1.5),
        ("math.max(1, 2.5)", 2.5),
        ("math.min(1, 2.5)", 1),
        ("math.floor(-1.5)", -2),
    ],
)
def test_container_function_gives_the_documented_value(evaluate, expression, value):
    result = evaluate(expression, m={"a": {"b": 1}, "n": 1}, o={"a": {"c": 2}})
    assert (type(value), value) == (type(result), result)


@pytest.mark.parametrize(
    ("expression", "tag"),
    [
        ("list.concat(1, 2)", "TypeError"),
        ('list.prepend("a", 2)', "TypeError"),
        ("map.get(m, 1)", "TypeError"),
        ("map.get(m, [1])", "TypeError"),
        ("map.delete(m, 1)", "TypeError"),
        ('map.delete([], "a")', "TypeError"),
        ("map.merge(m, 1)", "TypeError"),
        ("map.merge_nested(1, m)", "TypeError"),
        ('math.abs("1")', "TypeError"),
        ("math.abs(-9223372036854775808)", "ValueError"),
        ("math.max(1, true)", "TypeError"),
        ("math.floor(1e300)", "ValueError"),
    ],
)
def test_container_function_refuses_bad_arguments(evaluate, expression, tag):
    assert tag in evaluate(expression, m={"a": 1})


def test_functions_leave_their_arguments_alone(verdict):
    ended = verdict("""
        - a:
            assign:
              - l: [1]
              - m: {a: {b: 1}}
              - l2: ${list.concat(l, 2)}
              - m2: ${map.merge_nested(m, m)}
              - m2.a.b: 5
        - r:
            return: ["${l}", "${m}"]
    """)
    assert ended.result == [[1], {"a": {"b": 1}}]
