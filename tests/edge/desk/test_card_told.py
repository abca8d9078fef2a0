"""A guest whose key is a card is told that it waits at the desk, by mail alone: nothing rings for it."""

import asyncio

import orjson

from functions.notifications.carriers import MAIL_LINES
from infra.catchers.outbox import Outbox
from shared.domain.secret import Secret
from tests.edge.desk.paired_desk import play_desk
from tests.edge.desk.test_alone_and_back import booked, opened
from tests.edge.desk.test_console import signed_in
from tests.support.guests import GUEST, SILK, settle
from tests.support.told_hotel import ACCOUNTS, CaughtLines


def test_a_card_that_was_made_is_told_by_mail_alone_in_the_hotels_own_name(tmp_path):
    async def scenario(house, desk):
        on, outbox = house.fleet.platform, Outbox(desk.clock.now)
        await settle(house, sender="Silk Road, front desk")
        on.kept[MAIL_LINES] = CaughtLines(outbox, [])
        for way, account in ACCOUNTS.items():
            await on.secrets.add(f"notify-{way}-{SILK}-api", Secret(orjson.dumps(account)))
        await opened(desk)
        await booked(house, desk, guest={**GUEST, "locale": "en"})
        while not await desk.agent.post.pull():  # noqa: ASYNC110 - a desk pulls, and is told nothing
            await asyncio.sleep(5)
        assert outbox.listed() == []
        desk.agent.reach.heard()
        screen = await signed_in(desk)
        desk.lay_down()
        await screen.press("/issue", reservation="rsv_1")
        await desk.agent.post.pull()
        await asyncio.sleep(20)
        (mail,) = outbox.listed()
        assert (mail.channel, mail.to) == ("email", "canary@guest.test")
        assert "Silk Road, front desk" in mail.sender
        assert "key card is ready" in mail.subject
        assert "at the front desk" in mail.text
        (notice,) = (await house.documents("notices")).values()
        assert (notice["kind"], notice["outcome"]) == ("rfid_card.ready_at_desk", "reached")

    play_desk(tmp_path, scenario)
