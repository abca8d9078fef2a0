"""What a desk tells of a key that it made alone: read as it is, or not at all."""

import pytest

from shared.domain.secret import Secret
from shared.usecases.desk.desk_facts import FactRefused, MadeAlone

TOLD = {
    "localId": "prov_keycred_01J9Z8Y7X6W5V4T3S2R1Q0P9N8",
    "reservationId": "rsv_1",
    "kind": "rfid_card",
    "vendor": "generic-wiegand",
    "rooms": ["rmu_204"],
    "validFrom": "2026-11-19T18:00:00Z",
    "validUntil": "2026-11-21T08:00:00Z",
    "issuedAt": "2026-11-19T18:00:00Z",
    "certSerial": "lock-oic-2026-11-01-01J9Z8Y7X6W5V4T3S2R1Q0P9N8",
}


@pytest.mark.parametrize(
    ("reference", "number"),
    [("04A1B2C3.1763580600000", 1763580600000), (f"04A1B2C3.{2**48 - 1}", 2**48 - 1)],
)
def test_card_has_the_number_that_its_reference_names(reference, number):
    assert MadeAlone.of(TOLD, Secret(reference)).number == number


@pytest.mark.parametrize("number", [str(2**48), "9" * 5000, "-1", "1.5", "٣", "", "0x10"])
def test_number_that_no_card_has_room_for_is_refused(number):
    with pytest.raises(FactRefused, match="malformed"):
        MadeAlone.of(TOLD, Secret(f"04A1B2C3.{number}"))


def test_pin_has_no_number():
    assert MadeAlone.of({**TOLD, "kind": "pin_code"}, Secret("pin:123456")).number == 0
