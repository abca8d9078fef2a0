"""Bus contract: what a push looks like, and what counts as an answer."""

import asyncio
import base64
import itertools

import pytest

from infra.local.delivery.instants import rfc3339
from infra.local.simulation.loop import BEGINNING
from shared.ports.bus import Message
from shared.vendor_kit.http import ConnectionBroken, ConnectionFailed, TimedOut
from tests.contract.bus.setting import (
    BusSetting,
    messages,
    numbered,
    subscription,
    with_dead_letter,
)
from tests.support.delivery_rig import until


class Pushing(BusSetting):
    """What a push looks like, and what counts as an answer."""

    def test_the_push_carries_googles_full_envelope(self, tmp_path):
        async def scenario(world, bus):
            (identity,) = await bus.publish("bookings", [Message(b"\x00\xff", {"tenant": "tnt_1"}, "key_1")])
            await bus.idle()
            then = rfc3339(int(BEGINNING.timestamp() * 1e6))
            assert world.receiver.received[0].json == {
                "message": {
                    "data": base64.b64encode(b"\x00\xff").decode(),
                    "attributes": {"tenant": "tnt_1"},
                    "messageId": identity,
                    "message_id": identity,
                    "publishTime": then,
                    "publish_time": then,
                    "orderingKey": "key_1",
                },
                "subscription": "projects/hotel/subscriptions/on-booking",
                "deliveryAttempt": 1,
            }

        self.play(tmp_path, scenario, with_dead_letter())

    def test_ordering_key_and_delivery_attempt_are_left_out_as_google_leaves_them_out(self, tmp_path):
        async def scenario(world, bus):
            await bus.publish("bookings", messages("a"))
            await bus.idle()
            body = world.receiver.received[0].json
            assert "orderingKey" not in body["message"]
            assert "deliveryAttempt" not in body

        self.play(tmp_path, scenario)

    def test_the_push_is_a_post_with_an_identity_token_for_the_audience(self, tmp_path):
        async def scenario(world, bus):
            await bus.publish("bookings", messages("a"))
            await bus.idle()
            call = world.receiver.received[0].call
            assert (call.method, call.url) == ("POST", "http://fleet.local/on-booking")
            assert call.headers["authorization"] == "Bearer bus@hotel->http://fleet.local/on-booking"
            assert call.headers["content-type"] == "application/json"

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize("status", [102, 200, 201, 202, 204])
    def test_googles_ack_codes_end_the_delivery(self, tmp_path, status):
        async def scenario(world, bus):
            world.receiver.answer = lambda _: status
            await bus.publish("bookings", messages("a"))
            await asyncio.sleep(60)
            await world.flush()
            assert len(world.receiver.received) == 1
            assert bus.backlog() == {}

        self.play(tmp_path, scenario)

    @pytest.mark.parametrize(
        "answer",
        [
            *(203, 205, 206, 301, 400, 404, 429, 500, 503),
            *(ConnectionFailed(), ConnectionBroken(), TimedOut(), ZeroDivisionError()),
        ],
        ids=str,
    )
    def test_every_other_answer_and_no_answer_is_delivered_again(self, tmp_path, answer):
        async def scenario(world, bus):
            answers = iter([answer, 204])
            world.receiver.answer = lambda _: next(answers)
            await bus.publish("bookings", messages("a"))
            await until(lambda: len(world.receiver.received) == 2)
            await bus.idle()

        self.play(tmp_path, scenario)

    def test_an_answer_after_the_ack_deadline_is_none(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.takes = 11.0
            await bus.publish("bookings", messages("a"))
            await until(lambda: len(world.receiver.received) == 2)
            assert world.receiver.received[1].at - world.receiver.received[0].at >= 10.0 + 1.0

        self.play(tmp_path, scenario, subscription(ack_deadline=10))

    def test_retries_back_off_between_the_bounds_with_jitter(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.answer = lambda _: 500
            await bus.publish("bookings", messages("a", "b"))
            await until(lambda: len(world.receiver.received) == 20)
            for text in ("a", "b"):
                at = [each.at for each in world.receiver.received if each.text == text]
                waits = [later - sooner for sooner, later in itertools.pairwise(at)]
                assert all(1.0 <= wait <= 8.0 + 1e-6 for wait in waits)
                assert waits[0] < 2.0 < waits[2]
                assert waits[-1] > 6.0
            assert len({each.at for each in world.receiver.received[2:]}) == 18

        self.play(tmp_path, scenario)

    def test_no_more_than_max_outstanding_are_under_way(self, tmp_path):
        async def scenario(world, bus):
            world.receiver.takes = 1.0
            await bus.publish("bookings", numbered(20))
            await bus.idle()
            assert world.receiver.busiest == 4
            assert len(world.receiver.received) == 20

        self.play(tmp_path, scenario, subscription(max_outstanding=4))
