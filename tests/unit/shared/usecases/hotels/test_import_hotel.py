"""A description sets up the property that it was sent to, and no other."""

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import PropertyId
from shared.usecases.hotels.import_hotel import HotelPlan

HERE, THERE = PropertyId("ppt_here"), "ppt_there"
ROOM = {"id": "rmu_1", "label": "1", "floor": "1"}
PLACE = {"name": "Here", "zone": "Europe/Paris"}


def test_a_part_that_says_its_own_property_is_read():
    told = {"property": {**PLACE, "id": str(HERE)}, "rooms": [{**ROOM, "property_id": str(HERE)}]}
    plan = HotelPlan.of(HERE, told)
    assert (plan.property.id, plan.rooms[0].property_id) == (HERE, HERE)


@pytest.mark.parametrize(
    ("field", "told"),
    [
        ("property.id", {"property": {**PLACE, "id": THERE}}),
        ("rooms[0].property_id", {"property": PLACE, "rooms": [{**ROOM, "property_id": THERE}]}),
    ],
)
def test_a_part_of_another_property_is_refused(field, told):
    with pytest.raises(InvalidInput) as refusal:
        HotelPlan.of(HERE, told)
    assert refusal.value.field == field
