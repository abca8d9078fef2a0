"""A month of a company: what its vendor did, how well, and what that cost by the company's own prices."""

import asyncio
from datetime import timedelta

from shared.queries.costs import days_of, percentile
from tests.support.accounts import ADMIN, ask
from tests.support.sample_hotel import KABUL, play
from tests.workflows.test_accounts_replaced import pass_time

PRICE = {"vendor": "ttlock", "currency": "EUR", "issue": "0.02", "revoke": "0.005", "lockMonth": "1.5"}


async def month(house, name):
    status, answer = await ask(house, ADMIN, f"costs?month={name}")
    assert status == 200, answer
    return answer


def test_what_was_issued_and_taken_back_is_counted_once_and_priced(tmp_path):
    async def scenario(house):
        unpriced = await month(house, "2026-03")
        (row,) = unpriced["rows"]
        assert (row["issued"], unpriced["sums"], "cost" in row) == (0, {}, False)
        locks = row["locks"]
        status, told = await ask(house, ADMIN, "vendor-prices", PRICE, "PUT")
        assert (status, told) == (200, PRICE)
        for number, room in ((1, "rmu_101"), (2, "rmu_102")):
            await house.publish(f"evt_{number}", reservationId=f"rsv_{number}", rooms=[room])
        await house.keys_active(2)
        await house.publish("evt_3", "cancelled", reservationId="rsv_1")
        await asyncio.sleep(60)
        await house.publish("evt_3", "cancelled", reservationId="rsv_1")
        await house.settled()
        told = await month(house, "2026-03")
        (row,) = told["rows"]
        assert (row["propertyId"], row["issued"], row["failed"], row["revoked"]) == (KABUL, 2, 0, 1)
        assert (row["issueSuccessRate"], row["revokeSuccessRate"]) == (1.0, 1.0)
        assert 0 < row["issueP95Ms"] < 60_000
        assert told["sums"] == {"EUR": f"{2 * 0.02 + 0.005 + locks * 1.5:.3f}"}
        await pass_time(house, timedelta(days=31))
        assert (await month(house, "2026-04"))["rows"][0]["issued"] == 0
        assert (await month(house, "2026-02"))["rows"][0]["issued"] == 0

    play(tmp_path, scenario)


def test_who_may_not_and_what_is_no_month_or_vendor_is_refused(tmp_path):
    async def scenario(house):
        refused = [await ask(house, "usr_clerk", "costs?month=2026-03"), await ask(house, ADMIN, "costs")]
        wrong = await ask(house, ADMIN, "vendor-prices", {**PRICE, "vendor": "nobody"}, "PUT")
        assert [status for status, _ in (*refused, wrong)] == [403, 400, 400]

    play(tmp_path, scenario)


def test_days_of_a_month_and_the_nearest_rank():
    assert days_of("2026-12") == ("2026-12-01", "2026-12-31")
    assert days_of("2028-02") == ("2028-02-01", "2028-02-29")
    assert percentile([], 0.95) is None
    assert percentile(range(1, 101), 0.95) == 95
    assert percentile([7], 0.95) == 7
