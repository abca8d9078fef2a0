"""What the demo knows of the doors keeps its secrets."""

import pytest

from infra.cli.demo.doors import Door, another
from shared.domain.secret import Secret


def test_a_door_does_not_show_its_pin():
    assert "48291357" not in repr(Door(1, (Secret("48291357"),), 1))


@pytest.mark.parametrize("pin", ["48291357", "05050505"])
def test_a_strangers_pin_has_the_same_length_and_no_digit_in_its_place(pin):
    other = another(Secret(pin)).reveal()
    assert len(other) == len(pin)
    assert all(ours != theirs for ours, theirs in zip(pin, other, strict=True))
