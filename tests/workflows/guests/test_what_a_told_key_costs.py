"""What a key costs with all who hear of it: its guest is told by mail and SMS, desktops and the log hear."""

import sys

from infra.codegen.cloud_capacity_page import measured_dollars
from tests.support.told_hotel import play_told

KEYS = 1000
MOST_DOLLARS = 0.10
COUNTED = ("document_writes", "document_reads", "billable_steps", "function_calls", "publishes")
NEXT = {"reservationId": "rsv_2", "rooms": ["rmu_102"]}


def test_a_thousand_keys_with_notifications_and_audit_cost_no_more_than_they_may(tmp_path, capsys):
    async def scenario(house):
        await house.open()
        await house.book()
        await house.settled()
        before, told = house.fleet.counters.copy(), len(house.caught())
        await house.book("evt_2", **NEXT)
        await house.settled()
        after = house.fleet.counters
        return {name: after[name] - before[name] for name in COUNTED}, len(house.caught()) - told

    counts, told = play_told(tmp_path, scenario)
    dollars = measured_dollars(counts)
    with capsys.disabled():
        sys.stdout.write(f"\na key with all its consumers: {counts}, ${dollars * KEYS:.3f} per 1,000 keys\n")
    assert told == 2
    assert counts["function_calls"] > 2
    assert counts["billable_steps"] >= 5
    assert dollars * KEYS <= MOST_DOLLARS
