"""The document that make bench prints."""

import jsonschema_rs
import pytest

from infra.bench.figures import Effort, Figure, Measure
from infra.bench.report import report
from infra.bench.rounds import Taken

FIGURES = {
    "raw.n": Figure("1/s"),
    "own.n": Figure("1/s", floor=40, aim=60, beside="raw.n"),
    "own.late": Figure("ms", "lower", floor=1),
    "own.traced": Figure("n"),
}
MEASURE = Measure("own", FIGURES, lambda _: {})
SAMPLES = {"raw.n": [100, 10, 200], "own.n": [50, 8, 90], "own.late": [1.23456, 1.5, 1.1]}


@pytest.fixture
def document():
    return report([MEASURE], Taken(SAMPLES, {"other": "OSError: gone"}), {"cores": 2}, Effort())


def test_the_document_has_its_form(document, document_form):
    jsonschema_rs.validate(document_form, document)


def test_a_figure_is_the_median_of_its_rounds(document):
    assert document["figures"]["own.n"]["value"] == 50
    assert document["figures"]["own.n"]["rounds"] == [50, 8, 90]
    assert document["figures"]["own.late"]["value"] == 1.235


def test_floors_and_aims_are_reported(document):
    assert document["figures"]["own.n"]["ok"] is True
    assert document["figures"]["own.n"]["aim_reached"] is False
    assert document["figures"]["raw.n"]["ok"] is None
    assert document["missed_floors"] == ["own.late"]


def test_the_ratio_to_the_raw_limit_is_taken_inside_each_round(document):
    # 0.5, 0.8 and 0.45: the ratio of the medians would hide the round in which the machine was busy.
    assert document["figures"]["own.n"]["raw"] == {"figure": "raw.n", "value": 100, "ratio": 0.5}


def test_what_was_not_taken_is_said(document):
    assert document["absent"] == ["own.traced"]
    assert document["untaken"] == {"other": "OSError: gone"}
