"""Which functions are started, and how they are told apart."""

from infra.bench.measures import start_up
from infra.manifest.load import load_manifest
from infra.manifest.triggers import ServiceTrigger


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


def test_no_service_is_handed_to_the_framework_of_functions(tmp_path, least_effort, monkeypatch):
    manifest, started = load_manifest(), set()
    services = {
        each.entry_point
        for each in manifest.functions.values()
        if isinstance(each.deployable.trigger, ServiceTrigger)
    }
    monkeypatch.setattr(start_up, "_start", lambda entry, number, _: started.update(entry.targets) or 1.0)
    start_up.measure(manifest).take(start_up.Ground(tmp_path, least_effort, 0))
    assert services
    assert not started & services
