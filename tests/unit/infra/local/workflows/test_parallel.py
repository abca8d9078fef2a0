"""Parallel steps: branches, iterations, limits, errors and virtual time."""

import json

import pytest

from infra.local.workflows.outcomes import Done
from infra.local.workflows.program import load
from infra.local.workflows.runner import run_program

SLEEPERS = """
- i:
    assign: [log: []]
- p:
    parallel:
      shared: [log]
      LIMIT
      for:
        value: v
        in: [3, 1, 2]
        steps:
          - s:
              call: sys.sleep
              args: {seconds: "${v}"}
          - a:
              assign: [log: "${list.concat(log, v)}"]
- t:
    return: ["${log}", "${sys.now()}"]
"""


async def run(source):
    return await run_program(load(source, "flow.yaml"), None, http_stubs=[], virtual_clock=True)


@pytest.mark.parametrize(
    ("limit", "order", "seconds"),
    [
        ("exception_policy: continueAll", [1, 2, 3], 3),
        ("concurrency_limit: 1", [3, 1, 2], 6),
        ("concurrency_limit: 2", [1, 3, 2], 3),
        ("concurrency_limit: ${1 + 1}", [1, 3, 2], 3),
        ("concurrency_limit: 50", [1, 2, 3], 3),
    ],
)
async def test_sleeping_iterations_wake_in_order_of_time(limit, order, seconds):
    record = await run(SLEEPERS.replace("LIMIT", limit))
    assert record["result"] == [order, 1728000000.0 + seconds]


@pytest.mark.parametrize(("limit", "tag"), [("0", "ValueError"), ("1.5", "TypeError")])
async def test_computed_limit_must_be_a_positive_integer(limit, tag):
    record = await run(SLEEPERS.replace("LIMIT", f"concurrency_limit: ${{{limit}}}"))
    assert tag in record["error"]["tags"]


def test_no_more_than_twenty_iterations_run_at_once(machine):
    built = machine("""
        - p:
            parallel:
              for:
                value: v
                range: [1, 50]
                steps:
                  - s:
                      call: sys.sleep
                      args: {seconds: "${v}"}
    """)
    asked = built.start()
    assert len(asked) == 20
    [further] = built.resume(asked[7].id, Done(None))
    assert further.seconds == 21


def test_branch_waiting_for_inner_branches_gives_its_place_up(machine):
    built = machine("""
        - p:
            parallel:
              for:
                value: v
                range: [1, 20]
                steps:
                  - q:
                      parallel:
                        for:
                          value: w
                          in: [1, 2]
                          steps:
                            - s:
                                call: sys.sleep
                                args: {seconds: "${10 * v + w}"}
    """)
    operations = built.start()
    done = 0
    while operations:
        assert len(built.pending) <= 40
        done += 1
        built.resume(built.pending[0].id, Done(None))
        operations = built.pending
    assert (done, built.verdict.result) == (40, None)


async def test_branches_read_what_stands_around_and_keep_their_own():
    record = await run("""
- i:
    assign:
      - given: 5
      - out: {}
- p:
    parallel:
      shared: [out]
      branches:
        - one:
            steps:
              - a:
                  assign: [own: "${given + 1}"]
              - b:
                  assign: [out.one: "${own}"]
        - two:
            steps:
              - c:
                  assign: [own: "${given + 2}"]
              - d:
                  call: sys.sleep
                  args: {seconds: 1}
              - e:
                  assign: [out.two: "${own}"]
- r:
    return: ${out}
""")
    assert record["result"] == {"one": 6, "two": 7}


async def test_inner_branches_write_through_two_levels():
    record = await run("""
- i:
    assign: [total: 0]
- p:
    parallel:
      shared: [total]
      for:
        value: v
        index: at
        in: [10, 20]
        steps:
          - q:
              parallel:
                shared: [total]
                for:
                  value: w
                  range: [1, 2]
                  steps:
                    - s:
                        assign: [total: "${total + v + w + at}"]
- r:
    return: ${total}
""")
    assert record["result"] == (10 + 1) + (10 + 2) + (20 + 1 + 1) + (20 + 2 + 1)


