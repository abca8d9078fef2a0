"""The machine as its driver sees it."""

import pytest

from infra.local.ambient import SeededEntropy
from infra.local.workflows.draws import AmbientDraws
from infra.local.workflows.errors import MachineMisusedError, RaisedError
from infra.local.workflows.machine import Machine
from infra.local.workflows.ops import HttpRequest, Sleep
from infra.local.workflows.outcomes import Cancelled, Done, Failed, HttpResponse, Succeeded
from infra.local.workflows.program import load
from infra.local.workflows.runner import VirtualClock

TWO_CALLS = """
- a:
    call: http.get
    args: {url: "https://a.test"}
    result: one
- b:
    call: http.get
    args: {url: "https://b.test"}
    result: two
- r:
    return: ${one.body + two.body}
"""
LOOP = """
main:
  steps:
    - i:
        assign: [n: 0]
    - f:
        for:
          value: v
          range: [1, 50]
          steps:
            - a:
                assign: [n: "${n + 1}"]
    - s:
        call: sub
        result: m
    - r:
        return: ["${n}", "${m}"]
sub:
  steps:
    - a:
        assign: [x: 1]
    - b:
        return: ${x}
"""


def ok(text):
    return HttpResponse(200, {"Content-Type": "text/plain"}, text.encode())


def test_machine_asks_one_operation_at_a_time_in_sequence(machine):
    built = machine(TWO_CALLS)
    [first] = built.start()
    assert isinstance(first, HttpRequest)
    [second] = built.resume(first.id, ok("x"))
    assert (first.id, second.id) == (1, 2)
    assert built.verdict is None
    assert built.resume(second.id, ok("y")) == []
    assert built.verdict == Succeeded("xy")


def test_machine_with_a_budget_stops_and_goes_on(machine):
    built = machine(LOOP)
    turns = 0
    assert built.start(budget=10) == []
    while built.runnable:
        assert built.verdict is None
        assert built.proceed(budget=10) == []
        turns += 1
    assert turns == 5
    assert built.verdict == Succeeded([50, 1])
    assert built.usage.steps == 56


def test_budget_of_zero_still_makes_progress(machine):
    built = machine(LOOP)
    built.start(budget=0)
    while built.runnable:
        built.proceed(budget=0)
    assert built.verdict == Succeeded([50, 1])


def test_outcome_given_to_a_busy_machine_waits_its_turn(machine):
    source = """
        - i:
            assign: [log: []]
        - p:
            parallel:
              shared: [log]
              branches:
                - calls:
                    steps:
                      - c:
                          call: http.get
                          args: {url: "https://a.test"}
                      - d:
                          assign: [log: "${list.concat(log, 1)}"]
                - counts:
                    steps:
                      - e:
                          assign: [x: 0]
                      - f:
                          assign: [x: "${x + 1}"]
                      - g:
                          assign: [log: "${list.concat(log, 2)}"]
        - r:
            return: ${log}
    """
    built = machine(source)
    asked = built.start(budget=4)
    assert built.runnable
    built.resume(asked[0].id, ok("x"), budget=0)
    assert built.pending == ()
    while built.runnable:
        built.proceed(1)
    assert built.verdict == Succeeded([2, 1])


def test_started_machine_cannot_start_again(machine):
    built = machine(TWO_CALLS)
    built.start()
    with pytest.raises(MachineMisusedError):
        built.start()


@pytest.mark.parametrize("operation", [0, 2, 99])
def test_outcome_for_no_pending_operation_is_misuse(machine, operation):
    built = machine(TWO_CALLS)
    built.start()
    with pytest.raises(MachineMisusedError):
        built.resume(operation, ok("x"))


def test_operation_is_answered_once(machine):
    built = machine(TWO_CALLS)
    built.start()
    built.resume(1, ok("x"))
    with pytest.raises(MachineMisusedError):
        built.resume(1, ok("x"))


