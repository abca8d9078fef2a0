"""keyfleet up: what it says of the fleet, and of a port somebody else has."""

import socket

from infra.cli.place import Place
from infra.cli.up import listens


def test_up_on_a_taken_port_is_refused_before_anything_is_made(run, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = run("up", "--home", str(tmp_path / "home"), "--port", port)
    assert result.exit_code == 1
    assert f"port {port} is in use" in result.stderr
    assert not (tmp_path / "home").exists()


def test_listens_tells_a_free_port_from_a_taken_one(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        place = Place(tmp_path, taken.getsockname()[1])
        assert listens(place)
    assert not listens(place)
