"""The page of vendors says what every adapter offers, and what is still to do."""

import pytest

from infra.codegen.vendors_page import PAGE, generate
from shared.vendor_kit.registry import dialects_of, installed_vendors

VENDORS = [vendor for vendor in installed_vendors() if vendor != "mock"]


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_vendor_has_a_row_for_each_of_its_dialects(vendor):
    rows = [line for line in generate()[PAGE].splitlines() if line.startswith(f"| `{vendor}` |")]
    for dialect, able in dialects_of(vendor).items():
        (row,) = (line for line in rows if f"| {dialect} |" in line)
        assert row.count("| yes ") == len(able.names) > 0


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_vendor_s_fourteen_points_are_counted(vendor):
    section = generate()[PAGE].partition("## How far")[2]
    row = next(line for line in section.splitlines() if line.startswith(f"| `{vendor}` |"))
    assert sum(int(cell) for cell in row.split("|") if cell.strip().isdigit()) == 14
    assert row.endswith(
        "RUNBOOK.md) | [readme](../../infra/simulators/" + vendor.replace("-", "_") + "/README.md) |"
    )


def test_a_stand_in_is_no_vendor():
    assert "mock" not in generate()[PAGE]
