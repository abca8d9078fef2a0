"""keyfleet console."""

import webbrowser

import pytest

from infra.local.ambient import SystemClock
from infra.local.people import PEOPLE_KEY, LocalPeople

CODES, PATH = "backoffice/bff/v1/console-codes", "backoffice-console/sign-in?code=tnt_silk.x"
MADE = {"code": "tnt_silk.x", "path": PATH, "endsAt": "2026-05-01T00:05:00Z"}


@pytest.fixture
def issuing(fleet):
    """The fleet, with an issuer of people's tokens in its home."""
    LocalPeople.at(fleet.place.home / PEOPLE_KEY, SystemClock().now, lambda size: b"k" * size)
    fleet.serves(CODES, MADE, 201)
    return fleet


@pytest.mark.parametrize("there", [True, False])
def test_the_console_is_opened_by_a_code_or_its_address_is_told(issuing, ask, monkeypatch, there):
    opened = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or there)
    answer = ask("console", "--tenant", "tnt_silk", "--role", "security")
    address = f"{issuing.place.base_url}/{PATH}"
    assert (answer.exit_code, opened) == (0, [address])
    assert address in answer.stdout.replace("\n", "")
    assert ("is open in your browser" in answer.stdout) is there


def test_without_a_browser_only_the_address_is_told(issuing, facts, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda _address: pytest.fail("opened"))
    told = facts("console", "--tenant", "tnt_silk", "--no-browser")
    assert (told["opened"], told["address"]) == (False, f"{issuing.place.base_url}/{PATH}")


def test_whoever_may_not_see_the_console_is_told_so(issuing, ask):
    issuing.serves(CODES, {"title": "Forbidden", "detail": "none of the roles holds it"}, 403)
    answer = ask("console", "--tenant", "tnt_silk", "--role", "housekeeper", "--no-browser")
    assert answer.exit_code == 2
    assert "none of the roles holds it" in answer.stderr
