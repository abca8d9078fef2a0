"""What is watched leads to a page, counts what there is, and a signal that means nothing is refused."""

from copy import deepcopy

import pytest

from infra.codegen.fleet_plan import fleet_plan
from infra.manifest.load import ROOT
from infra.manifest.plan.watching import faults

PLAN = fleet_plan()
PLANTED = {
    "a signal without its page": (
        "signals",
        "tasks-wait",
        "runbook",
        "infra/runbooks/cloud/nowhere.md",
        "no such page",
    ),
    "a promise without its page": (
        "promises",
        "keys-are-issued",
        "runbook",
        "infra/runbooks/x.md",
        "no such page",
    ),
    "a promise of a subject that is none": (
        "promises",
        "keys-are-issued",
        "good_topic",
        "melmastoon.x.v1",
        "no topic",
    ),
    "a promise of an alert nobody raises": (
        "promises",
        "keys-are-taken-back",
        "bad_alert",
        "MELMASTOON.LOCK.MELTED",
        "neither a topic nor an alert",
    ),
    "a promise of what takes its time, without an end to it": (
        "promises",
        "keys-are-quick",
        "within_ms",
        None,
        "how long it may take",
    ),
    "a time that no line tells": (
        "timed",
        "issue-milliseconds",
        "filter",
        'jsonPayload.message = "the door melted"',
        "which no line says",
    ),
    "a counter of a line that nobody says": (
        "counted",
        "quarantined",
        "filter",
        'jsonPayload.message = "the door melted"',
        "which no line says",
    ),
}


def test_everything_watched_leads_somewhere():
    assert list(faults(PLAN, ROOT)) == []


@pytest.mark.parametrize("mistake", PLANTED)
def test_what_is_watched_in_vain_is_told(mistake):
    table, name, field, wrong, said = PLANTED[mistake]
    plan = deepcopy(PLAN)
    plan[table][name][field] = wrong
    assert [said in each for each in faults(plan, ROOT)] == [True]


def test_what_waits_for_a_person_and_what_never_came_back_both_wake_somebody():
    signals = PLAN["signals"]
    assert signals["parked-messages-wait"]["above"] == 86400
    assert 'subscription_id = "quarantine"' in signals["parked-messages-wait"]["filter"]
    assert signals["sweeper-is-silent"]["silent"]
    assert signals["kept-messages-expire"]["above"] < 31 * 86400
