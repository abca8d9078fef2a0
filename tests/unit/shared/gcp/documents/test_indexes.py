"""The emulator answers any query: that Firestore has an index for each of ours is shown here."""

import re

import pytest

from shared.domain.errors import InvalidInput
from shared.gcp.documents.form import forms
from shared.gcp.documents.indexes import composite_indexes, field_settings
from shared.gcp.documents.queries import Query
from shared.ports.collections import Collection, collections_in
from shared.ports.documents import Index, shard_of
from shared.runtime.indexes import INDEXES

DUE = Index("sagas", ("state", "owner.kind"), "due_at", swept=True)
OPEN = Index("grants", ("state",), "until.day")
SPREAD = Index("sagas", (), "due_at", swept=True, shards=8)
LATEST = Index("events", (), "at", swept=True)
EQUALS = {"state": None, "owner.kind": "guest"}
MIDNIGHT = 1_772_323_200_000
QUERIES = [
    (index, across)
    for index in INDEXES
    for across in (False, True)
    if (index.swept or not across) and (across or index.shards == 1)
]
PLAIN_PATH = re.compile(r"[A-Za-z_]\w*(\.([A-Za-z_]\w*|`[A-Za-z_.]+`))*", re.ASCII)
MOST_FIELDS = 100


def asked_for(index, until, *, across):
    """Return the paths a query compares, then those it orders by."""
    equals = {field: EQUALS.get(field, "any") for field in index.equals}
    shard = None if index.shards == 1 else index.shards - 1
    query = Query(index, equals, until, across=across, shard=shard).page(10, None)
    filters = [(each.field_filter or each.unary_filter) for each in query.where.composite_filter.filters]
    order = [order.field.field_path for order in query.order_by if order.field.field_path != "__name__"]
    return [each.field.field_path for each in filters], order, query


@pytest.mark.parametrize("until", [None, "2026"])
@pytest.mark.parametrize(("index", "across"), [(DUE, False), (DUE, True), (OPEN, False), (SPREAD, True)])
def test_every_query_reads_exactly_the_fields_of_its_index_in_their_order(index, across, until):
    compared, ordered, query = asked_for(index, until, across=across)
    scope = "COLLECTION_GROUP" if across else "COLLECTION"
    (made,) = [each for each in composite_indexes(index) if each["query_scope"] == scope]
    assert list(dict.fromkeys([*compared, *ordered])) == [each["field_path"] for each in made["fields"]]
    assert {each["order"] for each in made["fields"]} == {query.order_by[0].direction.name}
    assert (query.from_[0].collection_id, query.from_[0].all_descendants) == (made["collection"], across)


def test_only_a_swept_index_reaches_across_tenants():
    scopes = {index: [each["query_scope"] for each in composite_indexes(index)] for index in (DUE, OPEN)}
    assert scopes == {DUE: ["COLLECTION", "COLLECTION_GROUP"], OPEN: ["COLLECTION"]}


def test_what_is_swept_in_shards_is_in_no_index_by_its_time_alone():
    assert [each["query_scope"] for each in composite_indexes(SPREAD)] == ["COLLECTION_GROUP"]
    assert [each for each in field_settings([SPREAD], []) if each["field"] == "order.due_at"] == []


def test_a_document_falls_into_the_shard_of_its_id_while_it_has_a_value():
    form = forms([SPREAD])["sagas"]
    assert form.copies("key_1", {"due_at": 7}) == ({"due_at.shard": shard_of("key_1", 8)}, {"due_at": 7})
    assert form.copies("key_1", {"due_at": None}) == ({}, {})


def test_a_dotted_field_is_one_quoted_name():
    (made,) = composite_indexes(OPEN)
    assert [each["field_path"] for each in made["fields"]] == ["equal.state", "order.`until.day`"]


def test_an_index_of_one_field_is_a_setting_of_that_field():
    assert composite_indexes(LATEST) == []
    swept = {"collection": "events", "field": "order.at"}
    assert swept.items() <= field_settings([LATEST], [])[0].items()


def test_every_field_of_a_collection_is_exempt_by_one_setting_and_expiry_is_a_time_to_live():
    kept = [Collection("sagas", "for ever"), Collection("leases", "for a time", expires=True)]
    settings = field_settings([], kept)
    assert [each for each in settings if each["collection"] == "sagas"] == [
        {"collection": "sagas", "field": "*", "indexes": []}
    ]
    assert {each["field"]: each for each in settings if each["collection"] == "leases"} == {
        "*": {"collection": "leases", "field": "*", "indexes": []},
        "expires_at": {"collection": "leases", "field": "expires_at", "indexes": [], "ttl": True},
    }


def test_every_collection_that_is_asked_is_exempt_by_default():
    settings = field_settings(INDEXES, collections_in(sealed=False))
    exempt = {each["collection"] for each in settings if each["field"] == "*"}
    assert {index.collection for index in INDEXES} <= exempt


def test_a_sweep_reads_nothing_of_a_document_but_what_the_next_page_needs():
    _, _, query = asked_for(DUE, "2026", across=True)
    assert [field.field_path for field in query.select.fields] == ["order.due_at", "__name__", "expires_at"]


def test_a_field_that_is_no_plain_name_is_refused():
    with pytest.raises(InvalidInput):
        composite_indexes(Index("sagas", ("a`b",), "due_at"))


@pytest.mark.parametrize(("index", "across"), QUERIES)
def test_firestore_has_an_index_for_every_query_of_the_fleet(index, across):
    compared, ordered, query = asked_for(index, MIDNIGHT, across=across)
    paths = tuple(dict.fromkeys([*compared, *ordered]))
    assert (query.from_[0].collection_id, across, paths) in provided()
    bound = query.where.composite_filter.filters[-1].field_filter
    assert (bound.field.field_path, bound.value.integer_value) == (ordered[0], MIDNIGHT)


def provided():
    """Return what Firestore has an ascending index of: whose, across tenants or not, and the paths."""
    made = [each for index in INDEXES for each in composite_indexes(index)]
    composite = {
        (each["collection"], each["query_scope"] == "COLLECTION_GROUP", paths_of(each)) for each in made
    }
    single = {
        (each["collection"], index["query_scope"] == "COLLECTION_GROUP", (each["field"],))
        for each in field_settings(INDEXES, [])
        for index in each["indexes"]
    }
    return composite | single


def test_every_index_of_the_fleet_is_one_that_firestore_creates():
    made = [each for index in INDEXES for each in composite_indexes(index)]
    kinds = [(each["collection"], each["query_scope"], paths_of(each)) for each in made]
    assert len(set(kinds)) == len(kinds)
    for _, _, paths in kinds:
        assert (
            2 <= len(set(paths)) == len(paths) <= MOST_FIELDS
        )  # of one field, Firestore refuses a composite
        assert [path for path in paths if not PLAIN_PATH.fullmatch(path)] == []


def test_no_field_of_the_fleet_is_set_twice():
    settings = field_settings(INDEXES, collections_in(sealed=False))
    fields = [(each["collection"], each["field"]) for each in settings]
    assert len(set(fields)) == len(fields)


def paths_of(made):
    return tuple(field["field_path"] for field in made["fields"])
