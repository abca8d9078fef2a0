"""Hotels that can be loaded, and mistakes in them."""

import pytest
from pydantic import ValidationError
from ruamel.yaml import YAML

from infra.manifest.load import ROOT
from infra.simulators.ttlock.hotel import HotelPlan, sample_hotel


def test_the_sample_hotel_has_the_locks_of_the_sample_data():
    sample = YAML(typ="safe").load((ROOT / "infra/local/sample/hotel.yaml").read_text())
    expected = {int(device["vendor_device"]): device["label"] for device in sample["devices"]}
    assert {lock.lock_id: lock.alias for lock in sample_hotel().locks} == expected


def test_secrets_stay_out_of_a_hotel_s_description():
    assert "sim-secret" not in repr(sample_hotel())
    assert "sim-password" not in repr(sample_hotel())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"locks": [{"lockId": 1, "alias": "a"}, {"lockId": 1, "alias": "b"}], "gateways": []},
            "lockId occurs twice",
        ),
        ({"locks": [{"lockId": 1, "alias": "a", "admin": "nobody"}], "gateways": []}, "admin nobody"),
        ({"locks": []}, "a gateway's lock 1000001 is not declared"),
        ({"lcoks": []}, "Extra inputs"),
        ({"accounts": [{"username": "owner"}]}, "accounts.0.password"),
    ],
)
def test_a_mistake_in_a_hotel_is_named(hotel, change, said):
    with pytest.raises(ValidationError, match=said):
        HotelPlan.model_validate({**hotel, **change})
