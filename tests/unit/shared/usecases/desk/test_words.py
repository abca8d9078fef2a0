"""What desks and operators say in no form of ours is refused by its field, and crashes nobody."""

import pytest

from shared.domain.errors import InvalidInput
from shared.usecases.desk.relay import JobStep
from shared.usecases.desk.staff import StaffOrder

ODD = ([], ["x"], [[]], {}, {"a": 1}, True, 5, -1.5, "x")
STEP = {"job": "job_1", "vendor": "ttlock", "state": "error", "error": "no_card"}
STAFF = {"tenant": "tnt_silk", "property": "ppt_kabul", "user": "usr_1", "roles": ["gm"], "pin": "123456"}


@pytest.mark.parametrize("odd", ODD, ids=repr)
@pytest.mark.parametrize("name", ["state", "error"])
def test_an_odd_step_of_a_job_is_refused_by_its_field(name, odd):
    with pytest.raises(InvalidInput) as refused:
        JobStep.of({**STEP, name: odd})
    assert refused.value.field == name


@pytest.mark.parametrize("odd", [each for each in ODD if each], ids=repr)
def test_odd_roles_of_staff_are_refused_by_their_field(odd):
    with pytest.raises(InvalidInput) as refused:
        StaffOrder.of({**STAFF, "roles": odd})
    assert refused.value.field == "roles"
