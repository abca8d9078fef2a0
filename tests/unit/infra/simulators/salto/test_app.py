"""Salto's simulator: its sample is the embedded cloud's hotel, and what it must offer is there."""

from infra.local.sample.load import read_sample
from infra.simulators.registry import simulated_vendor

VENDOR = simulated_vendor("salto")


def test_the_sample_has_the_locks_of_the_sample_data():
    locks = {str(lock.lock_id) for lock in VENDOR.sample().locks}
    assert locks == {device.vendor_device for device in read_sample().devices}


def test_what_adds_and_deletes_keys_is_among_the_operations():
    assert {VENDOR.adding, VENDOR.deleting} <= {*VENDOR.platform.operations.names}


def test_secrets_stay_out_of_a_hotel_s_description():
    assert not [secret for secret in VENDOR.secrets if secret in repr(VENDOR.sample())]
