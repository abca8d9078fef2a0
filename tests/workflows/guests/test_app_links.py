"""Phones are told which apps open guests' links; until somebody names one, that none does."""

import orjson

from tests.support.guests import Browser
from tests.support.sample_hotel import play

PRINT = ":".join(["AB"] * 32)
APP, PACKAGE = "A1B2C3D4E5.org.example.booking", "org.example.booking"
BY = {"do": "apps", "by": "usr_1"}


async def files(house):
    browser, found = Browser(house), []
    for name in ("apple-app-site-association", "assetlinks.json"):
        status, headers, body = await browser.get(name, ".well-known")
        assert (status, headers["content-type"]) == (200, "application/json")
        assert headers["cache-control"] == "public, max-age=3600"
        found.append(orjson.loads(body))
    return found


def test_the_apps_that_an_operator_names_are_told_to_both_kinds_of_phones(tmp_path):
    async def scenario(house):
        assert await files(house) == [{"applinks": {"details": []}}, []]
        for again in (["00" + PRINT[2:]], [PRINT, "00" + PRINT[2:]]):
            android = [f"{PACKAGE}={each}" for each in again]
            told = await house.on.send(
                "guest-messages", {**BY, "apple": [APP], "android": android}, caller="operator"
            )
            assert told == (200, {"apple": [APP], "android": android})
        assert (await house.on.send("guest-messages", {"do": "apps"}, caller="operator"))[1] == told[1]
        apple, android = await files(house)
        (details,) = apple["applinks"]["details"]
        assert details["appIDs"] == [APP]
        assert details["components"][0] == {"#": "no_universal_links", "exclude": True}
        assert {"/": "*/fa-AF/*"} in details["components"]
        (target,) = [each["target"] for each in android]
        assert (target["package_name"], len(target["sha256_cert_fingerprints"])) == (PACKAGE, 2)

    play(tmp_path, scenario)


NO_APPS = (
    ({"apple": ["org.example.booking"]}, "apple"),
    ({"android": [PACKAGE]}, "android"),
    ({"android": [f"booking={PRINT}"]}, "android"),
    ({"android": PACKAGE}, "android"),
    ({"apple": [APP], "by": "nobody"}, "by"),
    ({"apple": [f"A1B2C3D4E5.app{n}" for n in range(21)]}, "android"),
)


def test_what_is_no_app_is_refused_by_its_field_and_changes_nothing(tmp_path):
    async def scenario(house):
        for named, field in NO_APPS:
            status, said = await house.on.send("guest-messages", {**BY, **named}, caller="operator")
            assert (status, said["error"]["field"]) == (400, field)
        assert await files(house) == [{"applinks": {"details": []}}, []]

    play(tmp_path, scenario)
