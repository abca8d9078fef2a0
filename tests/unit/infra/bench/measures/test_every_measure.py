"""Each measure finds a number for each figure it declares: how good a number is nobody's test."""

import math

import pytest

from infra.bench.catalogue import measures
from infra.bench.figures import Ground
from infra.bench.measures import growth, idle
from infra.bench.measures.documents import COUNTED, TRACED

MEASURES = {measure.name: measure for measure in measures()}
DEAR = {"adapters", "keys", "start_up", "backoffice", "audit", "api-reads", "resume", "receiver"}
"""Those that take seconds even with the least effort, `adapters` for two processes of each dialect."""
ONCE_A_RUN = {TRACED, COUNTED, *growth.FIGURES}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.soak] if name in DEAR else []) for name in MEASURES]
)
def test_a_measure_finds_what_it_declares(name, tmp_path, least_effort):
    measure = MEASURES[name]
    sample = measure.take(Ground(tmp_path, least_effort, round=1))
    assert set(sample) == set(measure.figures) - ONCE_A_RUN
    assert all(math.isfinite(value) and value >= 0 for value in sample.values())
    assert {name for name, value in sample.items() if value == 0} <= idle.MAY_BE_NOTHING


@pytest.mark.soak
def test_growth_is_measured_in_the_first_round(tmp_path, least_effort):
    sample = growth.MEASURE.take(Ground(tmp_path, least_effort, round=0))
    assert set(sample) == set(growth.FIGURES)
    assert all(math.isfinite(value) and value > 0 for value in sample.values())
    assert sample[growth.RATIO] == sample[growth.LAST] / sample[growth.FIRST]
