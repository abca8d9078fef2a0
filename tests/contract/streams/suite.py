"""What every stream of events promises, each guarantee in a test of its name."""

from tests.contract.streams.setting import ids_of


class StreamContract:
    """The guarantees of an aggregate that announces; one is called `a`, another `b`."""

    async def test_what_happened_stands_in_the_outbox_before_it_is_told(self, setting):
        await setting.begin("a")
        await setting.happen("a")
        assert len(await setting.rows("a")) == 2
        assert setting.told("a") == []
        assert await setting.stands("a") == (0, True)

    async def test_the_sweeper_tells_what_was_kept_byte_for_byte_and_in_order(self, setting):
        await setting.begin("a")
        await setting.happen("a")
        await setting.happen("a")
        assert await setting.sweep() == 1
        assert setting.told("a") == await setting.rows("a")
        assert len(setting.told("a")) == 3

    async def test_what_is_told_is_noted_and_not_told_again(self, setting):
        await setting.begin("a")
        await setting.sweep()
        assert await setting.stands("a") == (1, False)
        await setting.later()
        assert await setting.sweep() == 0
        assert len(setting.told("a")) == 1

    async def test_what_could_not_be_published_stays_owed(self, setting):
        await setting.begin("a")
        setting.bus.down = True
        assert await setting.sweep() == 0
        assert (await setting.stands("a"))[0] == 0
        setting.bus.down = False
        await setting.later()
        assert await setting.sweep() == 1
        assert setting.told("a") == await setting.rows("a")

    async def test_what_was_told_before_a_crash_is_told_again_under_the_same_id(self, setting):
        await setting.begin("a")
        await setting.happen("a")
        comes_back = setting.stopping_after(1)
        await setting.sweep()
        assert (await setting.stands("a"))[0] == 0
        comes_back()
        await setting.later()
        await setting.sweep()
        first, second = ids_of(await setting.rows("a"))
        assert ids_of(setting.told("a")) == [first, first, second]

    async def test_none_is_told_after_one_that_is_missing(self, setting):
        await setting.begin("a", "b")
        await setting.happen("a")
        await setting.lose("a", 1)
        assert await setting.sweep() == 1
        assert setting.told("a") == []
        assert setting.told("b") == await setting.rows("b")
        assert ["EventMissing" in str(line) for line in setting.lines] == [True]
        assert (await setting.stands("a"))[0] == 0
        await setting.later()
        assert (await setting.stands("a"))[1]

    async def test_one_that_cannot_be_told_does_not_keep_the_others_waiting(self, setting):
        await setting.begin("a", "b")
        await setting.lose("a", 1)
        assert await setting.sweep() == 1
        assert (await setting.stands("b")) == (1, False)

    async def test_what_happens_while_it_is_told_is_told_too(self, setting):
        await setting.begin("a")
        setting.happening_meanwhile("a")
        await setting.sweep()
        await setting.later()
        await setting.sweep()
        assert list(dict.fromkeys(setting.told("a"))) == await setting.rows("a")
        assert await setting.stands("a") == (2, False)

    async def test_nothing_is_swept_before_its_time(self, setting):
        await setting.begin("a")
        setting.clock.advance(seconds=-1)
        assert await setting.sweep() == 0
        assert setting.told("a") == []
