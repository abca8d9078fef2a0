"""The commands against a fleet that really runs."""

import pytest

SUBJECT = "melmastoon.tenant.config_updated.v1"


def _publish(fleet, tenant, data='{"keyKindPolicy": {"pinDigits": 7}}', **kwargs):
    return fleet.ask("publish", SUBJECT, "--tenant", tenant, "--data", data, **kwargs)


def _letters(fleet):
    return fleet.ask("dead-letter", "list")["messages"]


def _executions(fleet):
    return fleet.ask("workflow", "list")["executions"]


@pytest.fixture
def execution(running):
    argument = '{"probe": "p-cancel", "wait_seconds": 300}'
    return running.ask("workflow", "start", "probe_platform", "--args", argument)["execution"]


def test_status_names_the_functions(running):
    names = [function["name"] for function in running.ask("status")["functions"]]
    assert names == sorted(set(names), key=names.index)
    assert {"on-config-updated", "probe-answer"} <= set(names)


def test_a_letter_is_listed_replayed_and_discarded(running):
    _publish(running, "tnt_unheard_of")
    (letter,) = running.until(lambda: _letters(running))
    assert (letter["field"], letter["subscription"]) == ("tenantId", "on-config-updated")
    running.ask("dead-letter", "replay", "--all")
    (again,) = running.until(lambda: _letters(running))
    assert again["field"] == "tenantId"
    assert int(again["id"]) > int(letter["id"])
    assert running.ask("dead-letter", "discard", again["id"]) == {"discarded": 1}
    assert _letters(running) == []


def test_a_malformed_event_is_refused_and_leaves_nothing(running):
    refusal = _publish(running, "tnt_silk", '{"propertyId": "Kabul"}', exit_code=2)["error"]
    assert "data.propertyId" in refusal["message"]
    assert _letters(running) == []


def test_a_published_event_goes_to_those_who_listen(running):
    assert _publish(running, "tnt_silk")["listeners"] == ["on-config-updated"]


def test_a_document_is_shown_as_it_is_kept(running):
    shown = running.ask("document", "tnt_silk", "rooms", "rmu_101")
    assert shown["document"]["label"] == "101"
    assert shown["version"]


def test_a_document_that_is_not_there_is_no_document(running):
    error = running.ask("document", "tnt_silk", "rooms", "x", exit_code=2)["error"]
    assert (error["kind"], error["message"]) == ("refused", "no document 'x'")


def test_letters_that_are_not_there_are_named(running):
    error = running.ask("dead-letter", "discard", "900001", "900002", exit_code=2)["error"]
    assert error["message"] == "no dead letter '900001', '900002', and nothing was deleted"


def test_an_unknown_subject_is_refused_with_the_nearest_known(running):
    error = running.ask("publish", SUBJECT[:-1], "--tenant", "t", "--data", "{}", exit_code=2)["error"]
    assert SUBJECT in error["remedy"]


def test_an_execution_is_listed_shown_and_cancelled(running, execution):
    active = running.ask("workflow", "list", "--state", "active")["executions"]
    assert execution in [each["id"] for each in active]
    assert running.ask("workflow", "show", execution)["argument"]["probe"] == "p-cancel"
    running.ask("workflow", "cancel", execution)
    assert running.ask("workflow", "show", execution)["state"] == "CANCELLED"


@pytest.mark.parametrize(("named", "key"), [(', "saga_id": "key_7"', "key_7"), ("", None)])
def test_an_execution_is_listed_with_the_key_it_works_on(running, named, key):
    argument = f'{{"probe": "p-listed", "wait_seconds": 1{named}}}'
    execution = running.ask("workflow", "start", "probe_platform", "--args", argument)["execution"]
    (listed,) = [each for each in _executions(running) if each["id"] == execution]
    assert listed["key"] == key


def test_a_failed_execution_is_shown_with_exit_code_1(running):
    started = running.ask("workflow", "start", "probe_platform", "--args", '{"probe": 7}')["execution"]
    running.until(lambda: running.ask("workflow", "list", "--state", "FAILED")["executions"])
    assert running.ask("workflow", "show", started, exit_code=1)["error"]["code"] == 400


@pytest.mark.parametrize(
    "arguments",
    [
        ["workflow", "start", "no_such_workflow"],
        ["workflow", "show", "no-such-execution"],
        ["workflow", "cancel", "no-such-execution"],
        ["schedule", "run", "no-such-schedule"],
    ],
)
def test_what_does_not_exist_is_refused(running, arguments):
    assert running.ask(*arguments, exit_code=2)["error"]["kind"] == "refused"


def test_a_schedule_is_run_now(running):
    before = len(running.ask("workflow", "list", "--workflow", "probe_platform")["executions"])
    ran = {"ran": "probe-start", "succeeded": True, "outcome": "answered 200"}
    assert running.ask("schedule", "run", "probe-start") == ran
    running.until(
        lambda: len(running.ask("workflow", "list", "--workflow", "probe_platform")["executions"]) > before
    )


def test_doctor_sends_a_probe_through_and_finds_all_well(running):
    report = running.ask("doctor", "--probe")
    assert report["healthy"] is True
    assert report["checks"][-1]["check"] == "probe"
    assert report["checks"][-1]["verdict"] == "ok"


def test_the_identity_of_another_home_is_not_taken(running, tmp_path):
    with_other_key = type(running)(tmp_path / "other", running.port)
    with_other_key.home.mkdir()
    key = with_other_key.home / "identity.key"
    key.write_bytes(bytes(32))
    key.chmod(0o600)
    assert with_other_key.ask("status", exit_code=3)["error"]["kind"] == "unreachable"
