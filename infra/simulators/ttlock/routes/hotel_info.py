"""What the desktop card encoder needs before it writes a card."""

from base64 import b64encode
from hashlib import sha256

from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.operation import Access, Answer, get
from infra.simulators.ttlock.window import MINUTE_MS

GOOD_FOR_MS = 10 * MINUTE_MS


async def hotel_info(cloud: Cloud, call: Call) -> Answer:
    """Return an opaque text that holds the moment until which it is good."""
    until = cloud.now_ms() + GOOD_FOR_MS
    proof = sha256(f"{cloud.code_secret}|{call.application.client_id}|{until}".encode()).hexdigest()
    return {"hotelInfo": b64encode(f"{until}.{proof}".encode()).decode()}


OPERATIONS = (get("/v3/hotel/getInfo", hotel_info, access=Access.SECRET_AND_DATE),)
