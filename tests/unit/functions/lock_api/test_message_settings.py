"""How a hotel writes to its guests is set over HTTP and by an operator, and counts from the next message."""

import asyncio

from shared.domain.permissions import Role
from tests.support.api_desk import Desk
from tests.support.guests import GUEST
from tests.support.sample_hotel import play

OF_HOTEL, OF_TENANT = "properties/ppt_kabul/message-settings", "message-settings"
TOLD = {"phone": "+93 20 210 0000", "linkBase": "https://keys.silk.example/k"}
ASKED = {"do": "settings", "tenant": "tnt_silk", "by": "usr_1"}


async def written_to(house):
    """Return how many notices there are after another booking."""
    await house.publish("evt_1", guest=GUEST)
    await asyncio.sleep(20)
    return len(await house.documents("notices"))


def test_settings_are_made_seen_changed_as_they_were_seen_and_dropped(tmp_path):
    async def scenario(house):
        admin = Desk(house, Role.TENANT_ADMIN, Role.AUDITOR, at=None)
        assert (await admin.ask("GET", OF_HOTEL)).status == 404
        made = await admin.ask("PUT", OF_HOTEL, {**TOLD, "quietFrom": 23, "wallets": ["apple"]})
        assert (made.status, made.body["quietFrom"], made.body["renewsCodes"]) == (200, 23, False)
        seen = await admin.ask("GET", OF_HOTEL)
        assert seen.body == made.body
        version = seen.headers["etag"]
        unseen = [await admin.ask("PUT", OF_HOTEL, TOLD), await admin.ask("DELETE", OF_HOTEL)]
        assert [each.status for each in unseen] == [428, 428]
        changed = await admin.ask("PUT", OF_HOTEL, {**TOLD, "sms": False, "locale": "ps"}, if_match=version)
        assert (changed.body["sms"], changed.body["wallets"], changed.body["quietFrom"]) == (False, [], 22)
        assert (await admin.ask("PUT", OF_HOTEL, TOLD, if_match=version)).status == 412
        assert await written_to(house) == 1
        (notice,) = (await house.documents("notices")).values()
        assert "sms" not in notice

        assert (await admin.ask("GET", OF_TENANT)).status == 404
        await admin.do(OF_TENANT, {**TOLD, "sender": "Silk Road"}, method="PUT")
        assert (await admin.get(OF_TENANT))["sender"] == "Silk Road"
        assert (await admin.ask("DELETE", OF_HOTEL, if_match="*")).body == {"place": "ppt_kabul"}
        assert (await admin.ask("GET", OF_HOTEL)).status == 404

    play(tmp_path, scenario)


def test_settings_that_do_not_fit_name_their_field_and_strangers_change_nothing(tmp_path):
    async def scenario(house):
        admin, clerk = Desk(house, Role.TENANT_ADMIN, at=None), Desk(house, Role.FRONT_DESK)
        for wrong, field in (
            ({"linkBase": "http://keys.silk.example"}, "linkBase"),
            ({"statusBase": "keys.silk.example"}, "statusBase"),
            ({"quietFrom": 24}, "quietFrom"),
            ({"locale": "de"}, "locale"),
            ({"wallets": ["samsung"]}, "wallets"),
            ({"phone": ""}, "phone"),
            ({"token": "x"}, "token"),
        ):
            told = await admin.ask("PUT", OF_HOTEL, {**TOLD, **wrong})
            assert told.status == 400, wrong
            assert field in str(told.body), told.body
        assert (await clerk.ask("PUT", OF_HOTEL, TOLD)).status == 403
        assert (await Desk(house, Role.GM).ask("PUT", OF_TENANT, TOLD)).status == 403
        assert (await admin.ask("PUT", "properties/ppt_nowhere/message-settings", TOLD)).status == 404
        assert await house.documents("message_settings") == {}

    play(tmp_path, scenario)


def test_an_operator_sees_settings_and_changes_one_without_the_others(tmp_path):
    async def scenario(house):
        async def ask(**more):
            return await house.on.send("guest-messages", {**ASKED, **more}, caller="operator")

        assert await ask() == (200, {"place": "tenant", "settings": None})
        status, refused = await ask(sms=False)
        assert (status, refused["error"]["field"]) == (400, "phone")
        first = {"phone": TOLD["phone"], "link_base": TOLD["linkBase"]}
        _, made = await ask(property="ppt_kabul", **first, wallets=["google", "google"])
        assert made["settings"]["wallets"] == ["google"]
        _, changed = await ask(property="ppt_kabul", sms=False)
        assert changed["settings"] == {**made["settings"], "sms": False}
        for wrong, field in (
            ({"sms": "no"}, "sms"),
            ({"quiet_from": True}, "quiet_from"),
            ({"locale": "de"}, "locale"),
            ({"wallets": ["samsung"]}, "wallets"),
            ({"sms": True, "by": "nobody"}, "by"),
        ):
            status, refused = await ask(property="ppt_kabul", **wrong)
            assert (status, refused["error"]["field"]) == (400, field)
        assert (await ask(property="ppt_kabul"))[1] == changed

    play(tmp_path, scenario)
