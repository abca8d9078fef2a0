"""Logging in and renewing: the password flow with an MD5, tokens that end, and what refuses."""

from hashlib import md5

import pytest

PASSWORD = md5(b"sim-password").hexdigest()


async def test_login_gives_tokens_for_ninety_days(sim):
    token = await sim.token(username="owner", password=PASSWORD)
    assert token["expires_in"] == 90 * 86_400
    assert isinstance(token["uid"], int)
    assert len(token["access_token"]) == len(token["refresh_token"]) == 32


async def test_login_takes_both_spellings_of_the_client(sim):
    fields = {
        "clientId": None,
        "clientSecret": None,
        "client_id": "sim-client",
        "client_secret": "sim-secret",
    }
    assert "access_token" in await sim.token(username="owner", password=PASSWORD, **fields)


@pytest.mark.parametrize(
    ("fields", "errcode"),
    [
        ({"clientId": "nobody"}, 10000),
        ({"clientSecret": "wrong"}, 10001),
        ({"password": "sim-password"}, 10007),
        ({"password": PASSWORD.upper()}, 10007),
        ({"username": "nobody"}, 10007),
        ({"username": None}, -3),
        ({"grant_type": "refresh_token"}, 10011),
        ({"grant_type": "refresh_token", "refresh_token": "0" * 32}, 10011),
    ],
)
async def test_login_is_refused(sim, fields, errcode):
    answer = await sim.token(**{"username": "owner", "password": PASSWORD, **fields})
    assert answer["errcode"] == errcode
    assert answer["errmsg"]
    assert answer["description"]


async def test_renewing_replaces_both_tokens(sim):
    old = await sim.login()
    new = await sim.token(grant_type="refresh_token", refresh_token=old["refresh_token"])
    assert new["access_token"] != old["access_token"]
    assert (await sim.get("/v3/lock/list", pageNo=1, pageSize=1))["errcode"] == 10004
    again = await sim.token(grant_type="refresh_token", refresh_token=old["refresh_token"])
    assert again["errcode"] == 10011
    sim.identity["accessToken"] = new["access_token"]
    assert "list" in await sim.get("/v3/lock/list", pageNo=1, pageSize=1)


async def test_access_token_ends_after_ninety_days(sim):
    sim.wait(days=89)
    assert "list" in await sim.get("/v3/lock/list", pageNo=1, pageSize=1)
    sim.wait(days=1)
    assert (await sim.get("/v3/lock/list", pageNo=1, pageSize=1))["errcode"] == 10004


@pytest.mark.parametrize(("loss", "errcode"), [("forgotten", 10003), ("revoked", 10004)])
async def test_tokens_can_be_lost(sim, loss, errcode):
    await sim.control("POST", "/tokens/lose", {"loss": loss})
    assert (await sim.get("/v3/lock/list", pageNo=1, pageSize=1))["errcode"] == errcode


async def test_refresh_tokens_can_be_lost_too(sim):
    token = await sim.login()
    await sim.control("POST", "/tokens/lose", {"kind": "both"})
    answer = await sim.token(grant_type="refresh_token", refresh_token=token["refresh_token"])
    assert answer["errcode"] == 10011


async def test_a_registered_user_has_a_prefix_and_the_password_it_was_given(sim):
    fields = {"clientSecret": "sim-secret", "username": "guest7", "password": md5(b"chosen").hexdigest()}
    username = (await sim.post("/v3/user/register", **fields))["username"]
    assert username.endswith("_guest7")
    assert "access_token" in await sim.login(username, "chosen")
    assert (await sim.post("/v3/user/register", **fields))["errcode"] == 30003


@pytest.mark.parametrize(
    ("fields", "errcode"),
    [({"username": "a b"}, 30002), ({"password": "plain"}, 30005), ({"clientSecret": "no"}, 10001)],
)
async def test_registering_is_refused(sim, fields, errcode):
    usual = {"clientSecret": "sim-secret", "username": "guest7", "password": "0" * 32}
    assert (await sim.post("/v3/user/register", **{**usual, **fields}))["errcode"] == errcode
