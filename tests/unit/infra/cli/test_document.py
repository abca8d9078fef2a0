"""keyfleet document."""

import json

PATH = "/documents/tnt_silk/keys/rsv%3F1"


def test_document_is_printed_as_json_with_its_version(fleet, ask):
    fleet.will("GET", PATH, {"document": {"state": "ISSUED"}, "version": 3})
    result = ask("document", "tnt_silk", "keys", "rsv?1")
    assert (result.exit_code, json.loads(result.stdout)) == (
        0,
        {"document": {"state": "ISSUED"}, "version": 3},
    )


def test_document_that_is_not_there_is_refused_in_a_plain_sentence(fleet, ask):
    fleet.will("GET", PATH, {"document": None})
    result = ask("document", "tnt_silk", "keys", "rsv?1")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: no document 'rsv?1'\n  fix: check tenant (tnt_silk)")
