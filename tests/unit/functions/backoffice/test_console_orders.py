"""What somebody orders at the console is done by another function, once, and never against the state."""

import asyncio

from shared.domain.ids import PropertyId, UserId
from shared.domain.permissions import Role
from shared.usecases.hotels.staff_access import stop_person
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import DOORS, SILK, play
from tests.unit.functions.backoffice.test_console import Browser, check
from tests.workflows.residues.test_residues_closed_by_hand import left_at_both_doors, proofs

GUARD = (Role.SECURITY,)


def test_a_guard_who_was_at_the_door_closes_a_residue_and_a_guard_of_another_house_cannot(tmp_path):
    async def scenario(house):
        front, _ = await left_at_both_doors(house)
        guard = Browser(house.on, roles=GUARD)
        await guard.sign_in()
        seen = check(await guard.go("residues"))
        assert f'name="id" value="{front}"' in seen
        stranger = Browser(house.on, roles=GUARD, at=frozenset({PropertyId("ppt_herat")}))
        await stranger.sign_in()
        assert (await stranger.go("residues", {"id": front})).status == 404
        watching = Browser(house.on, roles=(Role.HOUSEKEEPING_LEAD,))
        await watching.sign_in()
        assert 'name="id"' not in check(await watching.go("residues"))
        assert (await watching.go("residues", {"id": front})).status == 403
        assert await proofs(house) == []
        assert "Asked for" in check(await guard.go("residues", {"id": front}))
        await asyncio.sleep(5)
        assert await proofs(house) == [("closed_by_staff", "usr_1")]
        assert front not in check(await guard.go("residues"))
        assert (await guard.go("residues", {"id": front})).status == 409
        await asyncio.sleep(400)
        assert (await guard.go("residues", {"id": front})).status == 401  # not proven of late

    play(tmp_path, scenario)


def test_what_the_state_refuses_is_noted_and_not_tried_again(tmp_path):
    async def scenario(house):
        front, _ = await left_at_both_doors(house)
        order = {"tenant": "tnt_silk", "by": "usr_1"}
        for body, problem in (
            ({**order, "do": "close-residue", "grant": "grt_01KSAMP1E00000000000000001"}, "no such grant"),
            ({**order, "do": "retry-key"}, "not named"),
            ({**order, "do": "reveal-pin", "grant": front}, "nothing that a console orders"),
        ):
            status, answer = await house.on.send("console-orders", body, caller="cloud-tasks")
            assert (status, answer) == (200, {"refused": problem})
        status, _ = await house.on.send("console-orders", {**order, "do": "x"}, caller="backoffice-console")
        assert status == 403
        assert house.on.log.getvalue().count("an order of the console was refused") == 3

    play(tmp_path, scenario)


def test_a_guard_who_is_stopped_orders_nothing_more_and_what_was_ordered_before_is_refused(tmp_path):
    async def scenario(house):
        front, _ = await left_at_both_doors(house)
        guard, on = Browser(house.on, roles=GUARD), house.fleet.platform
        await guard.sign_in()
        check(await guard.go("residues"))
        await stop_person(UserId("usr_1"), on.clock.now(), on.documents.tenant(SILK))
        assert 'name="token"' in check(await guard.go("residues", {"id": front}))
        order = {"tenant": str(SILK), "by": "usr_1", "do": "close-residue", "grant": front}
        status, answer = await house.on.send("console-orders", order, caller="cloud-tasks")
        assert (status, answer) == (200, {"refused": "stopped since"})
        assert await proofs(house) == []

    play(tmp_path, scenario)


def test_a_clerk_has_the_lock_asked_and_reads_what_it_says_now_and_not_what_was_kept(tmp_path):
    async def scenario(house):
        await Desk(house).do("stays", stay(reservation="rsv_1", validFrom="2026-03-01T09:10:00Z"))
        await asyncio.sleep(700)
        clerk = Browser(house.on, roles=(Role.FRONT_DESK,))
        await clerk.sign_in()
        await house.steer("PATCH", f"locks/{DOORS['101']}", skew_seconds=-4 * 3600)
        kept = check(await clerk.go("explain?id=rsv_1"))
        assert "Nothing is known that is wrong" in kept
        assert "This lock was looked at:" in kept
        asked = check(await clerk.go("explain", {"id": "rsv_1"}))
        assert "The lock was asked just now." in asked
        assert "The lock’s clock is wrong" in asked
        await house.fault("drop", "lock/queryDate", times=1000)
        await house.fault("drop", "lock/detail", times=1000)
        await house.fault("drop", "lock/listKeyboardPwd", times=1000)
        assert "No answer in time: this was known before." in check(await clerk.go("explain", {"id": "101"}))

    play(tmp_path, scenario)


def test_nobody_has_locks_of_another_house_asked(tmp_path):
    async def scenario(house):
        await Desk(house).do("stays", stay(reservation="rsv_1", validFrom="2026-03-01T09:10:00Z"))
        await asyncio.sleep(700)
        stranger = Browser(house.on, roles=(Role.FRONT_DESK,), at=frozenset({PropertyId("ppt_herat")}))
        await stranger.sign_in()
        assert (await stranger.go("explain", {"id": "rsv_1"})).status == 404
        watching = Browser(house.on, roles=(Role.CONCIERGE,))
        await watching.sign_in()
        assert (await watching.go("explain", {"id": "rsv_1"})).status == 403
        assert "an order of the console" not in house.on.log.getvalue()

    play(tmp_path, scenario)


def test_what_puts_an_arrival_at_risk_is_told_by_the_name_on_the_door(tmp_path):
    async def scenario(house):
        desk = Desk(house)
        await desk.do("stays", stay(reservation="rsv_1", validFrom="2026-03-01T12:00:00Z"))
        await asyncio.sleep(10)
        await desk.do("stays/rsv_1/hold", {"reason": "fraud_review"})
        await asyncio.sleep(10)
        clerk = Browser(house.on, roles=(Role.FRONT_DESK,))
        await clerk.sign_in()
        ahead = check(await clerk.go("ahead"))
        assert "Room 101: the key rests" in ahead
        assert "lck_" not in ahead

    play(tmp_path, scenario)


def test_the_clock_of_a_lock_that_nobody_looked_at_is_not_called_right(tmp_path):
    async def scenario(house):
        clerk = Browser(house.on, roles=(Role.FRONT_DESK,))
        await clerk.sign_in()
        before = check(await clerk.go("locks"))
        assert "Never looked at" in before
        assert "<span>Right</span>" not in before

    play(tmp_path, scenario)
