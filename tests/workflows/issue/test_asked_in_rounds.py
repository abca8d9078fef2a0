"""A key at many doors, and a vendor in trouble: what is done is done, and nobody is asked for it twice."""

import asyncio
from collections import Counter

from shared.domain.ids import KeyCredentialId
from shared.domain.kinds import KeyCredentialKind
from shared.ledger.sealed_keys import SealedKeys, SecretName
from shared.runtime.platform import Deployed, deployed
from tests.support.left_at_locks import told_of
from tests.support.sample_hotel import SILK, play
from tests.support.vendors import TTLOCK

PINS = "keyboardPwd/add"
OPENS = ("vendor-ref-ttlock", "guest-artifact-ttlock")


async def operations(house):
    return Counter(each["operation"] for each in await house.steer("GET", "requests"))


def test_a_further_attempt_asks_only_the_locks_that_have_no_key_yet(tmp_path):
    async def scenario(house):
        await house.fault("http_500", PINS, times=1, after=1)
        await house.publish("evt_1", rooms=["rmu_101", "rmu_102"])
        await asyncio.sleep(60)
        (key,) = await house.keys()
        assert (key["state"]["type"], len(key["core"]["plan"]["made"])) == ("active", 2)
        calls = {
            grant["device_id"]: [(call["asked"], call["answer"]) for call in grant["calls"]]
            for grant in (await house.documents("grants")).values()
        }
        assert sorted(map(len, calls.values())) == [1, 1, 2]
        assert (await operations(house))["lock/listKeyboardPwd"] == 1  # at the lock whose answer was an error
        assert (
            len({row["code"] for door in ("101", "102", "front") for row in await house.keys_at(door)}) == 1
        )

    play(tmp_path, scenario)


def test_what_the_first_locks_said_is_told_with_what_the_last_one_says(tmp_path):
    async def scenario(house):
        await house.steer("PATCH", "locks/1000001", skewSeconds=400)
        await house.fault("http_500", PINS, times=1, after=2)
        await house.publish("evt_1", rooms=["rmu_101", "rmu_102"])
        await asyncio.sleep(60)
        (issued,) = await told_of(house, "issued")
        assert [each["code"] for each in issued["warnings"]] == ["CLOCK_SKEW"]

    play(tmp_path, scenario)


def test_references_of_every_attempt_are_kept_for_the_day_they_are_needed(tmp_path):
    async def scenario(house):
        await house.fault("http_500", PINS, times=1, after=1)
        await house.publish("evt_1", rooms=["rmu_101", "rmu_102"])
        await asyncio.sleep(60)
        (key,) = await house.keys()
        on, id_ = house.fleet.platform, KeyCredentialId(key["core"]["id"])
        deployed.set(Deployed("adapter-ttlock", "", opens=frozenset(OPENS), roles=frozenset({"sealed"})))
        secrets = SealedKeys(on.sealed.tenant(SILK), on.cipher, TTLOCK)
        sealed = await secrets.find(SecretName(id_, KeyCredentialKind.PIN_CODE, 0))
        assert len(sealed.refs) == 3

    play(tmp_path, scenario)
