"""What a terminal hears is handed on to a program of its own machine, and to no other."""

import pytest

from infra.cli.listen import _to
from infra.cli.problems import Refused


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1.hotel.example/hook",
        "http://localhost.hotel.example/hook",
        "http://localhost@hotel.example/hook",
        "https://hooks.hotel.example/hook",
    ],
)
def test_what_only_begins_as_this_machine_is_another(url):
    with pytest.raises(Refused, match="leads off this machine"):
        _to(url)


def test_a_program_of_this_machine_is_handed_what_is_heard():
    assert callable(_to("http://127.0.0.1:3000/hook"))
    assert callable(_to("http://localhost:3000/hook"))
