"""Measures are taken in turns, each in a folder of its own; one that fails does not stop the others."""

from infra.bench.figures import BenchError, Effort, Figure, Measure
from infra.bench.rounds import each_second, take_all


def measure(name, take):
    return Measure(name, {f"{name}.n": Figure("n")}, take)


def test_measures_take_turns(tmp_path):
    seen = []

    def take(ground):
        assert not list(ground.folder.iterdir())
        (ground.folder / "left-behind").touch()
        seen.append((ground.folder.name[:1], ground.round))
        return {f"{ground.folder.name[:1]}.n": ground.round}

    taken = take_all([measure("a", take), measure("b", take)], Effort(rounds=2), tmp_path, lambda _: None)
    assert seen == [("a", 0), ("b", 0), ("a", 1), ("b", 1)]
    assert taken.samples == {"a.n": [0, 1], "b.n": [0, 1]}
    assert not list(tmp_path.iterdir())


def test_a_measure_that_fails_is_named_and_left_out(tmp_path):
    tried = []

    def fail(ground):
        tried.append(ground.round)
        raise BenchError("no such disk")

    fine = measure("fine", lambda ground: {"fine.n": 1})
    taken = take_all([measure("broken", fail), fine], Effort(rounds=3), tmp_path, lambda _: None)
    assert tried == [0]
    assert taken.untaken == {"broken": "BenchError: no such disk"}
    assert taken.samples == {"fine.n": [1, 1, 1]}


def test_a_rate_counts_what_was_done():
    done = []
    rate = each_second(lambda: done.append(1), 0.01)
    assert 0 < rate <= len(done) / 0.01
