"""YAML typing, lines, and input made to hurt."""

import json

import pytest

from infra.local.workflows.errors import WorkflowRefused
from infra.local.workflows.program import load


@pytest.mark.parametrize(
    ("scalar", "value"),
    [
        ("007", 7),
        ('"007"', "007"),
        ("1e3", 1000.0),
        ("'1e3'", "1e3"),
        ("0x1F", 31),
        ("0o17", 15),
        ("+5", 5),
        ("-1.50", -1.5),
        ("1.", 1.0),
        (".5", 0.5),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("y", "y"),
        ("True", True),
        ("FALSE", False),
        ('"true"', "true"),
        ("~", None),
        ("Null", None),
        ('""', ""),
        ("2024-01-01", "2024-01-01"),
        ("2024-01-01T10:00:00Z", "2024-01-01T10:00:00Z"),
        ("12:30:45", "12:30:45"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("1,5", "1,5"),
        ("9223372036854775807", 9223372036854775807),
        ("a ${1} b", "a ${1} b"),
        ("${1} b", "${1} b"),
        ("$1}", "$1}"),
        ('"\\ud83d\\ude00"', "😀"),
    ],
)
def test_scalar_has_the_type_of_yaml_12(verdict, scalar, value):
    result = verdict(f"- a:\n    return: {scalar}\n").result
    assert (type(value), value) == (type(result), result)


@pytest.mark.parametrize(
    "block",
    ["${\n  1 +\n  2\n  }", '"${1 +\n  2}"', "|\n    ${1 + 2}", ">\n    ${1 +\n    2}", "  ${1 + 2}  "],
)
def test_expression_may_span_lines(verdict, block):
    assert verdict("- a:\n    return: " + block.replace("\n", "\n    ") + "\n").result == 3


def test_map_keys_become_strings(verdict):
    ended = verdict(
        "- a:\n    assign:\n      - m: {1: a, true: b, ~: c, 1.5: d}\n- b:\n    return: ${keys(m)}\n"
    )
    assert ended.result == ["1", "true", "null", "1.5"]


def test_map_keys_may_be_expressions(verdict):
    ended = verdict(
        """
        - a:
            assign:
              - k: key
              - m:
                  ${k}: 1
                  '${k + "2"}': 2
        - b:
            return: ${m}
        """
    )
    assert ended.result == {"key": 1, "key2": 2}


def test_computed_key_must_be_a_string(verdict):
    assert "TypeError" in verdict("- a:\n    return: {'${1}': 2}\n").error["tags"]


def test_json_source_is_read_like_yaml(verdict):
    document = {"main": {"params": ["args"], "steps": [{"a": {"return": '${"\\t" + args.x}'}}]}}
    assert verdict(json.dumps(document, indent="\t"), {"x": "é"}).result == "\té"


def test_aliases_repeat_values(verdict):
    assert verdict("- a:\n    assign: [x: &list [1, 2], y: *list]\n- b:\n    return: ${y}\n").result == [1, 2]


@pytest.mark.parametrize(
    ("source", "line", "message"),
    [
        ("- a:\n    return: 9223372036854775808\n", 2, "beyond 64 bits"),
        ("- a:\n    return: " + "9" * 5000 + "\n", 2, "beyond 64 bits"),
        ("- a:\n    return: .nan\n", 2, "not a finite number"),
        ("- a:\n    return: -.inf\n", 2, "not a finite number"),
        ("- a:\n    return: 1e999\n", 2, "not a finite number"),
        ("- a:\n    return: !!python/object:os.system x\n", 2, "YAML tag"),
        ("- a:\n    return: !!str 5\n", 2, "YAML tag"),
        ("- a: !x\n    return: 5\n", 1, "YAML tag"),
        ("- a: &x\n    return: *x\n", 2, "no finished anchor"),
        ("- a:\n    return: *ghost\n", 2, "no finished anchor"),
        ("- a:\n    <<: {return: 1}\n", 2, "merge key"),
        ("- a:\n    ? [1]\n    : 2\n", 2, "itself a collection"),
        ("- a:\n    return: 1\n---\n- b:\n    return: 2\n", 3, "second document"),
        ('- a:\n    return: "\\ud83d"\n', 2, "surrogate"),
        ("- a:\n    return: 'open\n", 2, "not YAML"),
        ("- a: {return: 1\n", 1, "not YAML"),
        ("%YAML 9.9\n--- a\n", 1, "not YAML"),
        ('- a: "\\UFFFFFFFF"\n', 1, "not YAML"),
        ("- a: \x00\n", 1, "not YAML"),
    ],
)
def test_unreadable_source_is_refused_with_its_line(refuse, source, line, message):
    [problem] = refuse(source)
    assert message in problem.message
    assert abs(problem.line - line) <= 1


@pytest.mark.parametrize("value", ["[${x}]", "{k: ${x}}", "{${x}: 1}"])
def test_remedy_for_a_bare_expression_in_flow_style_is_quotes(refuse, value):
    [problem] = refuse(f"- a:\n    return: {value}\n")
    assert "quote" in problem.remedy
    assert "${...} inside [ ] and { }" in problem.remedy


def test_source_that_is_not_utf8_is_refused():
    with pytest.raises(WorkflowRefused, match=r"x\.yaml:2: the source is not UTF-8"):
        load(b"- a:\n    return: \xff\n", "x.yaml")


def test_bomb_of_aliases_is_refused(refuse):
    lines = ["- a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"- a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    assert "aliases" in refuse("\n".join(lines))[0].message


def test_deep_source_is_refused_and_not_a_crash(refuse):
    assert "nested deeper" in refuse("[" * 60_000)[0].message
    assert "nested deeper" in refuse("".join("    " * n + "- a:\n" for n in range(100)))[0].message


def test_digest_names_the_revision():
    first, second = (load(f"- a:\n    return: {n}\n", "x.yaml") for n in (1, 2))
    assert first.digest != second.digest
    assert first.digest == load(b"- a:\n    return: 1\n", "y.yaml").digest
