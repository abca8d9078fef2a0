"""Small workflows, run or refused in one line."""

import textwrap

import pytest

from infra.local.ambient import SeededEntropy
from infra.local.workflows.draws import AmbientDraws
from infra.local.workflows.errors import WorkflowRefused
from infra.local.workflows.machine import Machine
from infra.local.workflows.outcomes import Failed, Succeeded
from infra.local.workflows.program import load
from infra.local.workflows.runner import VirtualClock


def program(source):
    """A program of dedented source."""
    return load(textwrap.dedent(source), "flow.yaml")


@pytest.fixture
def machine():
    """A machine for a source, with its clock and chance fixed."""

    def build(source, argument=None, environment=None, draws=None, observer=None, **options):
        draws = draws or AmbientDraws(VirtualClock(), SeededEntropy(7))
        return Machine(program(source), argument, environment or {}, draws, observer, **options)

    return build


@pytest.fixture
def verdict(machine):
    """How a workflow without operations ends."""

    def run(source, argument=None, environment=None):
        built = machine(source, argument, environment)
        assert built.start() == []
        return built.verdict

    return run


@pytest.fixture
def evaluate(verdict):
    """The value of one expression, given variables; or the error's tags."""

    def run(expression, **variables):
        params = "args" if variables else ""
        head = f"main:\n  params: [{params}]\n  steps:\n"
        lines = [f"          - {name}: ${{args.{name}}}" for name in variables]
        assign = "    - given:\n        assign:\n" + "\n".join(lines) + "\n" if lines else ""
        quoted = expression.replace("'", "''")
        ended = verdict(f"{head}{assign}    - done:\n        return: '${{{quoted}}}'\n", variables or None)
        if isinstance(ended, Succeeded):
            return ended.result
        assert isinstance(ended, Failed)
        return ended.error["tags"]

    return run


@pytest.fixture
def refuse():
    """The problems a source is refused for."""

    def run(source):
        with pytest.raises(WorkflowRefused) as refused:
            program(source)
        for problem in refused.value.problems:
            assert problem.file == "flow.yaml"
            assert problem.line >= 1
            assert problem.remedy
        return refused.value.problems

    return run