async def test_errors_of_branches_are_collected_after_all_have_ended():
    record = await run("""
- i:
    assign: [done: []]
- t:
    try:
      parallel:
        shared: [done]
        branches:
          - bad:
              steps:
                - b:
                    raise: {code: 7}
          - slow:
              steps:
                - s:
                    call: sys.sleep
                    args: {seconds: 5}
                - d:
                    assign: [done: "${list.concat(done, 1)}"]
          - worse:
              steps:
                - w:
                    raise: ouch
    except:
      as: e
      steps:
        - r:
            return: ["${e}", "${done}"]
""")
    error, done = record["result"]
    assert done == [1]
    assert error["tags"] == ["UnhandledBranchError", "RuntimeError"]
    assert error["truncated"] is False
    assert [(branch["id"], branch["error"]["payload"]) for branch in error["branches"]] == [
        ("bad", {"code": 7}),
        ("worse", "ouch"),
    ]
    assert error["branches"][1]["error"]["context"] == (
        'RuntimeError: "ouch"\nin step "w", routine "main", line: 22'
    )


async def test_at_most_a_hundred_errors_are_kept():
    record = await run("""
- p:
    parallel:
      for:
        value: v
        range: [1, 150]
        steps:
          - b:
              raise: "${string(v)}"
""")
    error = record["error"]
    assert (len(error["branches"]), error["truncated"]) == (100, True)
    assert error["branches"][99] == {
        "id": "99",
        "error": {"context": 'RuntimeError: "100"\nin step "b", routine "main", line: 8', "payload": "100"},
    }


async def test_continue_ends_an_iteration_and_nothing_else():
    record = await run("""
- i:
    assign: [log: []]
- p:
    parallel:
      shared: [log]
      for:
        value: v
        in: [1, 2, 3]
        steps:
          - s:
              switch:
                - condition: ${v == 2}
                  next: continue
          - a:
              assign: [log: "${list.concat(log, v)}"]
- r:
    return: ${log}
""")
    assert record["result"] == [1, 3]


async def test_waiting_inside_an_assignment_loses_no_update_of_another_branch():
    record = await run("""
main:
  steps:
    - i:
        assign: [m: {}]
    - p:
        parallel:
          shared: [m]
          for:
            value: v
            in: [3, 1, 2]
            steps:
              - a:
                  assign: ["m[late(v)]": "${late(v) + v}"]
    - r:
        return: ${m}
late:
  params: [n]
  steps:
    - s:
        call: sys.sleep
        args: {seconds: "${n}"}
    - r:
        return: ${"k" + n}
""")
    assert record["result"] == {"k1": "k11", "k2": "k22", "k3": "k33"}


async def test_empty_parallel_loop_goes_on_at_once():
    record = await run("""
- p:
    parallel:
      for:
        value: v
        in: []
        steps:
          - s:
              call: sys.now
    next: r
- skipped:
    return: wrong
- r:
    return: right
""")
    assert record["result"] == "right"


def test_parallel_nesting_through_calls_has_its_own_error(verdict):
    def level(depth):
        return {
            "steps": [
                {
                    f"p{depth}": {
                        "parallel": {
                            "for": {
                                "value": "v",
                                "in": [1],
                                "steps": [{f"c{depth}": {"call": f"level{depth + 1}"}}],
                            }
                        }
                    }
                }
            ]
        }

    routines = {f"level{depth}": level(depth) for depth in (1, 2)}
    routines["level3"] = {
        "steps": [
            {
                "t": {
                    "try": {
                        "parallel": {"for": {"value": "v", "in": [1], "steps": [{"n": {"call": "sys.now"}}]}}
                    },
                    "except": {"as": "e", "steps": [{"r": {"raise": "${e.tags[0]}"}}]},
                }
            }
        ]
    }
    main = {"steps": [{"c": {"call": "level1"}}]}
    ended = verdict(json.dumps({"main": main, **routines}))
    inner = ended.error["branches"][0]["error"]["payload"]["branches"][0]["error"]["payload"]
    assert inner == "ParallelNestingError"


def test_exhausted_limit_in_a_branch_ends_the_execution(machine):
    built = machine("""
        - t:
            try:
              parallel:
                branches:
                  - waits:
                      steps:
                        - s:
                            call: sys.sleep
                            args: {seconds: 5}
                  - loops:
                      steps:
                        - a:
                            assign: [x: 1]
                        - b:
                            next: a
            except:
              as: e
              steps:
                - r:
                    return: caught
    """)
    assert built.start() == []
    assert built.verdict.error["tags"] == ["ResourceLimitError"]
