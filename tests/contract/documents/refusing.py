"""Bad input: refused before anything is written, with the field and a remedy, and without the value."""

from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import pytest

from shared.domain.errors import InvalidInput
from shared.ports.document_limits import MOST_RESULTS, TooLarge
from shared.ports.documents import Create, Ref, Update
from tests.contract.documents.setting import ROOM

NOT_JSON = {
    "nan": float("nan"),
    "infinity": float("inf"),
    "tuple": (1, 2),
    "set": {1},
    "bytes": b"x",
    "instant": datetime(2026, 5, 1, tzinfo=UTC),
    "uuid": UUID(int=1),
    "decimal": Decimal(1),
    "large integer": 2**53,
    "half a character": "\ud800",
    "key that is no text": {1: 2},
}


def nested(levels):
    """Return a document of that many levels."""
    data = {}
    for _ in range(levels - 1):
        data = {"a": data}
    return data


class Refusing:
    """Limits."""

    @pytest.mark.parametrize("value", NOT_JSON.values(), ids=list(NOT_JSON))
    async def test_a_value_json_cannot_carry_is_refused(self, setting, value):
        with pytest.raises(InvalidInput, match=r"^data\.guests\[1\]"):
            await setting.create(ROOM, {"guests": ["x", {"inner": value}]})
        assert await setting.data(ROOM) is None

    @pytest.mark.parametrize("data", [[], "text", None, 5])
    async def test_a_document_is_a_dict(self, setting, data):
        with pytest.raises(InvalidInput, match=r"^data: "):
            await setting.create(ROOM, data)

    async def test_a_refusal_does_not_repeat_the_value(self, setting):
        with pytest.raises(InvalidInput) as refusal:
            await setting.create(ROOM, {"pin": b"4711-secret"})
        assert "4711" not in str(refusal.value) + repr(refusal.value)

    async def test_a_document_may_have_a_megabyte_and_no_byte_more(self, setting):
        most = 1_000_000 - len('{"x":""}')
        await setting.create(ROOM, {"x": "a" * most})
        with pytest.raises(InvalidInput, match=r"^data: "):
            await setting.create(Ref("rooms", "205"), {"x": "a" * (most + 1)})

    async def test_a_document_may_have_twenty_levels_and_no_more(self, setting):
        await setting.create(ROOM, nested(20))
        with pytest.raises(InvalidInput, match=r"^data: "):
            await setting.create(Ref("rooms", "205"), nested(21))

    async def test_a_commit_may_have_five_hundred_writes_and_no_more(self, setting):
        writes = [Create(Ref("rooms", f"{number}"), {}) for number in range(501)]
        with pytest.raises(InvalidInput, match=r"^writes: "):
            await setting.alpha.commit(writes)
        assert await setting.data(Ref("rooms", "0")) is None
        assert len(await setting.alpha.commit(writes[:500])) == 500

    async def test_a_commit_may_have_ten_megabytes_and_no_byte_more(self, setting):
        large = {"x": "a" * (1_000_000 - len('{"x":""}'))}
        writes = [Create(Ref("rooms", f"{number}"), large) for number in range(10)]
        with pytest.raises(InvalidInput, match=r"^writes: "):
            await setting.alpha.commit([*writes, Create(ROOM, {})])
        assert await setting.data(Ref("rooms", "0")) is None
        assert len(await setting.alpha.commit(writes)) == 10

    async def test_a_commit_writes_no_document_twice(self, setting):
        with pytest.raises(InvalidInput, match=r"^writes: "):
            await setting.alpha.commit([Create(ROOM, {}), Update(ROOM, {}, "1")])
        assert await setting.data(ROOM) is None

    @pytest.mark.parametrize(
        "id_", ["", ".", "..", "a/b", "__x__", "é", "a b", "a\n", "a\x00", "x" * 256, "_a"]
    )
    async def test_an_id_not_every_store_can_hold_is_refused(self, setting, id_):
        with pytest.raises(InvalidInput, match="id in rooms"):
            await setting.create(Ref("rooms", id_), {})
        with pytest.raises(InvalidInput, match="id in rooms"):
            await setting.alpha.get(Ref("rooms", id_))
        with pytest.raises(InvalidInput, match="id in rooms"):
            await setting.alpha.get_all([ROOM, Ref("rooms", id_)])

    async def test_more_at_once_than_every_store_reads_is_refused(self, setting):
        refs = [Ref("rooms", str(number)) for number in range(MOST_RESULTS + 1)]
        assert set(await setting.alpha.get_all(refs[1:])) == {None}
        with pytest.raises(TooLarge, match=r"^refs: "):
            await setting.alpha.get_all(refs)

    @pytest.mark.parametrize("id_", ["0", "x" * 255, "sha256:0a", "key_01HX", "a.b~c@d=e|f+g-h"])
    async def test_the_ids_we_use_can_be_held(self, setting, id_):
        await setting.create(Ref("rooms", id_), {"id": id_})
        assert await setting.data(Ref("rooms", id_)) == {"id": id_}

    @pytest.mark.parametrize("collection", ["", "Rooms", "a/b", "9", "x" * 64, "a'b", "rooms\n"])
    async def test_a_malformed_collection_is_refused(self, setting, collection):
        with pytest.raises(InvalidInput, match="collection"):
            await setting.create(Ref(collection, "1"), {})

    async def test_a_tenant_that_is_no_tenant_is_refused(self, setting):
        with pytest.raises(InvalidInput):
            setting.store.tenant("../alpha")

    async def test_an_expiry_without_a_time_zone_is_refused(self, setting):
        with pytest.raises(InvalidInput, match="expires_at"):
            await setting.create(ROOM, {}, expires_at=datetime(2026, 5, 1))  # noqa: DTZ001 - the point
