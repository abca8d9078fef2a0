"""keyfleet document."""

import json

import pytest

PATH = "/documents/tnt_silk/keys/rsv%3F1"


def test_document_is_printed_as_json_with_its_version(fleet, ask):
    fleet.will("GET", PATH, {"document": {"state": "ISSUED"}, "version": 3})
    result = ask("document", "tnt_silk", "keys", "rsv?1")
    assert (result.exit_code, json.loads(result.stdout)) == (
        0,
        {"document": {"state": "ISSUED"}, "version": 3},
    )


def test_document_that_is_not_there_is_refused_in_a_plain_sentence(fleet, ask):
    fleet.will("GET", "/documents/tnt_silk/credentials/rsv%3F1", {"document": None})
    result = ask("document", "tnt_silk", "credentials", "rsv?1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: no document 'rsv?1'\n  fix: check tenant (tnt_silk)")


@pytest.mark.parametrize(
    ("misspelt", "meant"), [("roms", "name one of rooms"), ("x", "name one of access, ")]
)
def test_collection_that_there_is_none_of_is_refused_with_those_there_are(fleet, ask, misspelt, meant):
    fleet.will("GET", f"/documents/tnt_silk/{misspelt}/rmu_101", {"document": None})
    result = ask("document", "tnt_silk", misspelt, "rmu_101")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"error: no collection {misspelt!r}\n  fix: {meant}")
