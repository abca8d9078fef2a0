"""A change that is asked for again by its key is made once, and answered as it was."""

import asyncio

from shared.domain.permissions import Role
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import play


def test_the_same_request_is_one_stay_and_one_answer_and_another_is_refused(tmp_path):
    async def scenario(house):
        desk, key = Desk(house), {"idempotency_key": "a-uuid"}
        first = await desk.ask("POST", "stays", stay(), **key)
        await asyncio.sleep(90)
        second = await desk.ask("POST", "stays", dict(reversed(stay().items())), **key)
        assert (first.status, first.body) == (second.status, second.body)
        assert "idempotent-replayed" not in first.headers
        assert (second.headers["idempotent-replayed"], second.headers["etag"]) == (
            "true",
            first.headers["etag"],
        )
        assert len(await house.documents("reservations")) == len(await house.keys()) == 1

        other = await desk.ask("POST", "stays", stay(rooms=["rmu_102"]), **key)
        assert (other.status, other["code"]) == (422, "key-reused")
        elsewhere = await desk.ask("POST", f"stays/{first['reservation']}/check-out", stay(), **key)
        assert elsewhere.status in (400, 422)
        assert (await desk.get(f"stays/{first['reservation']}"))["status"] == "confirmed"

        # Another's key of the same name is another key.
        other = await Desk(house, user="usr_8").ask("POST", "stays", stay(rooms=["rmu_102"]), **key)
        assert (other.status, other["reservation"] == first["reservation"]) == (200, False)
        assert (await desk.ask("POST", "stays", stay(), idempotency_key="")).status in (200, 400)
        assert (await desk.ask("POST", "stays", stay(), idempotency_key="x" * 256)).status == 400

    play(tmp_path, scenario)


def test_a_request_that_broke_off_before_its_answer_was_kept_is_made_as_the_same_event(tmp_path):
    async def scenario(house):
        desk, key = Desk(house), {"idempotency_key": "a-uuid"}
        both = await asyncio.gather(*(desk.ask("POST", "stays", stay(), **key) for _ in range(5)))
        assert {each.status for each in both} == {200}
        assert len({each["reservation"] for each in both}) == 1
        (name,) = (await house.documents("api_requests")).keys()
        await house.change("api_requests", name, lambda data: {**data, "answer": None})
        await asyncio.sleep(60)
        late = await desk.ask("POST", "stays", stay(), **key)
        assert (late.status, len(late["heard"])) == (200, 1)
        assert len(await house.keys()) == 1

    play(tmp_path, scenario)


def test_whoever_works_elsewhere_by_now_is_not_given_the_kept_answer(tmp_path):
    async def scenario(house):
        key = {"idempotency_key": "a-uuid"}
        assert (await Desk(house).ask("POST", "stays", stay(), **key)).status == 200
        moved = await Desk(house, at=("ppt_herat",)).ask("POST", "stays", stay(), **key)
        assert moved.status == 404
        lower = await Desk(house, Role.CONCIERGE).ask("POST", "stays", stay(), **key)
        assert lower.status == 403

    play(tmp_path, scenario)
