"""Registering a user of one's own application, with a password of one's own choosing."""

import re

from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.errors import Refused
from infra.simulators.ttlock.founding import open_account
from infra.simulators.ttlock.operation import Access, Answer, post

NAME, MD5 = re.compile(r"[A-Za-z0-9]+"), re.compile(r"[0-9a-f]{32}")
PREFIX_LENGTH = 5


async def register(cloud: Cloud, call: Call) -> Answer:
    """Open an account; its name gets the application's prefix."""
    wanted, password = call.text("username"), call.text("password")
    if not NAME.fullmatch(wanted):
        raise Refused(30002)
    if not MD5.fullmatch(password):
        raise Refused(30005)
    username = f"{_prefix(call.application.client_id)}_{wanted}"
    if username in cloud.accounts:
        raise Refused(30003)
    open_account(cloud, username, password)
    return {"username": username}


def _prefix(client_id: str) -> str:
    return re.sub(r"[^a-z]", "", client_id.lower())[:PREFIX_LENGTH]


OPERATIONS = (post("/v3/user/register", register, access=Access.SECRET_AND_DATE),)
