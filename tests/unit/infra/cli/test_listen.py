"""keyfleet listen: what is posted to it, by whomever, and where it hands that on."""

from queue import Queue

import pytest

from infra.cli.listen import Heard, tell
from shared.domain.secret import Secret


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1.example/x",
        "http://localhost.example",
        "http://127.0.0.1@example/",
        "ftp://localhost/",
    ],
)
def test_events_are_handed_on_to_no_other_machine(fleet, ask, url):
    answer = ask("listen", "--tenant", "tnt_silk", "--forward-to", url)
    assert (answer.exit_code, fleet.asked) == (2, [])
    assert "leads off this machine" in answer.stderr


@pytest.mark.parametrize("body", [b"no JSON", b"[]", b"{}", b'{"timestamp": 7, "type": "\\u001b[2J[red]"}'])
def test_what_nobody_signed_is_told_as_it_is_and_ends_nothing(fleet, capsys, body):
    fleet.will("GET", "/clock", {"now": "2026-03-01T09:00:00Z"})
    came = Queue()
    came.put(Heard({"webhook-id": "evt_\x1b[31m" + "7" * 200}, body))
    assert tell(came, Secret("whsec_AAAA"), 1, fleet.place) == 1
    (row,) = capsys.readouterr().err.splitlines()
    assert row.endswith("NOT SIGNED BY US")
    assert "\x1b" not in row
