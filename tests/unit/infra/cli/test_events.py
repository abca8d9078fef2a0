"""keyfleet events: what travels, what becomes of it, and examples that validate."""

import json

import pytest

from infra.manifest.load import load_manifest
from shared.events.catalogue import CATALOGUE
from shared.events.codec import parse_payload


@pytest.fixture
def listed(run):
    return {each["subject"]: each for each in json.loads(run("events", "--json").stdout)["events"]}


def test_every_subject_is_listed_with_an_example_that_validates(listed):
    assert set(listed) == set(CATALOGUE)
    for name, each in listed.items():
        assert parse_payload(name, each["example"])


def test_what_a_function_handles_is_told_apart_from_what_is_kept_for_one(listed):
    heard = load_manifest().topics()
    for name, each in listed.items():
        if each["direction"] == "consumed":
            assert each["becomes"].startswith("handled by on-" if name in heard else "kept for on-")


def test_a_listing_names_each_on_a_row_of_its_own(run):
    said = run("events").stdout
    assert all(name in said for name in CATALOGUE)
    assert "keyfleet events SUBJECT" in said


@pytest.mark.parametrize(
    "words",
    ["booking.confirmed", "confirmed", "reservation.booking.confirmed.v1", "reservation.confirmed.v1"],
)
def test_one_is_found_by_what_is_peculiar_to_it_and_shown_with_how_to_publish_it(run, words):
    said = run("events", words).stdout
    assert said.startswith("melmastoon.reservation.booking.confirmed.v1  consumed, by reservation-service\n")
    assert '"reservationId"' in said
    assert "--data @payload.json --wait" in said


@pytest.mark.parametrize(
    ("words", "remedy"), [("booking.confrmed", "see"), ("checked", "booking.checked_in.v1")]
)
def test_one_that_there_is_not_is_refused_with_what_comes_near(run, words, remedy):
    result = run("events", words)
    assert result.exit_code == 2
    assert remedy in result.stderr
