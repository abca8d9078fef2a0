"""An account is read from what is stored, and complains by field and never by value."""

import orjson
import pytest

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.vendors.ttlock.account import EUROPE, read_account

STORED = {
    "clientId": "canary-id",
    "clientSecret": "canary-secret",
    "username": "canary-user",
    "passwordMd5": "0123456789abcdef0123456789abcdef",
}


def read(**changes):
    fields = {name: value for name, value in {**STORED, **changes}.items() if value is not None}
    return read_account(Secret(orjson.dumps(fields)))


def test_account_is_read_and_lives_in_europe_unless_it_says_otherwise():
    account = read()
    assert (account.client_id.reveal(), account.base_url) == ("canary-id", EUROPE)
    assert read(baseUrl="https://cnapi.ttlock.com/").base_url == "https://cnapi.ttlock.com"


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("value", [None, "", 7])
def test_account_without_a_field_names_it(name, value):
    with pytest.raises(InvalidInput, match=f"account.{name}"):
        read(**{name: value})


@pytest.mark.parametrize("password", ["canary password", STORED["passwordMd5"].upper()])
def test_password_that_is_no_md5_is_refused_and_not_repeated(password):
    with pytest.raises(InvalidInput, match="passwordMd5") as caught:
        read(passwordMd5=password)
    assert password not in str(caught.value)


@pytest.mark.parametrize("stored", [b"", b"[]", b"canary"])
def test_account_that_is_no_object_is_refused_and_not_repeated(stored):
    with pytest.raises(InvalidInput, match="account") as caught:
        read_account(Secret(stored))
    assert "canary" not in str(caught.value)


def test_address_where_others_listen_is_refused():
    with pytest.raises(InvalidInput, match="baseUrl"):
        read(baseUrl="http://euapi.ttlock.com")


def test_account_shows_nothing():
    assert "canary" not in repr(read())
    assert STORED["passwordMd5"] not in repr(read())


def test_name_of_an_account_survives_its_passwords_and_tells_accounts_apart():
    assert read().name == read(passwordMd5="f" * 32, clientSecret="new").name
    assert read().application == read(username="other").application != read(clientId="other").application
    assert len({read().name, read(username="other").name, read(clientId="other").name}) == 3
