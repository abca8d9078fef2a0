"""An account is read from what is stored, and complains by field and never by value."""

import orjson
import pytest

from shared.domain.errors import InvalidInput
from shared.domain.secret import Secret
from shared.vendors.assa_abloy.account import read_account

STORED = {
    "clientId": "canary-id",
    "clientSecret": "canary-secret",
    "environment": "canary",
    "baseUrl": "https://hotel.vostio.assaabloy.com/",
}


def read(**changes):
    fields = {name: value for name, value in {**STORED, **changes}.items() if value is not None}
    return read_account(Secret(orjson.dumps(fields)))


def test_account_logs_in_to_its_own_environment():
    account = read()
    assert account.base_url == "https://hotel.vostio.assaabloy.com"
    assert account.login()["audience"] == "canary"
    assert "canary-secret" not in repr(account)


def test_two_clients_of_one_environment_share_its_limit():
    first, second = read(), read(clientId="other")
    assert (first.name == second.name, first.application == second.application) == (False, True)


@pytest.mark.parametrize("name", STORED)
@pytest.mark.parametrize("value", [None, "", 7])
def test_account_without_a_field_names_it(name, value):
    with pytest.raises(InvalidInput, match=f"account.{name}"):
        read(**{name: value})


@pytest.mark.parametrize("address", ["http://hotel.vostio.assaabloy.com", "https://elsewhere.example"])
def test_address_where_others_listen_is_refused(address):
    with pytest.raises(InvalidInput, match="baseUrl"):
        read(baseUrl=address)
