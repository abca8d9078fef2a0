"""Bus contract: what a subscription does not see."""

import pytest

from infra.local.delivery.refusal import SpecRefused
from shared.ports.bus import Message
from tests.contract.bus.setting import BusSetting, subscription


class Filtering(BusSetting):
    """What a subscription does not see."""

    def test_a_filter_lets_matching_messages_through_and_forgets_the_others(self, tmp_path):
        async def scenario(world, bus):
            for kind in ("confirmed", "cancelled"):
                await bus.publish("bookings", [Message(kind.encode(), {"kind": kind}, "A")])
            await bus.idle()
            await world.flush()
            assert world.receiver.texts == ["cancelled"]
            assert bus.backlog() == {}

        self.play(tmp_path, scenario, subscription(filter='attributes.kind = "cancelled"'))

    def test_a_bad_filter_is_refused_at_load_with_its_position(self):
        with pytest.raises(SpecRefused, match=r"filter is malformed: .* at position 17: put the value"):
            subscription(filter="attributes.kind == 1")
