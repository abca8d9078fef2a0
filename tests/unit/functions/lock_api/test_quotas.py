"""What vendors may be asked still is told to a hotel's company, and to no other whose calls they are too."""

import asyncio

from shared.domain.ids import TenantId
from shared.domain.permissions import Role
from shared.ledger.admission import RECORD
from shared.ports.documents import Create
from tests.support.api_desk import Desk, stay
from tests.support.sample_hotel import play


def test_a_hotel_sees_what_is_left_of_its_vendors_calls_while_its_company_is_alone_in_the_cell(tmp_path):
    async def scenario(house):
        desk = Desk(house, Role.FRONT_DESK)
        await desk.do("stays", stay())
        await asyncio.sleep(5)
        told = await desk.get("quotas")
        assert told["property"] == "ppt_kabul"
        (vendor,) = told["vendors"]
        assert (vendor["vendor"], vendor["answers"], vendor["locks"] > 1) == ("ttlock", True, True)
        (application,) = vendor["applications"]
        assert application["application"].startswith("ttlock:")
        assert application["calls"] > 0
        assert (await desk.ask("GET", "quotas?property=ppt_herat")).status == 404
        on = house.fleet.platform
        another = {"schema_version": 1, "id": "tnt_b", "name": "B", "data_residency": on.cell}
        await on.documents.tenant(TenantId("tnt_b")).commit([Create(RECORD, another)])
        (vendor,) = (await desk.get("quotas"))["vendors"]
        assert vendor["applications"] == []

    play(tmp_path, scenario)
