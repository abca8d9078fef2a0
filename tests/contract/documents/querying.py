"""Queries by declared index, and the sweep that crosses tenants."""

import pytest

from shared.domain.errors import InvalidInput
from shared.domain.ids import TenantId
from shared.ports.documents import Index, Ref, UndeclaredIndex, shard_of
from tests.contract.documents.setting import ALPHA, BETA, DUE, NUMBERED, SPREAD, WHOLE

SAGAS = {
    "c": {"state": "waiting", "due_at": "2026-05-02"},
    "a": {"state": "waiting", "due_at": "2026-05-03"},
    "d": {"state": "waiting", "due_at": "2026-05-01"},
    "b": {"state": "waiting", "due_at": "2026-05-02"},
    "e": {"state": "done", "due_at": "2026-05-01"},
    "f": {"state": "waiting"},
    "g": {"state": "waiting", "due_at": None},
    "h": {"due_at": "2026-05-01"},
}
WAITING = {"state": "waiting"}


async def ids(handle, index, equals, **bounds):
    """Return the ids a query finds, in order."""
    return [document.ref.id for document in await handle.query(index, equals, **bounds)]


class Querying:
    """Query and sweep."""

    async def test_a_query_finds_equals_in_order_and_ties_by_id(self, setting):
        await setting.sagas(SAGAS)
        assert await ids(setting.alpha, DUE, WAITING) == ["d", "b", "c", "a"]

    async def test_a_query_returns_the_documents_as_they_are(self, setting):
        await setting.sagas({"d": SAGAS["d"]})
        (found,) = await setting.alpha.query(DUE, WAITING)
        assert found == await setting.alpha.get(Ref("sagas", "d"))

    async def test_until_includes_its_own_value(self, setting):
        await setting.sagas(SAGAS)
        assert await ids(setting.alpha, DUE, WAITING, until="2026-05-02") == ["d", "b", "c"]
        assert await ids(setting.alpha, DUE, WAITING, until="2026-05-01T23") == ["d"]

    async def test_a_limit_keeps_the_first(self, setting):
        await setting.sagas(SAGAS)
        assert await ids(setting.alpha, DUE, WAITING, limit=2) == ["d", "b"]

    @pytest.mark.parametrize("size", [1, 2, 3, 4])
    async def test_pages_show_every_document_once(self, setting, size):
        await setting.sagas({**SAGAS, "i": SAGAS["c"], "j": {"state": "waiting", "due_at": 7}})
        seen, last = [], None
        while page := await setting.alpha.query(DUE, WAITING, after=last, limit=size):
            assert len(page) <= size
            assert len(seen) < 6
            seen, last = [*seen, *page], page[-1]
        assert seen == list(await setting.alpha.query(DUE, WAITING))
        assert len(seen) == 6

    async def test_a_page_keeps_to_until_and_goes_on_where_its_document_was(self, setting):
        await setting.sagas(SAGAS)
        first, second, *_ = await setting.alpha.query(DUE, WAITING)
        assert await ids(setting.alpha, DUE, WAITING, after=first, until="2026-05-02") == ["b", "c"]
        await setting.delete(second.ref, second.version)
        assert await ids(setting.alpha, DUE, WAITING, after=second) == ["c", "a"]

    async def test_a_page_after_what_is_not_in_the_index_is_refused(self, setting):
        await setting.sagas({"f": SAGAS["f"], "g": SAGAS["g"]})
        for ref in (Ref("sagas", "f"), Ref("sagas", "g")):
            with pytest.raises(InvalidInput, match="after: not in sagas"):
                await setting.alpha.query(DUE, WAITING, after=await setting.alpha.get(ref))
        await setting.create(Ref("other", "a"), SAGAS["a"])
        with pytest.raises(InvalidInput, match="after: not in sagas"):
            await setting.alpha.query(DUE, WAITING, after=await setting.alpha.get(Ref("other", "a")))

    async def test_an_index_without_equals_holds_every_document_with_a_value_to_order_by(self, setting):
        await setting.sagas(SAGAS)
        assert await ids(setting.alpha, WHOLE, {}) == ["d", "e", "h", "b", "c", "a"]

    async def test_an_update_moves_a_document_in_the_index(self, setting):
        version = await setting.create(Ref("sagas", "x"), {"state": "waiting", "due_at": "1"})
        await setting.update(Ref("sagas", "x"), {"state": "done", "due_at": "1"}, version)
        assert await ids(setting.alpha, DUE, WAITING) == []
        assert await ids(setting.alpha, DUE, {"state": "done"}) == ["x"]

    async def test_a_deleted_document_is_found_no_more(self, setting):
        await setting.sagas({"x": SAGAS["d"]})
        found = await setting.alpha.get(Ref("sagas", "x"))
        await setting.delete(found.ref, found.version)
        assert await ids(setting.alpha, DUE, WAITING) == []

    async def test_fields_inside_fields_and_several_equals(self, setting):
        await setting.sagas(
            {
                "a": {"owner": {"kind": "guest"}, "open": True, "number": 10},
                "b": {"owner": {"kind": "guest"}, "open": True, "number": 9.5},
                "c": {"owner": {"kind": "guest"}, "open": False, "number": 1},
                "d": {"owner": {"kind": "staff"}, "open": True, "number": 1},
                "e": {"owner": "guest", "open": True, "number": 1},
            }
        )
        assert await ids(setting.alpha, NUMBERED, {"owner.kind": "guest", "open": True}) == ["b", "a"]

    @pytest.mark.parametrize(
        ("value", "only"), [(1, "n"), (True, "t"), ("1", "s"), (None, "z"), ("true", "w")]
    )
    async def test_equality_tells_types_apart(self, setting, value, only):
        states = {"n": 1, "t": True, "s": "1", "z": None, "w": "true", "q": '"1"'}
        await setting.sagas({name: {"state": state, "due_at": "x"} for name, state in states.items()})
        await setting.sagas({"absent": {"due_at": "x"}})
        assert await ids(setting.alpha, DUE, {"state": value}) == [only]

    @pytest.mark.parametrize(("until", "found"), [(5, ["4", "5"]), ("5", ["t4"]), (4.5, ["4"])])
    async def test_until_compares_only_with_its_own_kind(self, setting, until, found):
        values = {"4": 4, "5": 5, "6": 6, "t4": "4", "t6": "6"}
        await setting.sagas({name: {"state": "waiting", "due_at": value} for name, value in values.items()})
        assert await ids(setting.alpha, DUE, WAITING, until=until) == found

    @pytest.mark.parametrize("text", ["o'clock", 'a"b', "a\\b", "%", "؟", "x'); DROP TABLE documents; --"])
    async def test_any_text_can_be_asked_for(self, setting, text):
        await setting.sagas({"a": {"state": text, "due_at": text}, "b": {"state": "b", "due_at": text}})
        assert await ids(setting.alpha, DUE, {"state": text}, until=text) == ["a"]

    async def test_a_query_stays_within_its_tenant(self, setting):
        await setting.sagas({"a": SAGAS["a"]})
        await setting.sagas({"b": SAGAS["b"]}, tenant=setting.beta)
        assert await ids(setting.alpha, DUE, WAITING) == ["a"]

    async def test_a_query_stays_within_its_collection(self, setting):
        await setting.create(Ref("other", "a"), SAGAS["a"])
        assert await ids(setting.alpha, DUE, WAITING) == []

    async def test_an_undeclared_index_is_refused_with_the_remedy(self, setting):
        with pytest.raises(UndeclaredIndex, match="add it to the indexes"):
            await setting.alpha.query(Index("sagas", ("colour",), "due_at"), {"colour": "red"})
        with pytest.raises(UndeclaredIndex, match="add it to the indexes"):
            await setting.store.sweep(NUMBERED, {"owner.kind": "guest", "open": True}, until=1)

    async def test_a_sweep_yields_tenant_and_id_and_nothing_else(self, setting):
        await setting.sagas(SAGAS)
        await setting.sagas({"a": SAGAS["d"], "z": SAGAS["a"]}, tenant=setting.beta)
        swept = await setting.store.sweep(DUE, WAITING, until="2026-05-02")
        assert list(swept) == [(ALPHA, "d"), (BETA, "a"), (ALPHA, "b"), (ALPHA, "c")]
        assert {type(tenant) for tenant, _ in swept} == {TenantId}

    async def test_a_sweep_in_shards_finds_all_of_them_in_one_order(self, setting):
        at = {f"s{number}": (number * 7) % 20 for number in range(20)}
        assert len({shard_of(name, SPREAD.shards) for name in at}) == SPREAD.shards
        await setting.sagas({name: {"spread_at": late} for name, late in at.items()})
        await setting.sagas({"s0": {"spread_at": 3}, "s1": {"spread_at": None}}, tenant=setting.beta)
        first = [(ALPHA, name) for name in sorted(at, key=at.get)][:11]
        first.insert(4, (BETA, "s0"))
        assert list(await setting.store.sweep(SPREAD, {}, until=10)) == first
        assert list(await setting.store.sweep(SPREAD, {}, until=10, limit=6)) == first[:6]

    async def test_a_document_leaves_its_shard_with_its_value(self, setting):
        version = await setting.create(Ref("sagas", "x"), {"spread_at": 1})
        await setting.update(Ref("sagas", "x"), {}, version)
        assert list(await setting.store.sweep(SPREAD, {}, until=10)) == []

    async def test_an_index_in_shards_is_for_sweeps_only(self, setting):
        with pytest.raises(UndeclaredIndex):
            await setting.alpha.query(SPREAD, {})

    async def test_a_sweep_keeps_its_limit(self, setting):
        await setting.sagas(SAGAS)
        assert list(await setting.store.sweep(DUE, WAITING, until="2027", limit=1)) == [(ALPHA, "d")]

    async def test_a_sweep_goes_on_from_a_value_that_is_included(self, setting):
        await setting.sagas(SAGAS)
        whole = [id_ for _, id_ in await setting.store.sweep(DUE, WAITING, until="2026-05-02")]
        since = {"since": SAGAS[whole[1]]["due_at"], "until": "2026-05-02"}
        assert [id_ for _, id_ in await setting.store.sweep(DUE, WAITING, **since)] == whole[1:]
        assert [id_ for _, id_ in await setting.store.sweep(DUE, WAITING, limit=1, **since)] == whole[1:2]
        with pytest.raises(InvalidInput, match="since"):
            await setting.store.sweep(DUE, WAITING, until="2026-05-02", since=1)

    @pytest.mark.parametrize(
        ("equals", "bounds"),
        [
            ({}, {}),
            ({"state": "waiting", "colour": "red"}, {}),
            ({"state": 0.5}, {}),
            ({"state": ["waiting"]}, {}),
            (WAITING, {"until": True}),
            (WAITING, {"until": float("nan")}),
            (WAITING, {"until": ["x"]}),
            (WAITING, {"limit": 0}),
            (WAITING, {"limit": 10**9}),
        ],
    )
    async def test_a_query_that_does_not_fit_is_refused(self, setting, equals, bounds):
        with pytest.raises(InvalidInput):
            await setting.alpha.query(DUE, equals, **bounds)
