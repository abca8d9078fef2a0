"""Break-glass: asked for by one, agreed to by two, shown sealed for a while; then the account is changed."""

import asyncio
import base64
from datetime import timedelta

import orjson
import pytest
from nacl.public import PrivateKey, SealedBox

from tests.support.accounts import ADMIN, GUARD, MANAGER, OTHER, account, ask, bring
from tests.support.replaced_accounts import (
    NEXT,
    alerts,
    assert_hidden,
    died,
    entries,
    pass_time,
    sweep,
    untold,
    used,
)
from tests.support.sample_hotel import KABUL, play
from tests.support.vendors import TTLOCK

KEY = PrivateKey.generate()
WISH = {
    "propertyId": KABUL,
    "vendor": "ttlock",
    "incident": "INC-7",
    "because": "vendor_outage",
    "minutes": 30,
    "sealTo": base64.b64encode(bytes(KEY.public_key)).decode(),
}
GLASS = "break-glass"


async def asked_for(house, **other):
    status, answer = await ask(house, GUARD, GLASS, {**WISH, **other})
    assert status == 202, answer
    await asyncio.sleep(2)
    return answer["breakGlassId"]


async def judge(house, who, glass, verdict="agreed"):
    status, answer = await ask(house, who, f"{GLASS}/{glass}/verdict", {"verdict": verdict})
    await asyncio.sleep(2)
    return status if status != 200 else answer["stage"]


async def seen(house, glass, who=GUARD):
    status, answer = await ask(house, who, f"{GLASS}/{glass}")
    assert status == 200, answer
    return answer


def opened(answer):
    return orjson.loads(SealedBox(KEY).decrypt(base64.b64decode(answer["sealedAccount"])))


async def close_and_replace(house, glass, before):
    """Close before time, and bring the next account."""
    status, closed = await ask(house, GUARD, f"{GLASS}/{glass}/closing", {})
    assert (status, closed["stage"], closed["endedBy"]) == (200, "closed", GUARD)
    assert "sealedAccount" not in await seen(house, glass)
    await asyncio.sleep(2)
    shown = await account(house, TTLOCK)
    assert (shown["stage"], shown["because"], shown["begunBy"]) == ("awaiting", "break_glass", GUARD)
    await house.steer("PATCH", f"applications/{before['clientId']}", secret=NEXT)
    await bring(house, TTLOCK, {**before, "clientSecret": NEXT})
    await asyncio.sleep(600)
    assert (await account(house, TTLOCK))["stage"] == "resting"


async def assert_logged(house):
    """Check that the audit log holds who asked, agreed, looked and closed; and that it was told."""
    told = entries(house)
    assert [(each["action"], each["operator"], len(each.get("approvers", ()))) for each in told[:5]] == [
        ("glass_asked", GUARD, 0),
        ("glass_approved", MANAGER, 1),
        ("glass_opened", OTHER, 2),
        ("glass_shown", GUARD, 2),
        ("glass_closed", GUARD, 2),
    ]
    assert {(each["reason"], each["incident"]) for each in told[:5]} == {("vendor_outage", "INC-7")}
    assert told[4]["approvers"] == [MANAGER, OTHER]
    assert (told[5]["action"], told[5]["reason"]) == ("rotation_begun", "break_glass")
    assert await untold(house) == 0


def test_two_others_agree_the_account_is_read_by_who_asked_alone_and_replaced_with_its_end(tmp_path):
    async def scenario(house):
        _, before = await used(house, TTLOCK)
        glass = await asked_for(house)
        assert "sealedAccount" not in await seen(house, glass)
        assert await judge(house, MANAGER, glass) == "asked"
        assert await judge(house, MANAGER, glass) == 400, "agreed already"
        assert "sealedAccount" not in await seen(house, glass)
        assert await judge(house, OTHER, glass) == "open"
        assert opened(await seen(house, glass)) == before
        assert "sealedAccount" not in await seen(house, glass, MANAGER)
        assert alerts(house) == ["break-glass is asked for", "the glass is broken"]
        await close_and_replace(house, glass, before)
        assert (await used(house, TTLOCK))[1]["clientSecret"] == NEXT
        assert alerts(house)[-1] == "the glass is closed"
        status, listed = await ask(house, MANAGER, GLASS)
        (kept,) = listed["incidents"]
        assert (status, kept["incident"], kept["stage"]) == (200, "INC-7", "closed")
        assert [each["by"] for each in kept["approvals"]] == [MANAGER, OTHER]
        await assert_hidden(house, before["clientSecret"], before["passwordMd5"], NEXT)
        await assert_logged(house)

    play(tmp_path, scenario)


