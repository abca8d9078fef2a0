"""Steps, jumps, conditions, loops, subworkflows and the scopes of variables."""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from infra.local.workflows.outcomes import HttpResponse

FLOWS = YAML(typ="safe", pure=True).load(Path(__file__).with_name("flows.yaml"))


@pytest.mark.parametrize("case", [pytest.param(case, id=case["name"]) for case in FLOWS])
def test_steps_flow_as_documented(verdict, case):
    assert verdict(case["source"]).result == case["result"]


@pytest.mark.parametrize(
    ("ends", "values"),
    [
        ("[1, 3]", [1, 2, 3]),
        ("[-1, 1]", [-1, 0, 1]),
        ("[2, 2]", [2]),
        ("['${1}', '${1 + 1}']", [1, 2]),
        ("${[0, 1]}", [0, 1]),
        ("[0.5, 2]", [0.5, 1.5]),
    ],
)
def test_range_includes_both_ends(verdict, ends, values):
    ended = verdict(f"""
- i:
    assign: [seen: []]
- f:
    for:
      value: v
      index: n
      range: {ends}
      steps:
        - a:
            assign: [seen: "${{list.concat(seen, v)}}", last: "${{n}}"]
- r:
    return: ${{seen}}
""")
    assert ended.result == values


@pytest.mark.parametrize(
    ("source", "tag"),
    [
        ("in: '${m}'", "TypeError"),
        ("in: '${1}'", "TypeError"),
        ("range: '${m}'", "TypeError"),
        ("range: '${[1]}'", "ValueError"),
        ("range: ['${true}', 2]", "TypeError"),
    ],
)
def test_loop_over_something_else_is_an_error(verdict, source, tag):
    ended = verdict(
        f"- i:\n    assign: [m: {{a: 1}}]\n- f:\n    for:\n      value: v\n      {source}\n"
        "      steps:\n        - a:\n            assign: [x: 1]\n"
    )
    assert tag in ended.error["tags"]


@pytest.mark.parametrize("condition", ["${1}", "${null}", '${"true"}'])
def test_condition_must_be_boolean(verdict, condition):
    ended = verdict(f"- a:\n    switch:\n      - condition: {condition}\n        return: 1\n")
    assert "TypeError" in ended.error["tags"]


def test_assignment_makes_the_maps_on_its_way(verdict):
    ended = verdict("- a:\n    assign: [m: {k: 1}]\n- b:\n    assign: [m.a.b.c: 2]\n- c:\n    return: ${m}\n")
    assert ended.result == {"k": 1, "a": {"b": {"c": 2}}}


@pytest.mark.parametrize(
    ("assignment", "tag"),
    [
        ("m.k.b: 1", "TypeError"),
        ("'m[1]': 1", "TypeError"),
        ("'l[2]': 1", "IndexError"),
        ("'l[-1]': 1", "IndexError"),
        ("l.a: 1", "TypeError"),
        ("n.a: 1", "TypeError"),
    ],
)
def test_assignment_along_a_missing_path_is_an_error(verdict, assignment, tag):
    ended = verdict(f"- a:\n    assign: [m: {{k: 5}}, l: [1, 2], n: 5]\n- b:\n    assign: [{assignment}]\n")
    assert tag in ended.error["tags"]


def test_variable_read_before_it_has_a_value_is_a_key_error(verdict):
    ended = verdict("- a:\n    next: c\n- b:\n    assign: [x: 1]\n- c:\n    return: ${x}\n")
    assert "KeyError" in ended.error["tags"]


def test_loop_variables_start_afresh_with_every_iteration(verdict):
    ended = verdict("""
        - f:
            for:
              value: v
              in: [1, 2]
              steps:
                - s:
                    switch:
                      - condition: ${v == 1}
                        assign: [inner: 1]
                - r:
                    switch:
                      - condition: ${v == 2}
                        return: ${inner}
    """)
    assert "KeyError" in ended.error["tags"]


def test_name_assigned_after_a_loop_is_another_variable(verdict):
    ended = verdict("""
        - f:
            for:
              value: v
              in: [1]
              steps:
                - a:
                    assign: [x: 5]
        - b:
            assign: [x: 6]
        - r:
            return: ${x}
    """)
    assert ended.result == 6


