"""Limits at run time: none of them can be caught, except the depth of calls."""

import json

import pytest

from infra.local.workflows.limits import ARGUMENT_BYTES


def caught(body, assign="x: 0"):
    return f"""
- i:
    assign: [{assign}]
- t:
    try:
      steps:
{body}
    except:
      as: e
      steps:
        - r:
            return: caught
- d:
    return: done
"""


def test_step_after_the_hundred_thousandth_ends_the_execution(machine):
    built = machine(
        caught("        - a:\n            assign: [x: '${x + 1}']\n        - b:\n            next: a\n")
    )
    built.start()
    assert built.verdict.error["tags"] == ["ResourceLimitError"]
    assert built.usage.steps == 100_001


def test_a_hundred_thousand_steps_are_allowed(verdict):
    loop = (
        "- i:\n    assign: [x: 0]\n- f:\n    for:\n      value: v\n      range: [1, 99997]\n"
        "      steps:\n        - a:\n            assign: [x: '${x + 1}']\n- r:\n    return: ${x}\n"
    )
    assert verdict(loop).result == 99_997
    assert verdict(loop.replace("99997", "99998")).error["tags"] == ["ResourceLimitError"]


@pytest.mark.parametrize(("depth", "result"), [(20, "deep"), (21, "RecursionError")])
def test_calls_nest_twenty_deep(verdict, depth, result):
    ended = verdict(f"""
        main:
          steps:
            - t:
                try:
                  call: down
                  args: {{n: {depth}}}
                  result: r
                except:
                  as: e
                  steps:
                    - c:
                        return: ${{e.tags[0]}}
            - r:
                return: ${{r}}
        down:
          params: [n]
          steps:
            - s:
                switch:
                  - condition: ${{n == 1}}
                    return: deep
            - r:
                return: ${{down(n - 1)}}
    """)
    assert ended.result == result


@pytest.mark.parametrize(
    ("body", "assign"),
    [
        ("        - a:\n            assign: [x: '${x + x}']\n            next: a\n", "x: ab"),
        (
            "        - a:\n            assign: [x: '${list.concat(x, s)}']\n            next: a\n",
            f"x: [], s: {'y' * 1000}",
        ),
        ("        - a:\n            assign: [x: '${[x, x]}']\n            next: a\n", "x: [1]"),
        ("        - a:\n            assign: [x: '${[x]}']\n            next: a\n", "x: [1]"),
        ("        - a:\n            assign: ['x[string(len(x))]': '${x}']\n            next: a\n", "x: {}"),
    ],
)
def test_growing_without_bound_ends_the_execution(verdict, body, assign):
    assert verdict(caught(body, assign)).error["tags"] == ["ResourceLimitError"]


def test_variables_may_fill_their_memory_again_and_again(verdict):
    ended = verdict(f"""
- i:
    assign: [s: {"z" * 1000}, n: 0]
- f:
    for:
      value: v
      range: [1, 200]
      steps:
        - a:
            assign: [big: '${{[s, s, s, s, s, s, s, s, s, s]}}']
        - b:
            assign: [n: '${{n + len(big)}}']
- r:
    return: ${{n}}
""")
    assert ended.result == 2000


def test_memory_of_ended_calls_is_free_again(verdict):
    ended = verdict(f"""
main:
  steps:
    - f:
        for:
          value: v
          range: [1, 100]
          steps:
            - c:
                call: fill
    - r:
        return: done
fill:
  steps:
    - a:
        assign: [s: {"z" * 20_000}]
""")
    assert ended.result == "done"


def test_string_of_256_kilobytes_is_the_longest(verdict):
    double = "- i:\n    assign: [s: '" + "é" * 64 + "']\n"
    grow = "".join(f"- d{n}:\n    assign: [s: '${{s + s}}']\n" for n in range(11))
    assert verdict(double + grow + "- r:\n    return: ${len(s)}\n").result == 131_072
    assert verdict(double + grow + "- r:\n    return: ${s + s}\n").error["tags"] == ["ResourceLimitError"]


def test_argument_of_more_than_32_kilobytes_is_refused(verdict):
    source = "main:\n  params: [a]\n  steps:\n    - r:\n        return: ${len(a)}\n"
    fitting = "x" * (ARGUMENT_BYTES - 2)
    assert len(json.dumps(fitting)) == ARGUMENT_BYTES
    assert verdict(source, fitting).result == len(fitting)
    assert verdict(source, fitting + "x").error["tags"] == ["ResourceLimitError"]
