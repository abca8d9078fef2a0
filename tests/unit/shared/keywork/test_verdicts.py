"""A step reads who calls it, refuses what does not say so, and answers in words that name nobody."""

from dataclasses import replace
from datetime import timedelta

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.kinds import KeyWarning
from shared.keywork.verdicts import (
    DONE,
    SUPERSEDED,
    Outcome,
    StepCall,
    Verdict,
    after_rest,
    again,
    ask,
    followed,
)
from shared.ledger.delays import STEP_LEASE
from shared.ledger.key_record import Work
from shared.ledger.ledger import Change
from tests.support.ledger_books import MOCK

BODY = {"tenant": "tnt_silk", "saga_id": "key_1", "generation": 3, "execution": "run-1"}
BARE = {"after_seconds": 0.0, "warnings": []}


def test_step_s_call_is_read():
    assert StepCall.of(BODY) == StepCall("tnt_silk", "key_1", 3, "run-1")


@pytest.mark.parametrize(("given", "place"), [("ppt_kabul", "ppt_kabul"), ("", None), (7, None)])
def test_where_a_key_opens_is_told_for_those_who_read_ahead(given, place):
    assert StepCall.of({**BODY, "property": given}).place == place


@pytest.mark.parametrize("field", BODY)
@pytest.mark.parametrize("value", [None, "", 0, [], {}, True, 1.5])
def test_call_with_a_missing_or_mistyped_field_is_refused_by_its_name(field, value):
    with pytest.raises(InvalidInput) as refused:
        StepCall.of({**BODY, field: value})
    assert refused.value.field == field


@pytest.mark.parametrize(("field", "value"), [("generation", "3"), ("saga_id", 3), ("tenant", b"tnt_silk")])
def test_call_with_a_field_of_another_type_is_refused(field, value):
    with pytest.raises(InvalidInput) as refused:
        StepCall.of({**BODY, field: value})
    assert refused.value.field == field


@pytest.mark.parametrize("field", BODY)
def test_call_without_a_field_is_refused(field):
    with pytest.raises(InvalidInput) as refused:
        StepCall.of({name: value for name, value in BODY.items() if name != field})
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("troubled", "wait", "outcome"),
    [(None, 60, "retry"), (None, 61, "parked"), (0, 60, "retry"), (30, 60, "parked"), (900, 0, "retry")],
)
async def test_an_execution_rests_for_a_minute_at_most_and_not_where_its_vendor_is_long_in_trouble(
    books, troubled, wait, outcome
):
    entry, _ = books.requested()
    now = books.clock.now()
    if troubled is not None:
        entry = replace(entry, saga=entry.saga.asked_in_vain(now - timedelta(seconds=troubled)))
    later, verdict = after_rest(entry, MOCK, timedelta(seconds=wait), now)
    assert (verdict.outcome.value, later.saga.parked) == (outcome, outcome == "parked")
    assert later.due == now + timedelta(seconds=wait) + (timedelta() if later.saga.parked else STEP_LEASE)


def test_verdict_is_told_as_workflows_read_it():
    verdict = Verdict(
        Outcome.RETRY, timedelta(seconds=4, microseconds=250_400), warnings=(KeyWarning("ROUNDED"),)
    )
    assert verdict.body() == {"outcome": "retry", "after_seconds": 4.25, "warnings": ["ROUNDED"]}


def test_verdict_of_more_to_do_names_whom_to_ask():
    rest = again(MOCK, timedelta(seconds=4))
    assert rest.body() == {**BARE, "outcome": "retry", "after_seconds": 4.0, "adapter": "adapter-mock"}
    assert ask(MOCK).body() == {**BARE, "outcome": "next", "adapter": "adapter-mock"}


@pytest.mark.parametrize(("verdict", "word"), [(DONE, "done"), (SUPERSEDED, "superseded")])
def test_plain_verdicts_do_not_wait(verdict, word):
    assert verdict.body() == {**BARE, "outcome": word}


@pytest.mark.parametrize(
    ("held_by", "generation", "execution", "goes_on"),
    [
        (None, 1, "run-1", True),
        ("run-1", 1, "run-1", True),
        ("run-1", 1, "run-2", False),
        (None, 2, "r", False),
    ],
)
async def test_only_the_execution_that_works_on_a_key_goes_on(books, held_by, generation, execution, goes_on):
    entry, facts = books.requested()
    entry = replace(entry, saga=replace(entry.saga, execution=held_by))
    saved = (await books.ledger.save(Change(entry, facts))).entry
    call = StepCall("tnt_silk", saved.id, generation, execution)
    found = await followed(call, books.ledger)
    assert (found is not None) is goes_on
    assert found is None or found.saga.kind is Work.ISSUE


async def test_saga_of_a_key_that_is_not_there_is_refused(books):
    with pytest.raises(InvalidInput, match="no such key") as refused:
        await followed(StepCall.of(BODY), books.ledger)
    assert refused.value.field == "saga_id"
