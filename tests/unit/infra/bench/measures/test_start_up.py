"""Which functions are started, and how they are told apart."""

from infra.bench.measures import start_up
from infra.manifest.load import load_manifest


def test_every_family_of_the_manifest_is_started():
    families = {function.family for function in load_manifest().functions.values()}
    figures = start_up.measure(load_manifest()).figures
    assert {f"start_up.{family}_of_bare" for family in families} <= set(figures)


def test_each_start_is_that_of_the_familys_next_function(tmp_path, least_effort, monkeypatch):
    started = []
    monkeypatch.setattr(start_up, "_start", lambda entry, number, _: started.append((entry, number)) or 1.0)
    measure = start_up.measure(load_manifest())
    for number in range(2):
        measure.take(start_up.Ground(tmp_path, least_effort, number))
    of_bare = [number for entry, number in started if entry == start_up.BARE]
    assert of_bare == [0, 0, 1]  # the first is there to compile, and not measured
