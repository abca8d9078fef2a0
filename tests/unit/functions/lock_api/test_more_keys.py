"""More keys of a stay over HTTP: one that opens once, and the backup code of the room."""

import asyncio

from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import play
from tests.workflows.stays.test_backup_codes import kept


def test_key_that_opens_once_and_the_backup_code_are_ordered_at_the_desk(tmp_path):
    async def scenario(house):
        await house.policy(backupCodes=True)
        code = (await kept(house))["rmu_101"]["key"]
        desk = Desk(house)
        booked = await desk.do("stays", stay(validFrom="2026-03-01T08:00:00Z"))
        await asyncio.sleep(5)
        key = booked["keys"][0]["id"]
        once = await desk.do(f"credentials/{key}/once", {})
        assert once["key"] == key != once["once"]
        out = await desk.do(f"stays/{booked['reservation']}/backup", {"reason": "the PIN is refused"})
        assert (out["key"], out["reservation"]) == (code, booked["reservation"])
        assert out["following"] not in (code, None)
        refused = await desk.ask(
            "POST", f"stays/{booked['reservation']}/backup", {"reason": "x", "room": "rmu_204"}
        )
        assert (refused.status, refused["code"]) == (409, "conflict")
        unsaid = await desk.ask("POST", f"stays/{booked['reservation']}/backup", {})
        assert unsaid.status == 400

    play(tmp_path, scenario)
