"""Topics and subscriptions that cannot be served are refused at load, naming field and remedy."""

import pytest

from infra.local.bus.routing import Routing
from infra.local.bus.specs import TopicSpec
from infra.local.delivery.refusal import SpecRefused
from shared.ports.bus import UnknownTopic
from tests.contract.bus.setting import subscription, with_dead_letter

BOOKINGS, DEAD, PARKED = (
    TopicSpec("bookings"),
    TopicSpec("bookings-dead"),
    TopicSpec("quarantine", parked=True),
)


@pytest.mark.parametrize(
    ("changes", "finding"),
    [
        ({"name": "ab"}, "subscription 'ab': name is 'ab': use 3 to 255"),
        ({"name": "googly"}, "name is 'googly'"),
        ({"push_url": "/on-booking"}, "push_url is '/on-booking': give an absolute"),
        ({"ack_deadline": 9}, "ack_deadline is 9: choose between 10 and 600"),
        ({"min_backoff": 0}, "min_backoff is 0: choose between 0.01"),
        ({"max_backoff": 601}, "max_backoff is 601: choose between"),
        ({"min_backoff": 9, "max_backoff": 3}, r"min_backoff \(9\) exceeds max_backoff \(3\)"),
        ({"max_outstanding": 0}, "max_outstanding is 0"),
        ({"max_attempts": 5}, "max_attempts and dead_letter_topic go together: give both or neither"),
        ({"dead_letter_topic": "bookings-dead"}, "give both or neither"),
        (
            {"max_attempts": 4, "dead_letter_topic": "bookings-dead"},
            "max_attempts is 4: choose between 5 and 100",
        ),
        ({"max_attempts": 5, "dead_letter_topic": "bookings"}, "dead_letter_topic is the topic itself"),
        ({"filter": "kind = 1"}, "filter is malformed: unexpected kind at position 0"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_subscription_production_would_refuse_is_refused(changes, finding):
    with pytest.raises(SpecRefused, match=finding):
        subscription(**changes)


@pytest.mark.parametrize(
    ("topics", "subscriptions", "finding"),
    [
        ((BOOKINGS, BOOKINGS), (), "topic 'bookings': name is taken"),
        ((BOOKINGS,), (subscription(), subscription()), "subscription 'on-booking': name is taken"),
        ((DEAD,), (subscription(),), "topic 'bookings' is not in the manifest: declare it"),
        ((BOOKINGS,), (with_dead_letter(),), "dead_letter_topic 'bookings-dead' is not in the manifest"),
        (
            (PARKED,),
            (subscription(topic="quarantine"),),
            "topic 'quarantine' is parked: subscribe",
        ),
    ],
    ids=["topic twice", "subscription twice", "no topic", "no dead letter topic", "parked"],
)
def test_topics_and_subscriptions_that_do_not_fit_are_refused(topics, subscriptions, finding):
    with pytest.raises(SpecRefused, match=finding):
        Routing(topics, subscriptions)


def test_a_dead_letter_topic_parks_exactly_when_nobody_subscribes_to_it():
    undertaker = subscription(name="undertaker", topic="bookings-dead")
    assert Routing((BOOKINGS, DEAD, PARKED), (with_dead_letter(),)).parked == ("bookings-dead", "quarantine")
    assert Routing((BOOKINGS, DEAD, PARKED), (with_dead_letter(), undertaker)).parked == ("quarantine",)


def test_a_topic_name_production_would_refuse_is_refused():
    with pytest.raises(SpecRefused, match="topic 'a b': name is 'a b'"):
        TopicSpec("a b")


def test_only_an_ordered_subscription_keeps_the_key():
    specs = (subscription(), subscription(name="unordered", ordered=False))
    routes = Routing((BOOKINGS,), specs).routes("bookings", {}, "A")
    assert [(route.subscription, route.ordering_key) for route in routes] == [
        ("on-booking", "A"),
        ("unordered", ""),
    ]


def test_a_topic_is_known_or_refused():
    routing = Routing((BOOKINGS,), ())
    routing.known("bookings")
    with pytest.raises(UnknownTopic):
        routing.known("booking")