@pytest.mark.parametrize("dead", [False, True], ids=["by its execution", "by the sweeper"])
def test_the_clock_closes_what_nobody_closes(tmp_path, dead):
    async def scenario(house):
        glass = await asked_for(house, minutes=5)
        for who in (MANAGER, OTHER):
            await judge(house, who, glass)
        if dead:
            engine = house.fleet.means.engine
            ((execution,),) = engine.read("SELECT id FROM executions WHERE workflow = 'break_glass'", ())
            await house.fleet.sagas.cancel(execution)
            await pass_time(house, timedelta(minutes=6))
            assert "sealedAccount" not in await seen(house, glass), "before anybody closed it"
            await sweep(house)
        else:
            await asyncio.sleep(400)
        shown = await seen(house, glass)
        assert (shown["stage"], shown["endedBy"]) == ("closed", "clock")
        assert (await account(house, TTLOCK))["because"] == "break_glass"

    play(tmp_path, scenario)


def test_glass_whose_asker_s_process_died_is_taken_up_within_its_first_minute(tmp_path, monkeypatch):
    async def scenario(house):
        _, before = await used(house, TTLOCK)
        with monkeypatch.context() as dying:
            dying.setattr("shared.usecases.accounts.break_glass._begin", died)
            assert (await ask(house, GUARD, GLASS, WISH))[0] >= 500
        _, listed = await ask(house, MANAGER, GLASS)
        (glass,) = (each["breakGlassId"] for each in listed["incidents"])
        assert await judge(house, MANAGER, glass) == "asked"
        assert await judge(house, OTHER, glass) == "open"
        assert "sealedAccount" not in await seen(house, glass)
        await asyncio.sleep(15)
        await sweep(house)
        await asyncio.sleep(5)
        assert opened(await seen(house, glass)) == before
        await asyncio.sleep(1900)
        assert (await seen(house, glass))["endedBy"] == "clock"

    play(tmp_path, scenario)


def test_without_two_who_agree_in_time_nothing_is_shown_nor_replaced(tmp_path):
    async def scenario(house):
        late, refused = await asked_for(house), await asked_for(house, incident="INC-8")
        assert await judge(house, MANAGER, late) == "asked"
        assert await judge(house, MANAGER, refused, "refused") == "refused"
        assert await judge(house, OTHER, refused) == 400, "it is over"
        await asyncio.sleep(2000)
        assert (await seen(house, late))["stage"] == "expired"
        assert await judge(house, OTHER, late) == 400, "it is late"
        status, listed = await ask(house, ADMIN, "vendor-accounts")
        assert (status, listed["accounts"]) == (200, [])

    play(tmp_path, scenario)


def test_who_asks_cannot_agree_and_who_may_not_hears_nothing(tmp_path):
    async def scenario(house):
        status, mine = await ask(house, MANAGER, GLASS, WISH)
        assert status == 202
        glass = mine["breakGlassId"]
        assert await judge(house, MANAGER, glass) == 400
        assert await judge(house, GUARD, glass) == 403
        assert (await ask(house, "usr_clerk", f"{GLASS}/{glass}"))[0] == 403
        assert (await ask(house, GUARD, f"{GLASS}/{glass}", at=["ppt_herat"]))[0] == 404
        for wrong in ({"minutes": 61}, {"incident": ""}, {"sealTo": "A" * 44}, {"vendor": "generic-wiegand"}):
            assert (await ask(house, GUARD, GLASS, {**WISH, **wrong}))[0] == 400, wrong

    play(tmp_path, scenario)
