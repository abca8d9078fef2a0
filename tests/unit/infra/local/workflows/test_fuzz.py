"""Hostile input: a refusal or a verdict, never a crash, and no way into Python."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.local.ambient import SeededEntropy
from infra.local.workflows.draws import AmbientDraws
from infra.local.workflows.errors import WorkflowRefused
from infra.local.workflows.expressions import parse_expression
from infra.local.workflows.machine import Machine
from infra.local.workflows.outcomes import Failed
from infra.local.workflows.program import load
from infra.local.workflows.runner import VirtualClock
from infra.local.workflows.tokens import ExpressionError

WORDS = (
    *("main", "steps", "params", "assign", "call", "args", "result", "switch", "condition", "next", "return"),
    *("raise", "try", "retry", "except", "as", "for", "value", "index", "in", "range", "parallel", "shared"),
    *(
        "branches",
        "concurrency_limit",
        "predicate",
        "backoff",
        "end",
        "break",
        "continue",
        "a",
        "b",
        "x",
        "http.get",
    ),
    *(
        "sys.log",
        "url",
        "${x}",
        "${a.b[0]}",
        "${1 +}",
        "${f(1)}",
        "${http.default_retry}",
        "true",
        "",
        "__class__",
    ),
)
TOKENS = (
    *(
        "x",
        "m",
        ".",
        "[",
        "]",
        "(",
        ")",
        ",",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "<",
        "<=",
        "==",
        "!=",
        "in",
        "and",
    ),
    *(
        "or",
        "not",
        "1",
        "2.5",
        '"a"',
        "'b'",
        "true",
        "null",
        "len",
        "text.split",
        "map.get",
        "json.decode",
        "if",
    ),
    *(
        "default",
        "sys.now",
        "uuid.generate",
        "__class__",
        "lambda",
        "import",
        "{",
        "}",
        "**",
        ":=",
        "\\",
        '"',
    ),
)
values = st.recursive(
    st.one_of(st.sampled_from(WORDS), st.integers(-3, 3), st.booleans(), st.none(), st.text(max_size=8)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.sampled_from(WORDS), inner, max_size=4)
    ),
    max_leaves=25,
)
expressions = st.lists(st.sampled_from(TOKENS), max_size=25).map(" ".join)


def finished(source):
    """How a source ends: refused, or the verdict after its first turn."""
    try:
        program = load(source, "flow.yaml")
    except WorkflowRefused as refused:
        return _useful(refused.problems)
    machine = Machine(program, {"k": [1]}, {}, AmbientDraws(VirtualClock(), SeededEntropy(3)))
    machine.start()
    return machine.verdict


def _useful(problems):
    assert problems
    assert all(problem.line >= 1 and problem.remedy for problem in problems)


def assert_no_internal_error(verdict):
    if isinstance(verdict, Failed) and isinstance(verdict.error, dict):
        assert "SystemError" not in verdict.error.get("tags", [])


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_refused_or_run(source):
    assert_no_internal_error(finished(source))


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="-:[]{}&*!|>'\"%@`#,? \n\tab01~${}.", max_size=120))
def test_any_yaml_like_text_is_refused_or_run(source):
    assert_no_internal_error(finished(source))


@settings(max_examples=300, deadline=None)
@given(values)
def test_any_document_of_the_right_words_is_refused_or_run(document):
    assert_no_internal_error(finished(json.dumps(document)))


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.dictionaries(st.sampled_from(WORDS), values, min_size=1, max_size=1), min_size=1, max_size=4)
)
def test_any_list_of_step_like_maps_is_refused_or_run(steps):
    assert_no_internal_error(finished(json.dumps({"main": {"params": ["x"], "steps": steps}})))


@settings(max_examples=400, deadline=None)
@given(st.one_of(expressions, st.text(max_size=60)))
def test_any_expression_parses_or_names_a_column(source):
    try:
        parse_expression(source)
    except ExpressionError as broken:
        column = broken.column
    else:
        column = 1
    assert 1 <= column <= len(source) + 1


@settings(max_examples=400, deadline=None)
@given(expressions)
def test_any_expression_evaluates_or_raises_in_the_language(expression):
    source = {
        "main": {
            "params": ["x"],
            "steps": [{"i": {"assign": [{"m": "${x}"}]}}, {"r": {"return": f"${{{expression}}}"}}],
        }
    }
    assert_no_internal_error(finished(json.dumps(source)))


@pytest.mark.parametrize(
    "expression",
    [
        "().__class__",
        '"".__class__.__mro__',
        "[].append(1)",
        "m.__class__",
        "m.keys",
        "m.items()",
        '__import__("os")',
        'open("/etc/passwd")',
        "eval(1)",
        "x.__init__",
        "len.__globals__",
        "text.split.__globals__",
        'sys.get_env.__code__("x")',
        "http.default_retry.predicate.__class__",
        '"%s" % m',
        '"{0.__class__}".format(m)',
        "[y for y in m]",
    ],
)
def test_no_expression_reaches_python(expression):
    source = {
        "main": {
            "params": ["x"],
            "steps": [{"i": {"assign": [{"m": {"k": 1}}]}}, {"r": {"return": f"${{{expression}}}"}}],
        }
    }
    verdict = finished(json.dumps(source))
    assert verdict is None or isinstance(verdict, Failed)
    assert_no_internal_error(verdict)
