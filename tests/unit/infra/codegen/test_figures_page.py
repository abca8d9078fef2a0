"""The page of figures says what the kept run says, and nothing of where it was made."""

import json

import pytest

from infra.bench.run import RUN, keep, kept
from infra.codegen import figures_page

REPORT = {
    "machine": {
        "at": "2026-11-19T12:00:00+00:00",
        "cores": 2,
        "load_average": [0.1, 0.1, 0.1],
        "system": "Linux",
        "python": "3.11.7",
        "sqlite": "3.40.1",
        "folder": "/somewhere/of/mine",
        "filesystem": "ext4",
        "fsync_p50_ms": 0.2,
    },
    "effort": {"rounds": 3, "quick": False},
    "figures": {
        "raw.keys_per_s": {"value": 900.0, "unit": "1/s", "better": "higher", "floor": None, "ok": None},
        "keys_per_s": {
            "value": 225.5,
            "unit": "1/s",
            "better": "higher",
            "floor": 157,
            "ok": True,
            "raw": {"figure": "raw.keys_per_s", "value": 900.0, "ratio": 0.25},
        },
        "disk_kb": {"value": 7.25, "unit": "kB", "better": "lower", "floor": 6.0, "ok": False},
    },
    "missed_floors": ["disk_kb"],
    "absent": [],
    "untaken": {},
}


@pytest.fixture
def page(tmp_path, monkeypatch):
    """Write the page of a report."""

    def written(report):
        path = tmp_path / "run.json"
        keep(report, path)
        monkeypatch.setattr(figures_page, "kept", lambda: kept(path))
        ((_, text),) = figures_page.generate().items()
        return text

    return written


def test_each_figure_has_its_row_with_its_floor_and_what_is_beside_it(page):
    text = page(REPORT)
    assert "| `keys_per_s` | 225.5 1/s | ≥ 157 | 0.25 × `raw.keys_per_s` |\n" in text
    assert "| `disk_kb` | 7.25 kB | ≤ 6 (missed) |  |\n" in text
    assert "missed in this run: `disk_kb`" in text
    assert "Little else was at work then." in text


def test_a_busy_machine_is_said_to_be_one(page):
    text = page(
        {**REPORT, "machine": {**REPORT["machine"], "load_average": [14.2, 9, 3]}, "missed_floors": []}
    )
    assert "busy with other work then (a load of 14.2)" in text
    assert "none is missed in this run" in text


def test_where_a_run_was_made_is_not_kept(page, tmp_path):
    assert "/somewhere" not in page(REPORT)
    assert "/somewhere" not in (tmp_path / "run.json").read_text()


def test_without_a_run_there_is_no_page(tmp_path, monkeypatch):
    monkeypatch.setattr(figures_page, "kept", lambda: kept(tmp_path / "none"))
    assert figures_page.generate() == {}


def test_the_run_that_is_kept_is_one(tmp_path):
    run = json.loads(RUN.read_text(encoding="utf-8"))
    assert {"growth.disk_kb_a_key", "keys.mock_over_tls_per_s_at_1"} <= run["figures"].keys()
    assert run["untaken"] == {}
