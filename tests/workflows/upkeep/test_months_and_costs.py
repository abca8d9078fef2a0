"""A month of a company: what its vendor did, how well, and what that cost by the company's own prices."""

import asyncio
from datetime import timedelta

from shared.kernel.percentile import percentile
from shared.ledger.day_figures import counted_up_to
from shared.ledger.indexes import DAYS
from shared.ledger.vendor_day import Took, VendorDay
from shared.ports.documents import Create, Ref, Update
from shared.queries.costs import costs, days_of
from shared.streams.telling import row_ref
from shared.usecases.operations.count_days import count_days
from tests.support.accounts import ADMIN, ask
from tests.support.replaced_accounts import pass_time
from tests.support.sample_hotel import KABUL, SILK, play

PRICE = {"vendor": "ttlock", "currency": "EUR", "issue": "0.02", "revoke": "0.005", "lockMonth": "1.5"}
DAY = Ref("day_figures", f"{KABUL}.2026-03-01")


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
        await night(house)
        assert await month(house, "2026-03") == told
        await pass_time(house, timedelta(days=31))
        assert (await month(house, "2026-04"))["rows"][0]["issued"] == 0
        assert (await month(house, "2026-02"))["rows"][0]["issued"] == 0

    play(tmp_path, scenario)


def silk(house):
    return house.fleet.platform.documents.tenant(SILK)


async def night(house):
    """Count what is over tomorrow."""
    platform = house.fleet.platform
    await count_days((SILK,), platform.documents, platform.clock.now() + timedelta(days=1), platform.log)


async def looked(house):
    """Return what a look at the month's costs tells of keys, and how many documents it reads."""
    before = house.fleet.counters["document_reads"]
    (row,) = (await costs(silk(house), "2026-03"))["rows"]
    return row["issued"], house.fleet.counters["document_reads"] - before


async def many_more(house, keys):
    """Tell of so many keys more that were issued on the same day."""
    rows = await silk(house).query(DAYS, {}, limit=100)
    (one,) = [each for each in rows if each.data["subject"].startswith("melmastoon.lock.credential.issued.")]
    for each in range(keys):
        body = {**one.data, "aggregateId": f"krd_{each}", "sequence": 1}
        await silk(house).commit([Create(row_ref(f"krd_{each}", 1), body)])


def test_a_look_at_a_month_reads_no_more_however_many_keys_it_had(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", reservationId="rsv_1", rooms=["rmu_101"])
        await house.keys_active(1)
        _, of_rows = await looked(house)
        await night(house)
        issued, few = await looked(house)
        assert (issued, few < of_rows) == (1, True)
        await many_more(house, 200)
        await night(house)
        assert await looked(house) == (201, few)

    play(tmp_path, scenario)


def test_days_that_an_older_release_counted_are_counted_anew(tmp_path):
    async def scenario(house):
        await house.publish("evt_1", reservationId="rsv_1", rooms=["rmu_101"])
        await house.keys_active(1)
        store = silk(house)
        await night(house)
        (day, note) = [await store.get(each) for each in (DAY, Ref("day_counts", "days"))]
        older = {name: value for name, value in day.data.items() if name != "vendors"}
        was = {**note.data, "schema_version": 1}
        await store.commit([Update(DAY, older, day.version), Update(note.ref, was, note.version)])
        assert (await looked(house))[0] == 1  # of its rows, until it is counted anew
        for _ in range(3):
            await night(house)
        assert (await store.get(DAY)).data["vendors"] == day.data["vendors"]
        assert (await counted_up_to(store)).day == note.data["day"]
        assert (await looked(house))[0] == 1

    play(tmp_path, scenario)


def test_days_whose_rows_are_gone_and_that_told_of_no_vendor_are_said_to_be_uncounted(tmp_path):
    async def scenario(house):
        await ask(house, ADMIN, "vendor-prices", PRICE, "PUT")
        await house.publish("evt_1", reservationId="rsv_1", rooms=["rmu_101"])
        await house.keys_active(1)
        await night(house)
        store = silk(house)
        day = await store.get(DAY)
        older = {name: value for name, value in day.data.items() if name != "vendors"}
        await store.commit([Update(DAY, older, day.version)])
        told = await month(house, "2026-03")
        (row,) = told["rows"]
        assert (row["countedSince"], "cost" in row, told["sums"]) == ("2026-03-02", False, {})
        (row,) = (await month(house, "2026-04"))["rows"]
        assert ("countedSince" in row, row["currency"]) == (False, "EUR")

    play(tmp_path, scenario)


def test_what_two_days_took_is_added_and_the_rank_s_class_is_told():
    one = VendorDay(vendor="ttlock", issued=19, took=(Took(1000, 18), Took(2000, 1)))
    other = VendorDay(vendor="ttlock", issued=1, failed=1, took=(Took(60_000, 1),))
    both = one + other
    assert (both.issued, both.failed, both.took) == (20, 1, (*one.took, *other.took))
    assert (one + one).took == (Took(1000, 36), Took(2000, 2))
    assert [both.took_at_most(part) for part in (0.5, 0.95, 1)] == [1000, 2000, 60_000]
    assert VendorDay(vendor="ttlock").took_at_most(0.95) is None


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
