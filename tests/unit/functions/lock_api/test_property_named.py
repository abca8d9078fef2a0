"""Where a list must be told a property, the API's description says so; where it need not, it does not."""

from functions.lock_api.doors import ROOM_OF_ONE
from functions.lock_api.places import LEFT_OUT
from infra.codegen.openapi import described, openapi
from shared.ledger.premises import change_hotel
from shared.ports.documents import Create, Ref
from tests.support.api_desk import KABUL, Desk
from tests.support.sample_hotel import device_at, play

HERAT, ROOM = "ppt_herat", "rmu_101"
GIVEN = {
    "day": "2026-03-02",
    "device": device_at("101"),
    "key": "key_01KSAMP1E00000000000000001",
    "limit": "10",
    "month": "2026-03",
    "reservation": "rsv_1",
    "staff": "usr_7",
    "state": "active",
}
"""What a list may be asked for beside a property."""
BY_PAGE = {"cursor"}


def lists():
    """Return what is read without a thing's own id, and where: function, path, what it may be told."""
    document = openapi()
    for each in described():
        if each.route.method == "GET" and set(each.route.parameters) <= {"roomId"}:
            asked = document["paths"][each.route.path]["get"]["parameters"]
            path = each.route.path.removeprefix("/lock/v1/").format(roomId=ROOM)
            yield each.function, path, {it["name"]: it for it in asked if it["in"] == "query"}


async def another_house_with_the_same_rooms(house):
    """Open a second property of the company, with a lock at the room that is asked about."""
    store = house.fleet.platform.documents.tenant("tnt_silk")
    kabul = await store.get(Ref("properties", KABUL))
    lock = await store.get(Ref("devices", device_at("101")))
    elsewhere = {**lock.data, "id": "lck_01KSAMP1E00000000000000099", "property_id": HERAT}
    opened = Create(Ref("properties", HERAT), {**kabul.data, "id": HERAT})
    await change_hotel(store, HERAT, [opened, Create(Ref("devices", elsewhere["id"]), elsewhere)])
    house.fleet.platform.hotels.forget("tnt_silk")


async def wants_a_property(desk, path, **given):
    """Say whether a list is refused for want of a property."""
    query = "&".join(f"{name}={value}" for name, value in given.items())
    told = await desk.ask("GET", f"{path}?{query}")
    problems = told.body["errors"] if told.status == 400 else ()
    return any(each["field"] == "property" and "missing" in each["problem"] for each in problems)


async def held_to(house, function, path, told):
    """Hold a list to what is said of its property, and return that; None of one that knows of none."""
    everywhere, here = (Desk(house, at=at, function=function) for at in (None, [KABUL]))
    must = {name: GIVEN[name] for name, each in told.items() if each["required"]}
    said = told["property"].get("description", "") if "property" in told else None
    assert await wants_a_property(everywhere, path, **must) is bool(said), path
    assert not await wants_a_property(here, path, **must), path
    if said:
        assert not await wants_a_property(everywhere, path, property=KABUL, **must), path
        for name in told.keys() - {"property", *must, *BY_PAGE}:
            instead = f"names a `{name}`" in said
            refused = await wants_a_property(everywhere, path, **{name: GIVEN[name]})
            assert refused is not instead, (path, name)
    return said


def test_what_the_description_says_of_a_lists_property_is_what_the_api_refuses(tmp_path):
    async def scenario(house):
        await another_house_with_the_same_rooms(house)
        said = {path: await held_to(house, function, path, told) for function, path, told in lists()}
        needed = {path: each for path, each in said.items() if each is not None}
        assert needed.pop(f"rooms/{ROOM}/access") == ROOM_OF_ONE
        assert len(needed) > 10
        assert all(each.startswith(LEFT_OUT) for each in needed.values())
        assert len(said) - len(needed) > 10

    play(tmp_path, scenario)


def test_a_property_that_is_mistyped_is_not_there_rather_than_empty(tmp_path):
    async def scenario(house):
        for function, path, told in lists():
            if "property" in told:
                must = [f"{name}={GIVEN[name]}" for name, each in told.items() if each["required"]]
                query = "&".join([*must, "property=ppt_nosuch"])
                answer = await Desk(house, at=None, function=function).ask("GET", f"{path}?{query}")
                assert (answer.status, answer.body["code"]) == (404, "not-found"), (path, answer.body)

    play(tmp_path, scenario)


def test_a_company_of_one_property_need_not_name_it(tmp_path):
    async def scenario(house):
        for function, path, told in lists():
            if "property" in told:
                everywhere = Desk(house, at=None, function=function)
                assert (await everywhere.ask("GET", path)).status == 200, path

    play(tmp_path, scenario)
