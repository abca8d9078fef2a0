"""What is asked of a key, and whether the fleet of the bench makes real ones."""

import json
import urllib.request

import pytest

from infra.bench import hotel
from infra.bench.measures import keys
from infra.bench.processes import answering
from infra.bench.programs.key_fleet import ALONE, BOOKED, PATH, booking
from infra.local.server import free_port
from shared.events.codec import parse


def ask(port, path, body=None):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", data=body) as answer:
        return answer.read()


@pytest.fixture
def fleet(tmp_path, request):
    stub, port = free_port(), free_port()
    vendor = answering(["-m", "infra.bench.programs.vendor_stub", str(stub)], stub, tmp_path)
    program = ["-m", "infra.bench.programs.key_fleet", tmp_path / "home", str(port), hotel.MOCK, str(stub)]
    with vendor, answering([*program, *getattr(request, "param", ())], port, tmp_path):
        yield port, stub


def test_a_booking_of_the_bench_is_one_of_the_catalogue():
    event = parse(booking(65).data)
    assert (event.subject, event.data.rooms) == (BOOKED, ("rmu_1",))


def test_one_request_makes_one_key_which_is_counted_to_its_end(fleet):
    port, stub = fleet
    before = json.loads(ask(port, PATH))
    ask(port, PATH, b"1")
    counted = json.loads(ask(port, PATH))
    assert json.loads(ask(stub, "/"))["posted"] == 1
    assert counted["acks"] == 3  # who makes keys, who keeps contacts, and who tells the guest of them
    assert counted["publishes"] - before.get("publishes", 0) == 4  # booking, requested, pending, issued


@pytest.mark.parametrize("fleet", [[ALONE]], indirect=True)
def test_a_key_that_nobody_else_hears_of_is_made_all_the_same(fleet):
    port, stub = fleet
    ask(port, PATH, b"1")
    assert json.loads(ask(stub, "/"))["posted"] == 1
    assert json.loads(ask(port, PATH))["acks"] == 1  # who makes keys


def test_every_floor_is_of_a_figure_that_is_taken():
    floors = {name: figure for name, figure in keys.FIGURES.items() if figure.floor is not None}
    assert set(floors) == set(keys.FLOORS)
    assert all(name.startswith("keys.mock_") for name in floors)


@pytest.mark.parametrize("name", [name for name in keys.FIGURES if "_per_s_" in name or "_p50_" in name])
def test_speed_stands_beside_the_key_made_by_hand(name):
    beside = keys.FIGURES[name].beside
    assert (beside is None) == name.startswith(keys.RAW)
    assert beside is None or beside in keys.FIGURES
