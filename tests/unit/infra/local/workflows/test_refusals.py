"""What is refused when loading: every refusal names the line, the fault and a remedy."""

import json
from pathlib import Path

import pytest
from ruamel.yaml import YAML

REFUSED = YAML(typ="safe", pure=True).load(Path(__file__).with_name("refusals.yaml"))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in REFUSED])
def test_file_is_refused_with_line_fault_and_remedy(refuse, case):
    first = refuse(case["source"])[0]
    assert first.line == case["line"]
    assert case["message"] in first.message
    assert case["remedy"] in first.remedy


def test_all_problems_of_a_file_are_reported_at_once(refuse):
    problems = refuse("- a:\n    return: ${x}\n- b:\n    next: nowhere\n- c:\n    call: nothing.here\n")
    assert [problem.line for problem in problems] == [2, 3, 6]


def test_refusal_reads_as_file_line_message_remedy(refuse):
    [problem] = refuse("- a:\n    return: ${x}\n")
    assert str(problem).startswith("flow.yaml:2: symbol 'x' is neither a variable nor a sub-workflow name. ")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("- a:\n    assign:\n" + "".join(f"      - v{n}: 1\n" for n in range(51)), "51 assignments"),
        ("- a:\n    switch:\n" + "      - {condition: true, next: a}\n" * 51, "51 conditions"),
        (
            "- a:\n    parallel:\n      branches:\n"
            + "".join(f"        - b{n}: {{steps: [{{s{n}: {{call: sys.now}}}}]}}\n" for n in range(11)),
            "11 branches",
        ),
        (f"- a:\n    return: ${{{'1+' * 200}1}}\n", "401 characters"),
        ("- a:\n    return: 1\n#" + "x" * 131_072, "131072 are allowed"),
        ("- a:\n    return: '" + "é" * 65_530 + "'\n", "131"),
    ],
)
def test_published_limits_are_checked_when_loading(refuse, source, message):
    assert message in refuse(source)[0].message


def test_expression_of_400_characters_is_allowed(verdict):
    assert verdict(f"- a:\n    return: ${{{'1+' * 199}10}}\n").result == 209


def test_three_levels_of_parallel_are_refused(refuse):
    def nest(depth):
        inner = {"call": "sys.now"} if depth == 0 else nest(depth - 1)
        return {"parallel": {"for": {"value": f"v{depth}", "in": [1], "steps": [{f"s{depth}": inner}]}}}

    problems = refuse(json.dumps([{"a": nest(2)}]))
    assert "nested deeper than 2" in problems[0].message
