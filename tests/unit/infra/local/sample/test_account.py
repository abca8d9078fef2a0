"""The sample hotel's account: readable by the adapter, known to the simulator, kept once."""

import hashlib
from dataclasses import replace

from infra.local.sample.account import (
    open_account,
    sample_account,
    simulator_address,
    simulator_port,
)
from infra.local.sample.load import read_sample
from infra.simulators.ttlock.hotel import sample_hotel
from shared.vendor_kit.accounts import account_secret
from shared.vendors.ttlock.account import read_account
from tests.support.simulated import play
from tests.support.vendors import TTLOCK

ADDRESS = "http://127.0.0.1:8788"
NAME = "lock-ttlock-tnt_silk-ppt_kabul-api"


def test_the_simulator_listens_next_to_the_fleet_unless_told_otherwise(tmp_path):
    assert simulator_address(simulator_port(8787)) == ADDRESS

    async def scenario(on):
        return on.fleet.config

    config = play(tmp_path, scenario)
    assert config.simulator_url == ADDRESS
    assert replace(config, simulator_port=9100).simulator_url == "http://127.0.0.1:9100"


def test_the_account_is_one_that_the_simulator_knows():
    account, hotel = read_account(sample_account(TTLOCK, ADDRESS)), sample_hotel()
    (application,), (person,) = hotel.applications, hotel.accounts
    assert account.client_id.reveal() == application.client_id
    assert account.client_secret.reveal() == application.client_secret
    assert account.username.reveal() == person.username
    password = hashlib.md5(person.password.encode(), usedforsecurity=False).hexdigest()
    assert account.password_md5.reveal() == password
    assert account.base_url == ADDRESS


def test_a_sample_fleet_keeps_the_account_under_its_propertys_name(tmp_path):
    hotel = read_sample()
    assert account_secret(TTLOCK, hotel.tenant.id, hotel.property.id) == NAME

    async def scenario(on):
        return await on.fleet.platform.secrets.latest(NAME)

    assert read_account(play(tmp_path, scenario).value).base_url == ADDRESS


def test_an_account_is_added_anew_only_if_it_says_something_else(tmp_path):
    async def scenario(on):
        secrets = on.fleet.platform.secrets
        versions = [(await secrets.latest(NAME)).version]
        for port in (8788, 8788, 9100, 9100, 8788):
            await open_account(secrets, read_sample(), simulator_address(port))
            versions.append((await secrets.latest(NAME)).version)
        return versions

    assert play(tmp_path, scenario) == [1, 1, 1, 2, 2, 3]
