"""A journal of outcomes and draws rebuilds an execution exactly, wherever it was interrupted."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from infra.local.ambient import SeededEntropy
from infra.local.workflows.draws import AmbientDraws, RecordedDraws
from infra.local.workflows.machine import Machine
from infra.local.workflows.ops import AwaitCallback, CreateCallback, HttpRequest
from infra.local.workflows.outcomes import (
    Done,
    Failed,
    HttpFault,
    HttpResponse,
    decode_outcome,
    encode_outcome,
    timed_out,
)
from infra.local.workflows.program import load
from infra.local.workflows.runner import VirtualClock

VARIABLES = ("x", "y", "z", "r", "cb")
_leaf = st.sampled_from(
    [
        {"call": "http.get", "args": {"url": '${"https://api.test/" + string(x)}'}, "result": "r"},
        {"call": "http.post", "args": {"url": "https://api.test/p", "body": {"id": "${uuid.generate()}"}}},
        {"call": "sys.sleep", "args": {"seconds": "${len(string(y))}"}},
        {"call": "sub", "args": {"n": "${x}"}, "result": "y"},
        {"assign": [{"x": "${x + 1}"}]},
        {"assign": [{"z": "${list.concat(z, sys.now())}"}]},
        {"assign": [{"z": "${list.concat(z, uuid.generate())}"}]},
        {"assign": [{"y": "${sub(2) + x}"}]},
        {"raise": "${string(x)}"},
        {"switch": [{"condition": "${x > 2}", "raise": {"code": 503}}]},
        {
            "steps": [
                {"cb": {"call": "events.create_callback_endpoint", "result": "cb"}},
                {"aw": {"call": "events.await_callback", "args": {"callback": "${cb}", "timeout": 9}}},
            ]
        },
    ]
)


def _blocks(children):
    steps = st.lists(children, min_size=1, max_size=3)
    return st.one_of(
        st.builds(lambda body: {"steps": body}, steps),
        st.builds(lambda body: {"for": {"value": "v", "in": [1, 2], "steps": body}}, steps),
        st.builds(lambda body: {"try": {"steps": body}, "except": {"as": "e", "assign": [{"y": 7}]}}, steps),
        st.builds(lambda body: {"try": {"steps": body}, "retry": "${http.default_retry}"}, steps),
        st.builds(
            lambda bodies, limit: {
                "parallel": {
                    "shared": list(VARIABLES),
                    "concurrency_limit": limit,
                    "branches": [{f"b{at}": {"steps": body}} for at, body in enumerate(bodies)],
                }
            },
            st.lists(steps, min_size=1, max_size=3),
            st.integers(1, 3),
        ),
        st.builds(
            lambda body: {
                "parallel": {"shared": list(VARIABLES), "for": {"value": "v", "in": [1, 2, 3], "steps": body}}
            },
            steps,
        ),
    )


def _numbered(action, names):
    """The action with its lists of bare actions turned into lists of uniquely named steps."""
    if isinstance(action, list):
        return [_numbered(each, names) for each in action]
    if not isinstance(action, dict):
        return action
    fixed = {key: _numbered(value, names) for key, value in action.items()}
    if isinstance(fixed.get("steps"), list):
        fixed["steps"] = [_named(each, names) for each in fixed["steps"]]
    if isinstance(fixed.get("for"), dict):
        names.append("loop")
        fixed["for"]["value"] = f"v{len(names)}"
    return fixed


def _named(step, names):
    names.append("step")
    body = next(iter(step.values())) if set(step) & {"cb", "aw"} else step
    return {f"s{len(names)}": body}


def _depth(action):
    inner = (
        [_depth(each) for each in (action.values() if isinstance(action, dict) else action)]
        if isinstance(action, dict | list)
        else [0]
    )
    return max(inner, default=0) + (isinstance(action, dict) and "parallel" in action)


programs = st.lists(
    st.recursive(_leaf, _blocks, max_leaves=6).filter(lambda action: _depth(action) <= 2),
    min_size=1,
    max_size=4,
)


def source_of(actions):
    """A whole workflow around generated actions."""
    names = []
    steps = [_named(_numbered(action, names), names) for action in actions]
    init = {"init": {"assign": [{"x": 1}, {"y": 0}, {"z": []}, {"r": 0}, {"cb": 0}]}}
    done = {"done": {"return": ["${x}", "${y}", "${z}"]}}
    sub = {
        "params": ["n"],
        "steps": [
            {"g": {"call": "http.get", "args": {"url": '${"https://sub.test/" + string(n)}'}, "result": "r"}},
            {"r": {"return": "${r.code}"}},
        ],
    }
    return json.dumps({"main": {"steps": [init, *steps, done]}, "sub": sub})


def outcome_for(op, choice):
    """Some outcome an operation of this kind may have."""
    if isinstance(op, HttpRequest):
        return (HttpResponse(200, {"Content-Type": "application/json"}, b"[1]"), HttpFault("timeout"))[
            choice % 4 == 3
        ]
    if isinstance(op, CreateCallback):
        return Done(f"https://callbacks.test/{op.callback}")
    if isinstance(op, AwaitCallback) and choice % 2:
        return timed_out()
    return Failed("driver says no") if choice % 11 == 10 else Done(None)


class Journal:
    """What a durable driver would write: per event one row of outcome and fresh draws."""

    def __init__(self):
        self.rows = []

    def rebuilt(self, program, events):
        """A new machine fed with the first rows."""
        recorded = [draw for row in self.rows[: events + 1] for draw in row["draws"]]
        draws = RecordedDraws(recorded, AmbientDraws(VirtualClock(), SeededEntropy(99)))
        machine = Machine(program, None, {}, draws)
        machine.start()
        for row in self.rows[1 : events + 1]:
            machine.resume(row["op"], decode_outcome(json.loads(row["outcome"])))
        assert draws.fresh == []
        return machine


def drive(program, choices, budget=None):
    """Run to the end with chosen outcomes: the machine, its journal, and its state after each event."""
    draws = RecordedDraws([], AmbientDraws(VirtualClock(), SeededEntropy(1)))
    machine, journal, seen = Machine(program, None, {}, draws), Journal(), []
    machine.start(budget)
    _settle(machine, budget)
    journal.rows.append({"draws": draws.take_fresh()})
    seen.append((machine.pending, machine.verdict, machine.usage))
    while machine.verdict is None:
        choice = choices[len(seen) % len(choices)]
        op = machine.pending[choice % len(machine.pending)]
        outcome = outcome_for(op, choice)
        machine.resume(op.id, outcome, budget)
        _settle(machine, budget)
        journal.rows.append(
            {"op": op.id, "outcome": json.dumps(encode_outcome(outcome)), "draws": draws.take_fresh()}
        )
        seen.append((machine.pending, machine.verdict, machine.usage))
    return machine, journal, seen


def _settle(machine, budget):
    while machine.runnable:
        machine.proceed(budget)


choices = st.lists(st.integers(0, 1000), min_size=1, max_size=20)


@settings(max_examples=80, deadline=None)
@given(programs, choices, st.data())
def test_machine_rebuilt_from_any_prefix_of_its_journal_is_the_same(actions, chosen, data):
    program = load(source_of(actions), "flow.yaml")
    _, journal, seen = drive(program, chosen)
    at = data.draw(st.integers(0, len(seen) - 1))
    for events in {at, len(seen) - 1}:
        machine = journal.rebuilt(program, events)
        assert (machine.pending, machine.verdict, machine.usage) == seen[events]


@settings(max_examples=60, deadline=None)
@given(programs, choices, st.integers(0, 5))
def test_budget_never_changes_what_happens(actions, chosen, budget):
    program = load(source_of(actions), "flow.yaml")
    assert drive(program, chosen)[2] == drive(program, chosen, budget)[2]


@settings(max_examples=60, deadline=None)
@given(programs, choices)
def test_generated_programs_meet_no_internal_error(actions, chosen):
    machine, _, _ = drive(load(source_of(actions), "flow.yaml"), chosen)
    assert "SystemError" not in json.dumps(getattr(machine.verdict, "error", None))
