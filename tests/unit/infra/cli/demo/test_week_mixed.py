"""A stay in wings of several vendors, as the demo tells it; and that no vendor is without a wing."""

import pytest

from infra.catchers.serve import PORTS
from infra.cli.demo.week_house import hotel_time
from infra.cli.demo.week_mixed import MOMENTS, played
from infra.cli.polling import Patience
from infra.cli.sim.with_catchers import outbox_port
from infra.local.sample.account import desk_account, wing_addresses
from infra.local.sample.load import WINGS, read_sample
from shared.vendor_kit.registry import installed_vendors
from tests.support.vendors import ASSA_ABLOY, DORMAKABA, GENERIC_WIEGAND, SALTO, TTLOCK

OURS = {ASSA_ABLOY, DORMAKABA, GENERIC_WIEGAND, SALTO, TTLOCK}


def test_every_vendor_of_ours_has_a_wing_or_the_house_itself():
    house, wings = read_sample(), read_sample(WINGS)
    assert {*house.vendors(), *wings.vendors()} == OURS <= {*installed_vendors()}
    assert house.property == wings.property
    simulated = wing_addresses(8788)
    assert simulated == {"assa-abloy": "http://127.0.0.1:8793", "salto": "http://127.0.0.1:8794"}
    desks = [vendor for vendor in wings.vendors() if vendor not in simulated]
    accounts = [desk_account(vendor).reveal() for vendor in desks]
    assert accounts == [b'{"dialect":"saflok"}', b'{"dialect":"encoder"}']


def test_wings_leave_the_catchers_their_ports():
    wings = {int(address.rpartition(":")[2]) for address in wing_addresses(8788).values()}
    first = outbox_port(8788)
    assert wings.isdisjoint(range(8788, first + PORTS)), "guests' messages would be caught by nobody"


def test_moments_come_in_the_order_of_the_hotel_s_clock():
    times = [hotel_time(*moment.when) for moment in MOMENTS]
    assert times == sorted(times)


@pytest.mark.soak
def test_three_kinds_of_key_at_three_vendors_are_made_and_taken_back():
    claims, seen = played(Patience())
    assert [(claim.name, claim.held) for claim in claims] == [(moment.name, True) for moment in MOMENTS]
    assert "melmastoon.lock.credential.revoke_settled.v1" in seen["subjects"]
