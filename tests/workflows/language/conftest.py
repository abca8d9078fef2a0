"""Runs conformance cases: data in, data out."""

import json

import pytest

from infra.local.workflows.errors import WorkflowRefused
from infra.local.workflows.program import load
from infra.local.workflows.runner import run_program


@pytest.fixture
def assert_case():
    """Checks every expectation of a case whose workflow stands in a folder."""
    return _assert_case


async def _assert_case(case, folder):
    expected = dict(case["expect"])
    if "deploy_error" in expected:
        await _assert_refused(case, folder, expected["deploy_error"])
        return
    actual = await _run(case, folder)
    for name, value in expected.items():
        _EXPECTATIONS[name](actual, value)


async def _run(case, folder):
    source = case["workflow"] if "workflow" in case else (folder / case["file"]).read_bytes()
    program = load(source, f"{case['id']}.yaml")
    return await run_program(program, case.get("args"), http_stubs=case.get("http", []), virtual_clock=True)


async def _assert_refused(case, folder, text):
    with pytest.raises(WorkflowRefused) as refused:
        await _run(case, folder)
    assert text in str(refused.value)
    for problem in refused.value.problems:
        assert problem.file == f"{case['id']}.yaml"
        assert problem.line > 0
        assert problem.remedy


def _typed(value):
    """1, 1.0 and true are different results."""
    return json.dumps(value, sort_keys=True)


def _assert_result(actual, expected):
    assert _typed(expected) == _typed(actual["result"])


def _assert_matches(found, expected):
    for key, value in expected.items():
        _PARTIAL.get(key, lambda f, v, key=key: _equal(f[key], v))(found, value)


def _equal(actual, expected):
    assert _typed(expected) == _typed(actual)


def _tags_contain(found, expected):
    assert set(expected) <= set(found["tags"])


def _branch_payloads(found, expected):
    payloads = [branch["error"]["payload"] for branch in found["branches"]]
    assert sorted(map(_typed, expected)) == sorted(map(_typed, payloads))


def _bodies(actual, expected):
    assert [_typed(body) for body in expected] == [_typed(call["body"]) for call in actual["calls"]]


def _content_types(actual, expected):
    wanted = [expected] * len(actual["calls"]) if isinstance(expected, str) else expected
    assert wanted == [call["content_type"] for call in actual["calls"]]


_PARTIAL = {"tags_contain": _tags_contain, "branches_payloads_multiset": _branch_payloads}
_EXPECTATIONS = {
    "state": lambda actual, expected: _equal(actual["state"], expected),
    "result": _assert_result,
    "result_match": lambda actual, expected: _assert_matches(actual["result"], expected),
    "error_match": lambda actual, expected: _assert_matches(actual["error"], expected),
    "error": lambda actual, expected: _equal(actual["error"], expected),
    "calls": lambda actual, expected: _equal(len(actual["calls"]), expected),
    "call_urls": lambda actual, expected: _equal([call["url"] for call in actual["calls"]], expected),
    "request_bodies_json": _bodies,
    "request_content_type": _content_types,
    "sleeps": lambda actual, expected: _equal(actual["sleeps"], expected),
}
