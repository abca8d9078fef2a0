"""The catalogue of problems: each row once, each error told as one of them."""

import orjson
import pytest

from shared.domain.errors import InvalidInput
from shared.ports.trouble import ServiceTrouble
from shared.runtime.problems import BY_CODE, CATALOGUE, TOLD_AS, problem_of, problem_response
from shared.runtime.responses import STATUS, error_response


def test_every_row_has_a_code_of_its_own_and_says_what_to_do():
    assert len(BY_CODE) == len(CATALOGUE)
    assert [row.code for row in CATALOGUE if not (row.title and row.meaning and row.remedy)] == []
    assert [row.code for row in CATALOGUE if row.status < 400] == []


def test_every_row_is_some_error_and_every_error_some_row():
    assert set(TOLD_AS.values()) | {"crashed"} == BY_CODE.keys()


def test_what_services_are_told_of_people_are_told_of_too():
    told = {kind: BY_CODE[TOLD_AS[kind]].status for kind in STATUS}
    assert told == dict(STATUS)


def test_what_is_retried_says_when():
    assert {row.code for row in CATALOGUE if row.status in (503, 507) and not row.retry_after} == set()


@pytest.mark.parametrize("error", [ServiceTrouble("canary 4711"), KeyError("canary 4711")])
def test_the_words_of_an_error_are_not_told(error):
    response = problem_response(error, "req_1")
    assert b"canary" not in response.body
    assert response.status_code == problem_of(error).status


def test_a_field_is_told_with_its_problem_and_remedy():
    told = orjson.loads(problem_response(InvalidInput("rooms", "empty", "Name a room"), "req_1").body)
    assert told["errors"] == [{"field": "rooms", "problem": "empty", "remedy": "Name a room"}]


@pytest.mark.parametrize(("field", "name"), [("data.propertyId", "property"), ("data.rooms[1]", "rooms[1]")])
@pytest.mark.parametrize("respond", [lambda error: problem_response(error, "req_1"), error_response])
def test_who_sent_a_request_is_told_its_own_field_and_to_send_it_again(field, name, respond):
    refusal = InvalidInput(field, "not there", "set it up, then replay the message")
    told = orjson.loads(respond(refusal).body)
    (wrong,) = told.get("errors") or [told["error"]]
    remedy = "set it up, then send the request again"
    assert wrong == {"field": name, "problem": "not there", "remedy": remedy}
