"""keyfleet keys: what is shown of them, and what is asked of the fleet."""

import pytest


def test_keys_are_listed_by_purpose_with_what_each_version_sealed(fleet, ask):
    purposes = {"secrets": {"newest": 2, "sealed": {"1": 3, "2": 4}}, "messages": {"newest": 1, "sealed": {}}}
    fleet.will("GET", "/keys", {"purposes": purposes})
    said = ask("keys", "list").stdout
    assert "v1: 3, v2: 4" in said
    assert said.index("messages") < said.index("secrets")


@pytest.mark.parametrize(
    ("what", "facts", "said"),
    [
        ("rotate", {"version": 3}, "secrets: from now on version 3"),
        ("reseal", {"resealed": 1}, "secrets: 1 value sealed anew"),
        ("retire", {"retired": [1, 2]}, "secrets: destroyed: version 1, 2"),
        ("retire", {"retired": []}, "secrets: nothing to destroy"),
    ],
)
def test_keys_are_worked_on_by_the_fleet(fleet, ask, what, facts, said):
    fleet.will("POST", "/keys", {"did": what, "purposes": {"secrets": facts}})
    assert said in ask("keys", what, "secrets").stdout
    assert fleet.asked[-1] == ("POST", "/keys", {"do": what, "purpose": "secrets"})
