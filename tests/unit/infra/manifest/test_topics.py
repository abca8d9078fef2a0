"""A trigger's topics come from the catalogue where a set is named, and each has a subscription of its own."""

import pytest

from infra.manifest.topics import subscription_name, topics_in, topics_of
from infra.manifest.triggers import HttpTrigger, TopicsTrigger, TopicTrigger

ISSUED, REQUESTED = "melmastoon.lock.credential.issued.v1", "melmastoon.lock.credential.requested.v1"
CONFIRMED = "melmastoon.reservation.booking.confirmed.v1"


@pytest.mark.parametrize(
    ("trigger", "topics"),
    [
        (TopicTrigger(topic="keys"), ("keys",)),
        (TopicsTrigger(topics=("keys", "doors")), ("keys", "doors")),
        (HttpTrigger(http="public"), ()),
    ],
    ids=["one", "named", "none"],
)
def test_named_topics_are_taken_as_they_are(trigger, topics):
    assert topics_of(trigger) == topics


def test_sets_are_read_from_the_catalogue():
    regulated = topics_of(TopicsTrigger(topics="ours:regulated"))
    assert ISSUED in regulated
    assert REQUESTED not in regulated
    assert {*regulated, *topics_in("ours:operational")} == set(topics_in("ours"))
    assert CONFIRMED in topics_in("theirs")


def test_what_never_leaves_a_desk_is_in_no_set():
    assert not any(".local." in topic for wanted in ("ours", "theirs") for topic in topics_in(wanted))


def test_only_one_of_several_subscriptions_carries_its_topic_in_its_name():
    assert subscription_name("on-no-show", TopicTrigger(topic="keys"), "keys") == "on-no-show"
    assert subscription_name("audit-events", TopicsTrigger(topics="ours"), ISSUED) == f"audit-events.{ISSUED}"
