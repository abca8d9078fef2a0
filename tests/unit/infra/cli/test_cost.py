"""keyfleet cost: a month of vendors, as people ask for it."""

import pytest

from infra.local.people import PEOPLE_KEY, LocalPeople


@pytest.mark.parametrize("month", ["nov 26", "2026-11&x=1", "2026-11\n", "ماه"])
def test_a_month_that_is_none_is_asked_for_as_it_was_typed_and_refused(fleet, ask, month):
    LocalPeople.at(fleet.place.home / PEOPLE_KEY, lambda: None, lambda size: b"k" * size)
    answer = ask("cost", "show", month, "--tenant", "tnt_silk")
    assert (answer.exit_code, "error: " in answer.stderr) == (2, True), answer
    ((_, path, _),) = fleet.asked
    assert path.partition("?month=")[2].isascii()
    assert not {" ", "&", "\n"} & set(path)
