"""Outcomes and draws survive the journal."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.workflows.draws import RecordedDraws
from infra.local.workflows.errors import MachineMisusedError
from infra.local.workflows.outcomes import (
    Done,
    Failed,
    HttpFault,
    HttpResponse,
    decode_outcome,
    encode_outcome,
    timed_out,
)

json_values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=5,
)
outcomes = st.one_of(
    st.builds(Done, json_values),
    st.builds(Failed, json_values),
    st.builds(HttpFault, st.text(), st.text()),
    st.builds(HttpResponse, st.integers(100, 599), st.dictionaries(st.text(), st.text()), st.binary()),
)


@given(outcomes)
def test_outcome_comes_back_from_json(outcome):
    assert decode_outcome(json.loads(json.dumps(encode_outcome(outcome)))) == outcome


def test_timeout_of_a_callback_is_an_error_of_the_language():
    assert timed_out().error["tags"] == ["TimeoutError", "OSError"]


class Source:
    """Draws that count."""

    def __init__(self):
        self.count = 0

    def _next(self):
        self.count += 1
        return self.count

    def now(self):
        return datetime(2024, 1, 1, tzinfo=UTC) + timedelta(microseconds=self._next())

    def uuid(self):
        return f"uuid-{self._next()}"

    def callback_id(self):
        return f"callback-{self._next()}"


def test_recorded_draws_come_first_and_new_ones_are_kept():
    first = RecordedDraws([], Source())
    drawn = [first.now(), first.uuid(), first.callback_id()]
    rows = json.loads(json.dumps(first.take_fresh()))
    assert first.take_fresh() == []
    second = RecordedDraws(rows, Source())
    assert [second.now(), second.uuid(), second.callback_id()] == drawn
    assert second.fresh == []
    assert second.uuid() == "uuid-1"
    assert second.take_fresh() == [["uuid", "uuid-1"]]


def test_journal_of_another_workflow_is_noticed():
    with pytest.raises(MachineMisusedError, match="recorded a draw of now"):
        RecordedDraws([["now", "2024-01-01T00:00:00+00:00"]], Source()).uuid()
