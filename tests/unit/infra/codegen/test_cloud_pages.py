"""What is said of Google Cloud follows from the plan: who may do what, what a key costs, what fits."""

from infra.codegen import cloud_capacity_page, cloud_permissions_page
from infra.codegen.cloud_capacity_page import COSTS, dollars_per_thousand_keys, loads
from infra.codegen.fleet_plan import fleet_plan

PLAN = fleet_plan()
MOST_DOLLARS = 0.10
LEAST_HEADROOM = 2


def page_of(module):
    ((_, text),) = module.generate().items()
    return text


def row_of(text, name):
    (row,) = (line for line in text.splitlines() if line.startswith(f"| `{name}` |"))
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_every_function_and_workflow_has_a_row_of_its_own():
    text = page_of(cloud_permissions_page)
    for name in (*PLAN["functions"], *(each["account"] for each in PLAN["workflows"].values())):
        assert row_of(text, name)


def test_a_row_says_who_calls_what_it_may_and_whose_secrets_it_reads():
    _, callers, rights, secrets, opens, seals = row_of(page_of(cloud_permissions_page), "adapter-ttlock")
    assert "workflow-work-on-key" in callers
    assert "datastore.user on `main`, `sealed`" in rights
    assert secrets == "`lock-ttlock-*-api`"
    assert "guest-artifact-ttlock" in opens
    assert seals == "-"


def test_what_everybody_may_call_is_seen_at_once():
    assert "**everybody**" in row_of(page_of(cloud_permissions_page), "lock-api")[1]


def test_a_thousand_keys_cost_what_was_promised():
    assert 0.05 < dollars_per_thousand_keys() <= MOST_DOLLARS
    assert f"**{dollars_per_thousand_keys():.3f}**" in page_of(cloud_capacity_page)


def test_steps_and_writes_are_most_of_it():
    most = sorted(COSTS, key=lambda each: -each.dollars)[:2]
    assert {each.what for each in most} == {"workflow steps", "document writes"}


def test_a_region_of_ten_thousand_properties_has_room():
    short = {each.what for each in loads(PLAN) if each.headroom < LEAST_HEADROOM}
    # Accounts are a quota to ask for, not a limit: one a function, and the fleet grows.
    assert short <= {"service accounts"}
