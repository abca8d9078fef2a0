"""What Google's emulator of Pub/Sub leaves out, and the fleet adds where it pushes."""

import base64
import io
from datetime import UTC, datetime
from types import SimpleNamespace

import orjson
import pytest

from infra.emulated.bus import EAR, EmulatedBus
from infra.emulated.parked_messages import ParkedMessages
from infra.local.bus.specs import SubscriptionSpec, TopicSpec
from infra.local.counters import Counters
from shared.kernel.log import Log
from shared.ports.bus import Message
from shared.ports.dead_letters import PULLED, QUARANTINE_TOPIC

TOPIC, DEAD = "melmastoon.theme.published.v1", "melmastoon.lock.dead_letter.v1"
MOST = 5


class Port:
    """A bus that numbers what it is given."""

    def __init__(self):
        self.published = []

    async def publish(self, topic, messages):
        self.published += [(topic, message) for message in messages]
        return tuple(str(len(self.published)) for _ in messages)


class Letters:
    """What was set aside, as the port has it."""

    def __init__(self):
        self.replayed, self.discarded = [], []

    async def replay(self, ids=None, *, topic=None):
        self.replayed.append(ids)
        return len(ids or ())

    async def discard(self, ids):
        self.discarded.append(ids)
        return len(ids)


class Answers:
    """Functions that answer as they are told, and who was asked."""

    def __init__(self):
        self.status, self.asked = 204, []

    async def __call__(self, spec, body):
        self.asked.append(spec.name)
        return self.status


@pytest.fixture
def play():
    spec = SubscriptionSpec(
        name="on-theme",
        topic=TOPIC,
        push_url="http://127.0.0.1:1/on-theme",
        audience="",
        caller="pubsub-push",
        ordered=True,
        filter='attributes.tenantId = "tnt_silk"',
        max_attempts=MOST,
        dead_letter_topic=DEAD,
    )
    topics = [TopicSpec(TOPIC), TopicSpec(DEAD, parked=True), TopicSpec(QUARANTINE_TOPIC, parked=True)]
    clock = SimpleNamespace(now=lambda: datetime(2026, 3, 1, tzinfo=UTC))
    means = SimpleNamespace(clock=clock, counters=Counters())
    port, answers, letters = Port(), Answers(), Letters()
    log = Log("test", io.StringIO())
    bus = EmulatedBus(port, topics, [spec], answers, ParkedMessages(letters), means)
    return SimpleNamespace(bus=bus, port=port, answers=answers, letters=letters, log=log, means=means)


def _pushed(identity="1", tenant="tnt_silk", data=b"{}", **attributes):
    message = {"messageId": identity, "data": base64.b64encode(data).decode()}
    message["attributes"] = {"tenantId": tenant, **attributes}
    return orjson.dumps({"message": message, "subscription": "projects/p/subscriptions/on-theme"})


async def test_what_a_filter_does_not_want_is_acknowledged_unseen(play):
    assert await play.bus.pushed("on-theme", _pushed(tenant="tnt_other")) == 204
    assert play.answers.asked == []
    assert await play.bus.pushed("on-theme", _pushed()) == 204
    assert play.answers.asked == ["on-theme"]


async def test_a_message_waits_until_its_function_has_taken_it(play):
    (identity,) = await play.bus.publish(TOPIC, [Message(b"{}", {"tenantId": "tnt_silk"})])
    assert play.bus.delivers(identity)
    assert play.bus.backlog() == {"on-theme": 1}
    play.answers.status = 503
    assert await play.bus.pushed("on-theme", _pushed(identity)) == 503
    assert play.bus.delivers(identity)
    play.answers.status = 204
    await play.bus.pushed("on-theme", _pushed(identity))
    assert not play.bus.delivers(identity)
    assert play.bus.backlog() == {}
    assert play.means.counters["acks"] == 1


async def test_a_push_that_comes_before_its_publisher_knows_is_not_waited_for(play):
    await play.bus.pushed("on-theme", _pushed("1"))
    (identity,) = await play.bus.publish(TOPIC, [Message(b"{}", {"tenantId": "tnt_silk"})])
    assert not play.bus.delivers(identity)


async def test_what_is_never_taken_is_set_aside_with_its_reason_though_it_is_ordered(play):
    play.answers.status = 500
    answered = [await play.bus.pushed("on-theme", _pushed()) for _ in range(MOST)]
    assert answered == [500] * (MOST - 1) + [204]
    ((topic, letter),) = play.port.published
    assert topic == DEAD
    assert letter.attributes["CloudPubSubDeadLetterSourceSubscription"] == "on-theme"
    assert letter.attributes["CloudPubSubDeadLetterSourceDeliveryCount"] == str(MOST)


async def test_an_unknown_subscription_is_refused(play):
    assert await play.bus.pushed("on-nothing", _pushed()) == 404


async def test_what_was_set_aside_is_shown_and_replayed_by_the_ids_of_its_subscription(play):
    (source,) = (name for name, topic in PULLED.items() if topic == QUARANTINE_TOPIC)
    notes = {"subscription": "on-theme", "reason": "no JSON"}
    await play.bus.pushed(EAR + source, _pushed("7", **notes))
    (letter,) = play.bus.dead_letters.page()
    assert (letter.id, letter.reason, letter.topic) == ("7", "no JSON", QUARANTINE_TOPIC)
    assert play.bus.dead_letters.count(topic=DEAD) == 0
    await play.bus.dead_letters.replay(["7"])
    assert play.letters.replayed == [[f"{source}/7"]]
    assert play.bus.dead_letters.page() == []
    assert await play.bus.dead_letters.discard(["7"]) == 0
