"""Reading and writing: what was read decides whether a write goes through, all of it or nothing."""

import asyncio

import pytest

from shared.ports.documents import AlreadyExists, Create, Delete, Ref, StaleVersion, Update
from tests.contract.documents.setting import ALPHA, ROOM

EVERYTHING = {
    "text": 'اتاق ۲۰۴ 🔑 \x00 "\\',
    "numbers": [0, -1, 2**53 - 1, 0.1, -2.5e300],
    "truths": [True, False, None],
    "nested": {"empty": {}, "list": [[], [{}]]},
    "": "a field without a name",
}


class Writing:
    """Get and commit."""

    async def test_a_document_is_read_back_as_it_was_written(self, setting):
        version = await setting.create(ROOM, EVERYTHING)
        found = await setting.alpha.get(ROOM)
        assert (found.ref, found.data, found.version) == (ROOM, EVERYTHING, version)

    async def test_what_was_never_written_is_none(self, setting):
        assert await setting.alpha.get(ROOM) is None

    async def test_some_are_read_at_once_in_the_order_asked(self, setting):
        refs = [Ref("rooms", "9"), Ref("keys", "1"), Ref("rooms", "none"), Ref("rooms", "1")]
        for ref in [*refs[:2], *refs[3:]]:
            await setting.create(ref, {"of": str(ref)})
        found = await setting.alpha.get_all(refs)
        assert [*found] == [await setting.alpha.get(ref) for ref in refs]
        assert [each and each.data["of"] for each in found] == ["rooms/9", "keys/1", None, "rooms/1"]
        assert (*await setting.beta.get_all(refs[:1]), *await setting.beta.get_all([])) == (None,)

    async def test_an_acknowledged_write_survives_a_restart(self, setting):
        await setting.create(ROOM, {"floor": 2})
        await setting.reopen()
        assert await setting.data(ROOM) == {"floor": 2}

    async def test_a_create_refuses_a_living_document_and_leaves_it(self, setting):
        await setting.create(ROOM, {"floor": 2})
        with pytest.raises(AlreadyExists, match="rooms/204"):
            await setting.create(ROOM, {"floor": 3})
        assert await setting.data(ROOM) == {"floor": 2}

    async def test_an_update_needs_the_version_that_was_read(self, setting):
        first = await setting.create(ROOM, {"floor": 2})
        await setting.update(ROOM, {"floor": 3}, first)
        with pytest.raises(StaleVersion, match="rooms/204"):
            await setting.update(ROOM, {"floor": 4}, first)
        assert await setting.data(ROOM) == {"floor": 3}

    async def test_an_update_of_nothing_is_stale(self, setting):
        other = await setting.create(Ref("rooms", "205"), {})
        with pytest.raises(StaleVersion):
            await setting.update(ROOM, {}, other)
        assert await setting.data(ROOM) is None

    @pytest.mark.parametrize("version", ["", "x", "-1", "9" * 40, "1.0", "１"])
    async def test_a_version_that_never_was_is_stale(self, setting, version):
        await setting.create(ROOM, {})
        with pytest.raises(StaleVersion):
            await setting.update(ROOM, {"changed": True}, version)

    async def test_an_update_replaces_the_whole_document(self, setting):
        version = await setting.create(ROOM, {"floor": 2, "beds": 1})
        await setting.update(ROOM, {"beds": 2}, version)
        assert await setting.data(ROOM) == {"beds": 2}

    async def test_a_delete_needs_the_version_that_was_read(self, setting):
        first = await setting.create(ROOM, {"floor": 2})
        second = await setting.update(ROOM, {"floor": 3}, first)
        with pytest.raises(StaleVersion):
            await setting.delete(ROOM, first)
        assert await setting.data(ROOM) == {"floor": 3}
        assert await setting.delete(ROOM, second) == ("",)
        assert await setting.data(ROOM) is None

    async def test_an_update_that_changes_nothing_is_a_new_version(self, setting):
        first = await setting.create(ROOM, {"floor": 2})
        assert await setting.update(ROOM, {"floor": 2}, first) != first
        with pytest.raises(StaleVersion):
            await setting.update(ROOM, {"floor": 3}, first)

    async def test_a_version_never_comes_back(self, setting):
        first = await setting.create(ROOM, {"floor": 2})
        await setting.delete(ROOM, first)
        await setting.create(ROOM, {"floor": 2})
        with pytest.raises(StaleVersion):
            await setting.update(ROOM, {"floor": 3}, first)

    async def test_a_version_never_comes_back_after_a_restart(self, setting):
        first = await setting.create(ROOM, {"floor": 2})
        await setting.delete(ROOM, first)
        await setting.reopen()
        assert await setting.create(ROOM, {"floor": 2}) != first

    async def test_a_commit_returns_the_version_of_each_write(self, setting):
        gone = await setting.create(ROOM, {})
        refs = [Ref("rooms", "1"), Ref("rooms", "2")]
        versions = await setting.alpha.commit([Create(refs[0], {}), Delete(ROOM, gone), Create(refs[1], {})])
        found = [await setting.alpha.get(ref) for ref in refs]
        assert versions == (found[0].version, "", found[1].version)

    async def test_a_note_is_kept_and_refused_like_a_commit(self, setting):
        version = await setting.create(ROOM, {"n": 1})
        (noted,) = await setting.alpha.note([Update(ROOM, {"n": 2}, version)])
        found = await setting.alpha.get(ROOM)
        assert (found.data, found.version) == ({"n": 2}, noted)
        with pytest.raises(StaleVersion):
            await setting.alpha.note([Update(ROOM, {"n": 3}, version)])
        assert await setting.alpha.note([]) == ()

    async def test_an_empty_commit_does_nothing(self, setting):
        assert await setting.alpha.commit([]) == ()

    @pytest.mark.parametrize("bad", [0, 1, 2])
    async def test_a_commit_is_applied_whole_or_not_at_all(self, setting, bad):
        version = await setting.create(ROOM, {"floor": 2})
        writes = [
            Create(Ref("rooms", "1"), {}),
            Update(ROOM, {"floor": 3}, version),
            Create(Ref("keys", "1"), {}),
        ]
        writes.insert(bad, Update(Ref("rooms", "none"), {}, version))
        with pytest.raises(StaleVersion):
            await setting.alpha.commit(writes)
        assert await setting.data(ROOM) == {"floor": 2}
        assert [await setting.data(Ref(name, "1")) for name in ("rooms", "keys")] == [None, None]

    async def test_of_many_creates_at_once_one_wins(self, setting):
        outcomes = await asyncio.gather(
            *(setting.create(ROOM, {"by": number}) for number in range(20)), return_exceptions=True
        )
        won = [number for number, outcome in enumerate(outcomes) if isinstance(outcome, str)]
        assert [{"by": number} for number in won] == [await setting.data(ROOM)]
        assert sum(isinstance(outcome, AlreadyExists) for outcome in outcomes) == 19

    async def test_of_many_updates_of_one_version_one_wins(self, setting):
        version = await setting.create(ROOM, {})
        outcomes = await asyncio.gather(
            *(setting.update(ROOM, {"by": number}, version) for number in range(20)), return_exceptions=True
        )
        won = [number for number, outcome in enumerate(outcomes) if isinstance(outcome, str)]
        assert [{"by": number} for number in won] == [await setting.data(ROOM)]
        assert sum(isinstance(outcome, StaleVersion) for outcome in outcomes) == 19

    async def test_counting_with_retries_loses_no_count(self, setting):
        await setting.create(ROOM, {"count": 0})

        async def count_up():
            while True:
                found = await setting.alpha.get(ROOM)
                try:
                    return await setting.update(ROOM, {"count": found.data["count"] + 1}, found.version)
                except StaleVersion:
                    continue

        await asyncio.gather(*(count_up() for _ in range(12)))
        assert await setting.data(ROOM) == {"count": 12}

    async def test_tenants_share_nothing(self, setting):
        version = await setting.create(ROOM, {"of": "alpha"})
        await setting.create(ROOM, {"of": "beta"}, tenant=setting.beta)
        await setting.delete(ROOM, version)
        assert await setting.data(ROOM) is None
        assert await setting.data(ROOM, tenant=setting.beta) == {"of": "beta"}

    async def test_a_handle_says_whose_it_is(self, setting):
        assert (setting.alpha.tenant, type(setting.alpha.tenant)) == (ALPHA, type(ALPHA))

    async def test_the_sealed_database_is_another_one(self, setting):
        await setting.create(ROOM, {"in": "main"})
        assert await setting.data(ROOM, tenant=setting.sealed.tenant(ALPHA)) is None

    async def test_what_was_read_can_be_changed_without_changing_the_store(self, setting):
        await setting.create(ROOM, {"beds": ["a"]})
        (await setting.data(ROOM))["beds"].append("b")
        assert await setting.data(ROOM) == {"beds": ["a"]}

    async def test_what_was_given_can_be_changed_while_it_is_written(self, setting):
        data = {"beds": ["a"]}
        writing = asyncio.ensure_future(setting.create(ROOM, data))
        await asyncio.sleep(0)
        data["beds"].append("b")
        await writing
        assert await setting.data(ROOM) == {"beds": ["a"]}
