"""python -m infra.bench prints one document, and its exit code says whether all measures were taken."""

import json

import jsonschema_rs
import pytest

from infra.bench import __main__ as bench
from infra.bench.catalogue import measures
from infra.bench.figures import BenchError, Figure, Measure


@pytest.fixture
def only(monkeypatch):
    """Let some measures be all there are."""
    return lambda *some: monkeypatch.setattr(bench, "measures", lambda: some)


def printed(capsys):
    return json.loads(capsys.readouterr().out)


def test_a_measure_can_be_taken_alone(only, capsys, document_form):
    slow = Measure("slow", {"slow.n": Figure("n", floor=10)}, lambda _: {"slow.n": 1})
    only(slow, Measure("unasked", {}, lambda _: pytest.fail("nobody asked for it")))
    assert bench.main(["--quick", "--only", "slow"]) == 0
    document = printed(capsys)
    jsonschema_rs.validate(document_form, document)
    assert (document["missed_floors"], document["effort"]["quick"]) == (["slow.n"], True)


def test_a_measure_that_could_not_be_taken_is_named_and_fails_the_run(only, capsys):
    def fail(_):
        raise BenchError("the port is gone")

    only(Measure("broken", {"broken.n": Figure("n")}, fail))
    assert bench.main([]) == 1
    output = capsys.readouterr()
    assert json.loads(output.out)["untaken"] == {"broken": "BenchError: the port is gone"}
    assert "could not take broken" in output.err


def test_an_unknown_measure_is_refused(capsys):
    with pytest.raises(SystemExit) as exit_:
        bench.main(["--only", "guests"])
    assert exit_.value.code == 2
    assert "documents" in capsys.readouterr().err


def test_every_figure_has_one_name_and_stands_beside_one_of_its_own_measure():
    names = [name for measure in measures() for name in measure.figures]
    assert len(set(names)) == len(names)
    for measure in measures():
        beside = {figure.beside for figure in measure.figures.values() if figure.beside}
        assert beside <= {name for name in measure.figures if name.startswith("raw.")}
