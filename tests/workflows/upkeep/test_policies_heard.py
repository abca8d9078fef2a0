"""What a tenant wants of its keys is kept for properties that are set up, and set aside for others."""

import orjson

from shared.ports.bus import Message
from shared.ports.documents import Create, Ref
from tests.support.sample_hotel import KABUL, SILK, play

SUBJECT = "melmastoon.tenant.config_updated.v1"


async def tell(house, property_id, **settings):
    document = {
        "specVersion": "1.0",
        "id": "evt_policy",
        "subject": SUBJECT,
        "time": "2026-03-01T09:00:00Z",
        "tenantId": str(SILK),
        "data": {"keyKindPolicy": settings, "propertyId": property_id},
    }
    await house.fleet.bus.publish(SUBJECT, [Message(orjson.dumps(document))])
    await house.settled()


def test_a_policy_of_no_property_is_set_aside_with_field_and_remedy_and_holds_once_it_is_set_up(tmp_path):
    async def scenario(house):
        await tell(house, "ppt_nowhere", pinDigits=8)
        (notes,) = house.quarantined()
        assert notes["field"] == "data.propertyId"
        assert "set up the property" in notes["remedy"]
        assert "ppt_nowhere" not in await house.documents("policies")
        kabul = (await house.documents("properties"))[KABUL]
        nowhere = Ref("properties", "ppt_nowhere")
        await house.fleet.documents.tenant(SILK).commit([Create(nowhere, {**kabul, "id": nowhere.id})])
        house.fleet.platform.hotels.forget(SILK)
        await house.fleet.bus.dead_letters.replay([house.fleet.bus.dead_letters.page()[0].id])
        await house.settled()
        assert house.quarantined() == []
        hotel = await house.fleet.platform.hotels.premises(SILK, "ppt_nowhere")
        assert hotel.policy.pin_digits == 8

    play(tmp_path, scenario)


def test_a_policy_of_a_property_that_is_set_up_is_kept(tmp_path):
    async def scenario(house):
        await tell(house, str(KABUL), pinDigits=8)
        assert house.quarantined() == []
        assert (await house.fleet.platform.hotels.premises(SILK, KABUL)).policy.pin_digits == 8

    play(tmp_path, scenario)
