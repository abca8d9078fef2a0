"""What objects promise, each guarantee in a test of its name."""

import asyncio
from datetime import datetime, timedelta

import pytest

from shared.domain.errors import InvalidInput
from shared.ports.objects import MOST_LISTED, MOST_OBJECT_BYTES, ObjectExists, ObjectKept

ANCHOR = "anchors/tnt_1/2026-05-01.json"
YEAR = timedelta(days=365)


class ObjectsContract:
    """The guarantees of `shared.ports.objects.Objects`."""

    async def add(self, setting, name=ANCHOR, data=b"root", kept=YEAR):
        await setting.subject.add(name, data, setting.clock.now() + kept)

    async def test_an_object_is_read_as_it_was_written(self, setting):
        data = bytes(range(256)) * 40 + b"\r\n--boundary\r\n\x00"
        await self.add(setting, data=data)
        found = await setting.subject.read(ANCHOR)
        assert (found.name, found.data, found.kept_until) == (ANCHOR, data, setting.clock.now() + YEAR)

    async def test_an_object_may_be_empty(self, setting):
        await self.add(setting, data=b"")
        assert (await setting.subject.read(ANCHOR)).data == b""

    async def test_what_is_not_there_is_none(self, setting):
        assert await setting.subject.read(ANCHOR) is None

    async def test_nothing_is_ever_replaced(self, setting):
        await self.add(setting)
        with pytest.raises(ObjectExists, match=ANCHOR):
            await self.add(setting, data=b"another root")
        assert (await setting.subject.read(ANCHOR)).data == b"root"

    async def test_the_same_again_changes_nothing(self, setting):
        await self.add(setting)
        await self.add(setting, kept=timedelta(days=1))
        assert (await setting.subject.read(ANCHOR)).kept_until == setting.clock.now() + YEAR

    async def test_of_many_writers_at_once_one_wins(self, setting):
        tries = [self.add(setting, data=b"%d" % number) for number in range(8)]
        outcomes = await asyncio.gather(*tries, return_exceptions=True)
        assert sorted(type(each).__name__ for each in outcomes) == ["NoneType", *["ObjectExists"] * 7]
        won = outcomes.index(None)
        assert (await setting.subject.read(ANCHOR)).data == b"%d" % won

    async def test_an_object_is_not_removed_before_its_time(self, setting):
        await self.add(setting)
        setting.clock.advance(days=364)
        with pytest.raises(ObjectKept, match=ANCHOR):
            await setting.subject.remove(ANCHOR)
        assert (await setting.subject.read(ANCHOR)).data == b"root"

    async def test_an_object_is_removed_after_its_time(self, setting):
        await self.add(setting)
        setting.clock.advance(days=366)
        for _ in range(2):
            await setting.subject.remove(ANCHOR)
        assert await setting.subject.read(ANCHOR) is None

    async def test_names_are_listed_in_order_by_what_they_begin_with(self, setting):
        for name in ("logs/b", "logs/a/1", "logs/c", "log/x", "anchors/a"):
            await self.add(setting, name)
        assert [*await setting.subject.listed("logs/")] == ["logs/a/1", "logs/b", "logs/c"]
        assert [*await setting.subject.listed()] == ["anchors/a", "log/x", "logs/a/1", "logs/b", "logs/c"]

    async def test_names_are_listed_page_by_page(self, setting):
        names = [f"logs/{number:02d}" for number in range(7)]
        for name in names:
            await self.add(setting, name)
        seen, after = [], ""
        while page := await setting.subject.listed("logs/", after=after, limit=3):
            assert len(page) <= 3
            seen, after = [*seen, *page], page[-1]
        assert seen == names

    async def test_a_prefix_is_letters_and_no_pattern(self, setting):
        for name in ("a_b/1", "axb/1"):
            await self.add(setting, name)
        assert [*await setting.subject.listed("a_b")] == ["a_b/1"]
        assert [*await setting.subject.listed("a%")] == []

    async def test_objects_survive_a_restart(self, setting):
        await self.add(setting)
        await setting.reopen()
        assert (await setting.subject.read(ANCHOR)).data == b"root"
        with pytest.raises(ObjectExists):
            await self.add(setting, data=b"another root")

    @pytest.mark.parametrize(
        "name", ["", "/a", "a/", "a//b", "../a", "A", "a b", "a\n", "a" * 200, "a/" * 11 + "a"]
    )
    async def test_a_malformed_name_is_refused(self, setting, name):
        for asked in (self.add(setting, name), setting.subject.read(name), setting.subject.remove(name)):
            with pytest.raises(InvalidInput, match="name"):
                await asked

    async def test_more_than_fits_is_refused(self, setting):
        with pytest.raises(InvalidInput, match="data"):
            await self.add(setting, data=bytes(MOST_OBJECT_BYTES + 1))
        with pytest.raises(InvalidInput, match="kept_until"):
            await setting.subject.add(ANCHOR, b"", datetime(2027, 1, 1))  # noqa: DTZ001 - that is the point
        for limit in (0, MOST_LISTED + 1):
            with pytest.raises(InvalidInput, match="limit"):
                await setting.subject.listed(limit=limit)

    async def test_a_value_is_never_printed(self, setting):
        await self.add(setting, data=b"hush-hush")
        assert "hush" not in repr(await setting.subject.read(ANCHOR))