def test_copies_do_not_share_changes(verdict):
    ended = verdict("""
        main:
          steps:
            - a:
                assign:
                  - m: {l: [1], n: {k: 1}}
                  - copy: ${m}
                  - part: ${m.n}
                  - m.l[0]: 2
                  - m.n.k: 2
            - c:
                call: change
                args: {given: "${m}"}
                result: changed
            - r:
                return: ["${m}", "${copy}", "${part}", "${changed}"]
        change:
          params: [given]
          steps:
            - a:
                assign: [given.n.k: 3]
            - r:
                return: ${given.n.k}
    """)
    assert ended.result == [{"l": [2], "n": {"k": 2}}, {"l": [1], "n": {"k": 1}}, {"k": 1}, 3]


def test_subworkflows_are_called_by_name_position_and_in_expressions(verdict):
    ended = verdict("""
        main:
          steps:
            - a:
                call: join
                args: {second: b, first: a}
                result: x
            - b:
                call: join
                args: [c]
                result: y
            - c:
                return: '${[x, y, join("d", "e") + join(join("f"), "g"), true or boom(), false and boom()]}'
        join:
          params: [first, second: z]
          steps:
            - r:
                return: ${first + second}
        boom:
          steps:
            - r:
                raise: boom
    """)
    assert ended.result == ["ab", "cz", "defzg", True, False]


def test_subworkflow_in_an_expression_may_wait(machine):
    built = machine("""
        main:
          steps:
            - a:
                assign: [x: '${fetch("https://a.test") + "/" + fetch("https://b.test")}']
            - s:
                switch:
                  - condition: ${fetch("https://c.test") == "3"}
                    return: ${[x, fetch("https://d.test")]}
        fetch:
          params: [url]
          steps:
            - g:
                call: http.get
                args: {url: "${url}"}
                result: r
            - r:
                return: ${r.body}
    """)
    asked, bodies = built.start(), iter("1234")
    urls = []
    while asked:
        urls.append(asked[0].url)
        asked = built.resume(asked[0].id, HttpResponse(200, {}, next(bodies).encode()))
    assert urls == ["https://a.test", "https://b.test", "https://c.test", "https://d.test"]
    assert built.verdict.result == ["1/2", "4"]


def test_assignments_of_one_step_run_in_order_around_a_call(verdict):
    ended = verdict("""
        main:
          steps:
            - a:
                assign:
                  - x: 1
                  - y: ${twice(x)}
                  - x: ${y + x}
                  - m: {}
                  - m[twice("k")]: ${twice(x)}
            - b:
                return: ["${x}", "${y}", "${m}", "${true and is(y)}", "${[twice(1), 3]}"]
        twice:
          params: [n]
          steps:
            - r:
                return: ${n + n}
        is:
          params: [n]
          steps:
            - r:
                return: ${n == 2}
    """)
    assert ended.result == [3, 2, {"kk": 6}, True, [2, 3]]


def test_switch_with_waiting_conditions_may_find_none_true(verdict):
    ended = verdict("""
        main:
          steps:
            - s:
                switch:
                  - condition: ${no()}
                    return: wrong
            - r:
                return: right
        no:
          steps:
            - r:
                return: false
    """)
    assert ended.result == "right"


def test_return_without_a_value_gives_null(verdict):
    source = (
        "main:\n  steps:\n    - a:\n        call: s\n        result: x\n    - r:\n        return: ['${x}']\n"
    )
    assert verdict(source + "s:\n  steps:\n    - a:\n        assign: [y: 1]\n").result == [None]
    assert verdict(
        source + "s:\n  steps:\n    - a:\n        next: end\n    - b:\n        return: 1\n"
    ).result == [None]


def test_error_names_every_step_on_its_way(verdict):
    ended = verdict(
        "main:\n  steps:\n    - a:\n        call: s\ns:\n  steps:\n    - b:\n        raise: ouch\n"
    )
    assert ended.context == (
        'RuntimeError: "ouch"\nin step "b", routine "s", line: 7\nin step "a", routine "main", line: 3'
    )
