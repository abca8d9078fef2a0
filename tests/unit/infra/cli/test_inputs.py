"""JSON from people: as text, from a file, from stdin, and what is said when it is none."""

import io
from pathlib import Path

import pytest

from infra.cli.inputs import json_file, json_input, json_object, settings
from infra.cli.problems import Refused


def test_json_is_taken_as_text():
    assert json_input('{"a": [1, 2.5, null]}', "--args") == {"a": [1, 2.5, None]}


def test_json_is_read_from_a_file_named_with_an_at_sign(tmp_path):
    file = tmp_path / "argument.json"
    file.write_text('{"name": "کابل"}', encoding="utf-8")
    assert json_input(f"@{file}", "--args") == {"name": "کابل"}


def test_json_is_read_from_stdin(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("[1]"))
    assert json_input("-", "--args") == [1]


def test_json_of_a_file_called_dash_is_read_from_stdin(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO('{"a": 1}'))
    assert json_file(Path("-"), "--event") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "said"),
    [("{a: 1}", "line 1, column 2"), ("", "line 1, column 1"), ("NaN", "NaN"), ("[" * 9000, "nested")],
)
def test_what_is_not_json_is_refused_with_its_place(text, said):
    with pytest.raises(Refused, match=said) as caught:
        json_input(text, "--args")
    assert caught.value.remedy


@pytest.mark.parametrize("text", ['{"a": 1, "b": 2, "a": 1}', '[{"b": {"a": null, "a": []}}]'])
def test_a_name_that_is_there_twice_is_refused_by_name(text):
    with pytest.raises(Refused, match="--data: 'a' is named twice in one object") as caught:
        json_input(text, "--data")
    assert caught.value.remedy == "keep one of them"


@pytest.mark.parametrize("text", ["[]", "1", "null", '"a"'])
def test_what_is_no_object_is_refused_where_one_is_needed(text):
    with pytest.raises(Refused, match="not a JSON object"):
        json_object(text, "--data")


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(Refused, match=r"missing\.json: No such file"):
        json_input(f"@{tmp_path / 'missing.json'}", "--data")


def test_a_file_of_other_bytes_is_refused(tmp_path):
    (tmp_path / "event.json").write_bytes(b"\xff\xfe")
    with pytest.raises(Refused, match="not UTF-8"):
        json_file(tmp_path / "event.json", "--event")


def test_a_file_that_holds_no_json_is_named_with_a_fix_that_fits_a_file(tmp_path):
    file = tmp_path / "event.json"
    file.write_text("{,}")
    with pytest.raises(Refused, match=r"--event: .*event\.json is not JSON") as caught:
        json_file(file, "--event")
    assert caught.value.remedy == f"mend {file}: it must hold JSON alone"


def test_settings_are_taken_by_name_and_the_last_one_counts():
    assert settings(["A=1", "B=x=y", "A="], "--env") == {"A": "", "B": "x=y"}
