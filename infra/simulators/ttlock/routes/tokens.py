"""OAuth: a password login with an MD5 for a password, and refresh."""

from dataclasses import replace
from typing import Any

from infra.simulators.ttlock.call import Call
from infra.simulators.ttlock.cloud import Cloud
from infra.simulators.ttlock.errors import Refused
from infra.simulators.ttlock.operation import Access, Answer, post
from infra.simulators.ttlock.rows import Application, Token
from infra.simulators.ttlock.window import DAY_MS

ACCESS_DAYS, REFRESH_DAYS = 90, 3650
DAY_SECONDS = 86_400


async def give_token(cloud: Cloud, call: Call) -> Answer:
    """Log in, or renew."""
    if call.optional("grant_type") == "refresh_token":
        return _renew(cloud, call)
    account = cloud.accounts.get(call.text("username"))
    if account is None or account.password_md5 != call.text("password"):
        raise Refused(10007)
    return {**_mint(cloud, call.application, account.username), "uid": account.uid}


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


OPERATIONS = (post("/oauth2/token", give_token, access=Access.SECRET),)
