"""Orders to locks go to the staff's API as the operator, and each is told as it ended (C §14)."""

import asyncio

from infra.local.identity import signed_token
from infra.local.people import LIFETIME_SECONDS, PEOPLE_ISSUER
from infra.local.simulation.loop import run_virtually
from shared.domain.permissions import Role
from shared.events.backoffice.catalogue import ROOT
from tests.support.backoffice_desk import KABUL, SILK, BackofficeDesk
from tests.support.pacts import interactions, mismatches
from tests.support.sample_hotel import SampleHotel, hunted
from tests.support.simulated import simulated_fleet

STAY = "reservations/rsv_9"
ISSUE = {"rooms": ["rmu_101"], "validFrom": "2026-03-02T09:30:00Z", "validUntil": "2026-03-05T07:30:00Z"}


class OpenHotel(SampleHotel):
    """A hotel whose fleet reaches itself, as it does on a machine."""

    async def send(self, call):
        if call.url.startswith(self.fleet.config.base_url):
            return await self.fleet.means.transport.send(call)
        return await super().send(call)


def play(home, scenario):
    """Run a scenario in such a hotel."""

    async def main(clock):
        house = OpenHotel(clock, 0)
        async with simulated_fleet(home, clock, 0, outside=house) as on:
            house.on = on
            return await hunted(house, scenario)

    return run_virtually(main, 0)


def with_second_factor(on, user="usr_1"):
    """Return a token whose issuer attests two factors just now."""
    people, now = on.fleet.people, int(on.fleet.platform.clock.now().timestamp())
    claims = {
        "iss": PEOPLE_ISSUER,
        "aud": on.fleet.config.base_url,
        "sub": user,
        "tenantId": SILK,
        "propertyScope": [KABUL],
        "roles": ["gm"],
        "amr": ["pwd", "mfa"],
        "auth_time": now,
        "iat": now,
        "exp": now + LIFETIME_SECONDS,
    }
    return f"Bearer {signed_token(people._key, claims)}"


def test_each_order_is_done_as_the_operator_and_told(tmp_path):
    async def scenario(house):
        on = house.on
        desk = BackofficeDesk(on)
        await desk.sign_in()
        issue = f"properties/{KABUL}/{STAY}/issue"
        status, said = await desk.ask("POST", issue, ISSUE, **{"idempotency-key": "one"})
        assert status < 300, said
        await asyncio.sleep(10)
        assert len(await house.keys_at("101")) == 1
        await desk.ask("POST", issue, ISSUE, **{"idempotency-key": "one"})
        assert (await desk.ask("POST", f"{STAY}/rebind", {"rooms": ["rmu_102"]}))[0] < 300
        await asyncio.sleep(20)
        assert (len(await house.keys_at("101")), len(await house.keys_at("102"))) == (0, 1)
        assert (await desk.ask("POST", f"{STAY}/extend", {"validUntil": "2026-03-06T07:30:00Z"}))[0] < 300
        await asyncio.sleep(20)
        refused = await desk.ask("POST", f"{STAY}/extend", {"validUntil": "2026-03-01T07:30:00Z"})
        assert refused[0] >= 400
        await revoke(desk, house)
        assert (await desk.ask("DELETE", f"sessions/{desk.session}"))[0] == 200
        await asyncio.sleep(3)
        await check_told(desk)

    play(tmp_path, scenario)


async def revoke(desk, house):
    board = f"properties/{KABUL}/workbench/arrivals"
    assert (await desk.ask("GET", board))[1]["items"] == []
    key = next(iter(await house.documents("credentials")))
    lost = {"reason": "lost", "attest": True}
    assert (await desk.ask("POST", f"keys/{key}/revoke", lost))[0] == 401
    fresh = {"authorization": with_second_factor(house.on)}
    assert (await desk.ask("POST", f"keys/{key}/revoke", lost, **fresh))[0] < 300
    await asyncio.sleep(20)
    assert await house.keys_at("102") == []


async def check_told(desk):
    whole = await desk.told("lock.action_proxied")
    relied_on = interactions("audit-lake--bff-backoffice-service")[f"{ROOT}.lock.action_proxied.v1"]
    assert [mismatches(each, relied_on) for each in whole] == [[]] * len(whole)
    told = [each["payload"] for each in whole]
    assert [(each["action"], each["outcome"], each["mfaAttestationUsed"]) for each in told] == [
        ("issue", "success", False),
        ("issue", "success", False),
        ("rebind", "success", False),
        ("extend", "success", False),
        ("extend", "failure", False),
        ("revoke", "success", True),
    ]
    assert {each["vendor"] for each in told} <= {"ttlock", "none"}
    assert told[4]["errorCode"].startswith("MELMASTOON.LOCK.")
    (closed,) = await desk.told("session.closed")
    # The order that asked for a second factor first is counted, for it was asked; it was not passed on.
    assert closed["payload"]["lockProxyCount"] == 7


def test_what_an_operator_may_not_do_is_refused_by_the_api_itself_and_told(tmp_path):
    async def scenario(house):
        maid = BackofficeDesk(house.on, roles=(Role.HOUSEKEEPER,))
        await maid.sign_in()
        assert (await maid.ask("POST", f"properties/{KABUL}/{STAY}/issue", ISSUE))[0] == 403
        await asyncio.sleep(3)
        (told,) = await maid.told("lock.action_proxied")
        assert (told["payload"]["outcome"], told["payload"]["errorCode"]) == (
            "failure",
            "MELMASTOON.LOCK.FORBIDDEN",
        )
        assert told["payload"]["vendor"] == "none"
        assert (await maid.ask("POST", "reservations/rsv_404/extend", {"validUntil": ISSUE["validUntil"]}))[
            0
        ] == 404

    play(tmp_path, scenario)
