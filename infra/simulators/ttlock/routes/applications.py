"""Applications: their tokens (OAuth with an MD5 for a password), users, quota, and encoder's hotelInfo."""

import re
from base64 import b64encode
from dataclasses import replace
from hashlib import sha256
from typing import Any

from infra.simulators.kit.errors import Refused
from infra.simulators.kit.windows import DAY_MS, MINUTE_MS
from infra.simulators.ttlock.build import open_account
from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.operation import Access, Answer, get, post
from infra.simulators.ttlock.rows import Application, Token

ACCESS_DAYS, REFRESH_DAYS = 90, 3650
DAY_SECONDS = 86_400
NAME, MD5 = re.compile(r"[A-Za-z0-9]+"), re.compile(r"[0-9a-f]{32}")
PREFIX_LENGTH = 5
INFO_GOOD_FOR_MS = 10 * MINUTE_MS


async def give_token(cloud: Cloud, call: Call) -> Answer:
    """Log in, or renew."""
    if call.optional("grant_type") == "refresh_token":
        return _renew(cloud, call)
    account = cloud.accounts.get(call.text("username"))
    if account is None or account.password_md5 != call.text("password"):
        raise Refused(10007)
    return {**_mint(cloud, call.application, account.username), "uid": account.uid}


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


async def month_request_count(cloud: Cloud, call: Call) -> Answer:
    """Return the calls of the Beijing month; asking is free, or an exhausted quota could not be seen."""
    meter = cloud.meters[call.application.client_id]
    return {"monthRequestCount": meter.months[meter.rules.month(cloud.now())]}


async def hotel_info(cloud: Cloud, call: Call) -> Answer:
    """Return what the desktop encoder needs: an opaque text that holds the moment until which it is good."""
    until = cloud.now_ms() + INFO_GOOD_FOR_MS
    proof = sha256(f"{cloud.code_secret}|{call.application.client_id}|{until}".encode()).hexdigest()
    return {"hotelInfo": b64encode(f"{until}.{proof}".encode()).decode()}


def _renew(cloud: Cloud, call: Call) -> dict[str, Any]:
    value = call.optional("refresh_token") or ""
    token = cloud.refresh_tokens.get(value)
    if token is None or not _serves(cloud, call.application, token):
        raise Refused(10011)
    cloud.refresh_tokens[value] = replace(token, revoked=True)
    partner = cloud.access_tokens.get(token.partner)
    if partner is not None:  # the control plane may have made the cloud forget it
        cloud.access_tokens[token.partner] = replace(partner, revoked=True)
    return _mint(cloud, call.application, token.username)


def _serves(cloud: Cloud, application: Application, token: Token) -> bool:
    ours = token.client_id == application.client_id
    return ours and not token.revoked and token.expires_ms > cloud.now_ms()


def _mint(cloud: Cloud, application: Application, username: str) -> dict[str, Any]:
    access, refresh = cloud.token(), cloud.token()
    client, now_ms = application.client_id, cloud.now_ms()
    cloud.access_tokens[access] = Token(client, username, now_ms + ACCESS_DAYS * DAY_MS, refresh)
    cloud.refresh_tokens[refresh] = Token(client, username, now_ms + REFRESH_DAYS * DAY_MS, access)
    return {
        "access_token": access,
        "refresh_token": refresh,
        "expires_in": ACCESS_DAYS * DAY_SECONDS,
        "token_type": "Bearer",
        "scope": "user,key,room",
    }


def _prefix(client_id: str) -> str:
    return re.sub(r"[^a-z]", "", client_id.lower())[:PREFIX_LENGTH]


OPERATIONS = (
    post("/oauth2/token", give_token, Access.SECRET),
    post("/v3/user/register", register, Access.SECRET_AND_DATE),
    post("/app/getMonthRequestCount", month_request_count, Access.SECRET, metered=False),
    get("/v3/hotel/getInfo", hotel_info, Access.SECRET_AND_DATE),
)
