"""Buses that are wrong in one way each: every one must fail the guarantee it breaks."""

import asyncio
import dataclasses

from infra.local.bus import Bus, kept
from shared.vendor_kit.http import Answer


def respecified(**changes):
    """A bus that reads its subscriptions wrongly."""

    def make(means, topics, subscriptions, chaos=None):
        return Bus(means, topics, [dataclasses.replace(spec, **changes) for spec in subscriptions], chaos)

    return make


class ForgetsOnRestart(Bus):
    """Begins after what an earlier process left."""

    def start(self):
        self._means.engine._database.writer.execute("DELETE FROM bus_delivery")
        super().start()


class Complacent:
    """A transport that hears a yes in every answer."""

    def __init__(self, transport):
        self._transport = transport

    async def send(self, call):
        await self._transport.send(call)
        return Answer(204)


def acks_a_500(means, topics, subscriptions, chaos=None):
    return Bus(
        dataclasses.replace(means, transport=Complacent(means.transport)), topics, subscriptions, chaos
    )


class CountsInMemory(Bus):
    """Remembers the attempts of this process only."""

    def start(self):
        super().start()
        for dispatcher in self._dispatchers.values():
            dispatcher._count_attempt = self._count

    async def _count(self, delivery):
        delivery.attempts += 1


class PublishesOneByOne(Bus):
    """Keeps what comes before a refused message."""

    async def publish(self, topic, messages):
        return tuple([(await super(PublishesOneByOne, self).publish(topic, [each]))[0] for each in messages])


class Forgetful:
    """Notices a commit only while the publisher still waits for it."""

    quiet = True

    def __init__(self, engine):
        self._engine = engine

    async def write(self, operation, noticed):
        result = await self._engine.write(operation)
        noticed(result)
        return result

    async def idle(self):
        await asyncio.sleep(1)


class WaitsWithThePublisher(Bus):
    """Delivers only what somebody waited for."""

    def start(self):
        self._keeping = Forgetful(self._means.engine)
        super().start()


class DropsUnhandled(Bus):
    """Keeps nothing that nobody subscribes to."""

    def __init__(self, *given):
        super().__init__(*given)
        self._routing.kept_for = lambda topic: ""


class HandsOverNewestFirst(Bus):
    """Takes what was kept from the wrong end."""

    async def deliver_kept(self):
        kept.NEXT, order = kept.NEXT.replace("ORDER BY id", "ORDER BY id DESC"), kept.NEXT
        try:
            await super().deliver_kept()
        finally:
            kept.NEXT = order


class ForgetsWhatItKept(Bus):
    """Hands over nothing."""

    async def deliver_kept(self):
        """Do nothing."""


class KeepsForPeople(Bus):
    """Takes what waits for a function for something that somebody must look at."""

    def _parcel(self, topic, message, sealed):
        stored, routes = super()._parcel(topic, message, sealed)
        return dataclasses.replace(stored, kept=False, parked=stored.kept or stored.parked), routes


BROKEN = {
    "drops the unhandled": (
        DropsUnhandled,
        "test_what_is_kept_outlives_restarts_without_the_function",
        {},
    ),
    "hands over the newest first": (
        HandsOverNewestFirst,
        "test_a_function_that_comes_gets_what_was_kept_in_order_and_before_anything_newer",
        {"clean": True},
    ),
    "forgets what it kept": (
        ForgetsWhatItKept,
        "test_what_is_kept_outlives_restarts_without_the_function",
        {},
    ),
    "keeps for people": (KeepsForPeople, "test_what_is_kept_is_nobody_s_to_look_after", {}),
    "forgets on restart": (ForgetsOnRestart, "test_the_backlog_survives_a_restart_in_order", {}),
    "pushes a key out of order": (
        respecified(ordered=False),
        "test_a_failing_head_blocks_its_key_and_no_other",
        {},
    ),
    "gives up within hours": (
        respecified(max_attempts=5),
        "test_heads_that_fail_for_hours_keep_nobody_else_waiting_and_go_on_when_they_can",
        {},
    ),
    "never dead-letters": (
        respecified(max_attempts=None, dead_letter_topic=None),
        "test_delivery_attempts_are_counted_and_end_in_the_dead_letter_topic",
        {},
    ),
    "acks a 500": (
        acks_a_500,
        "test_every_other_answer_and_no_answer_is_delivered_again",
        {"answer": 500},
    ),
    "counts attempts in memory": (
        CountsInMemory,
        "test_attempts_are_counted_across_crashes_so_a_killing_message_ends_too",
        {},
    ),
    "keeps half a publish": (PublishesOneByOne, "test_publish_keeps_all_messages_or_none", {}),
    "delivers only to the patient": (
        WaitsWithThePublisher,
        "test_a_publisher_who_stops_waiting_does_not_stop_the_delivery",
        {},
    ),
    "ignores filters": (
        respecified(filter=""),
        "test_a_filter_lets_matching_messages_through_and_forgets_the_others",
        {},
    ),
    "waits for ever": (
        respecified(ack_deadline=600),
        "test_an_answer_after_the_ack_deadline_is_none",
        {},
    ),
    "retries at once": (
        respecified(min_backoff=0.01, max_backoff=0.01),
        "test_retries_back_off_between_the_bounds_with_jitter",
        {},
    ),
    "pushes without limit": (
        respecified(max_outstanding=1000),
        "test_no_more_than_max_outstanding_are_under_way",
        {},
    ),
}
