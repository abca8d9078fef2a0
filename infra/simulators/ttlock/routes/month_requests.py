"""How much of the month's quota an application has used."""

from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.operation import Access, Answer, post
from infra.simulators.ttlock.quota import beijing_month


async def month_request_count(cloud: Cloud, call: Call) -> Answer:
    """Return the calls of the Beijing month; asking is free, or an exhausted quota could not be seen."""
    meter = cloud.meters[call.application.client_id]
    return {"monthRequestCount": meter.months[beijing_month(cloud.now())]}


OPERATIONS = (post("/app/getMonthRequestCount", month_request_count, access=Access.SECRET, metered=False),)
