"""What is said of Google Cloud follows from the plan: who may do what, what a key costs, what fits."""

from infra.capacity.loads import loads_of
from infra.capacity.profile import kept
from infra.capacity.region import Day
from infra.codegen import cloud_capacity_page, cloud_permissions_page
from infra.codegen.cloud_capacity_page import COSTS, dollars_per_thousand_keys, loads
from infra.codegen.fleet_plan import fleet_plan

PLAN, PROFILE = fleet_plan(), kept()
DAY = Day(**PROFILE["day"])
MOST_DOLLARS = 0.10
LEAST_HEADROOM = 2
OF_THE_FLEET, LEAST_OF_THE_FLEET = {"service accounts", "field settings of one database"}, 1.25


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
    row = row_of(page_of(cloud_permissions_page), "adapter-ttlock")
    _, account, callers, rights, secrets, opens, seals = row
    assert account == "itself"
    assert "workflow-work-on-key" in callers
    assert "datastore.user on `main`, `sealed`" in rights
    assert secrets == "`lock-ttlock-*-api`"
    assert "guest-artifact-ttlock" in opens
    assert seals == "-"


def test_what_everybody_may_call_is_seen_at_once():
    assert "**everybody**" in row_of(page_of(cloud_permissions_page), "lock-api")[2]


def test_whose_rights_are_shared_is_said():
    text = page_of(cloud_permissions_page)
    mine, others = (row_of(text, name) for name in ("end-key", "hold-stay"))
    assert mine[1] == others[1] == "`key-orders`"
    assert mine[3:] == others[3:]


def test_a_thousand_keys_cost_what_was_promised():
    assert 0.05 < dollars_per_thousand_keys() <= MOST_DOLLARS
    assert f"**{dollars_per_thousand_keys():.3f}**" in page_of(cloud_capacity_page)


def test_steps_and_writes_are_most_of_it():
    most = sorted(COSTS, key=lambda each: -each.dollars)[:2]
    assert {each.what for each in most} == {"workflow steps", "document writes"}


def test_the_plan_of_a_region_of_ten_thousand_properties_has_room():
    played = {each.what for each in loads_of(PROFILE, DAY, PLAN)}
    short = {each.what: each for each in loads(PROFILE, DAY, PLAN) if each.headroom < LEAST_HEADROOM}
    # Accounts follow from the fleet and not from its load; how many there may be is a rule of the plan.
    # What was played is held by tests/unit/infra/capacity/test_region.py, by name.
    assert short.keys() - played <= {"service accounts"}
    assert short["service accounts"].headroom > 1.2


def test_what_was_played_of_a_region_is_on_the_page():
    text = page_of(cloud_capacity_page)
    for each in loads(PROFILE, DAY, PLAN):
        assert f"| {each.what} |" in text