def test_cancelled_machine_takes_no_more_outcomes(machine):
    built = machine(TWO_CALLS)
    built.start()
    built.cancel()
    assert built.verdict == Cancelled()
    assert built.resume(1, ok("x")) == []
    assert built.pending == ()
    assert not built.runnable


def test_cancelling_after_the_end_changes_nothing(machine):
    built = machine("- r:\n    return: 1\n")
    built.start()
    built.cancel()
    assert built.verdict == Succeeded(1)


def test_one_program_serves_many_machines(machine):
    shared = load(TWO_CALLS, "flow.yaml")
    machines = [Machine(shared, None, {}, AmbientDraws(VirtualClock(), SeededEntropy(1))) for _ in range(3)]
    for each in machines:
        each.start()
    for text, each in zip("abc", machines, strict=True):
        each.resume(1, ok(text))
        each.resume(2, ok("!"))
    assert [each.verdict.result for each in machines] == ["a!", "b!", "c!"]


def test_argument_reaches_main_whole(verdict):
    source = "main:\n  params: [given]\n  steps:\n    - r:\n        return: ${given}\n"
    assert verdict(source, {"a": [1]}) == Succeeded({"a": [1]})
    assert verdict(source) == Succeeded(None)


@pytest.mark.parametrize("argument", [b"bytes", {"a": {1, 2}}, object()])
def test_argument_that_is_not_json_fails_the_execution(verdict, argument):
    assert "ValueError" in verdict("- r:\n    return: 1\n", argument).error["tags"]


def test_argument_nested_too_deeply_fails_the_execution(verdict):
    argument = []
    for _ in range(5_000):
        argument = [argument]
    assert "ValueError" in verdict("- r:\n    return: 1\n", argument).error["tags"]


@pytest.mark.parametrize(
    ("argument", "seen"),
    [
        (2**70, float(2**70)),
        ("half \ud800 pair", "half \ufffd pair"),
        ({1: "a"}, {"1": "a"}),
        (float("inf"), None),
    ],
)
def test_argument_holds_only_what_the_language_knows(verdict, argument, seen):
    ended = verdict("main:\n  params: [a]\n  steps:\n    - r:\n        return: ${a}\n", argument)
    assert ended == Succeeded(seen) if seen is not None else "ValueError" in ended.error["tags"]


def test_argument_is_copied(verdict):
    argument = {"l": [1]}
    ended = verdict("main:\n  params: [a]\n  steps:\n    - r:\n        return: ${a}\n", argument)
    argument["l"].append(2)
    assert ended == Succeeded({"l": [1]})


def test_default_of_main_stands_in_for_no_argument(verdict):
    source = "main:\n  params: [{given: {a: 1}}]\n  steps:\n    - r:\n        return: ${given}\n"
    assert verdict(source) == Succeeded({"a": 1})


def test_result_that_is_not_json_fails_the_execution(verdict):
    for expression in (
        'text.encode("a")',
        "http.default_retry_predicate",
        '[text.encode("a")]',
        "http.default_retry",
    ):
        ended = verdict(f"- r:\n    return: '${{{expression}}}'\n")
        assert isinstance(ended, Failed)
        assert "ValueError" in ended.error["tags"]


def test_pending_operations_are_listed_in_order(machine):
    built = machine("""
        - p:
            parallel:
              for:
                value: v
                in: [3, 1, 2]
                steps:
                  - s:
                      call: sys.sleep
                      args: {seconds: "${v}"}
    """)
    asked = built.start()
    assert [op.seconds for op in asked] == [3, 1, 2]
    assert built.pending == tuple(asked)
    assert all(isinstance(op, Sleep) for op in asked)
    built.resume(asked[1].id, Done(None))
    assert [op.seconds for op in built.pending] == [3, 2]


def test_errors_and_values_keep_out_of_faces():
    assert "4711" not in repr(RaisedError({"pin": "4711"}))
    assert "4711" not in repr(Succeeded("4711")) + repr(Failed("4711")) + repr(Done("4711")) + repr(
        ok("4711")
    )
