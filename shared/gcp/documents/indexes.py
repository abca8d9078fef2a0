"""What Firestore must be told of our indexes, in the words of Terraform's resources."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from shared.gcp.documents.form import EQUAL, EXPIRES, ORDER, shard_field
from shared.gcp.documents.names import path_of
from shared.ports.collections import Collection
from shared.ports.document_limits import check_index
from shared.ports.documents import Index

ASCENDING: Final = "ASCENDING"
COLLECTION, GROUP = "COLLECTION", "COLLECTION_GROUP"
EVERY: Final = "*"
"""Any field of a collection: without an exemption Firestore would index each leaf of every document."""


def composite_indexes(index: Index) -> Sequence[Mapping[str, Any]]:
    """Return the `google_firestore_index` resources a declared index needs: none where one field is all."""
    check_index(index)
    equals = [*index.equals, *([shard_field(index.order_by)] if index.shards > 1 else [])]
    if not equals:
        return []
    paths = [*(path_of(EQUAL, field) for field in equals), path_of(ORDER, index.order_by)]
    fields = [{"field_path": path, "order": ASCENDING} for path in paths]
    return [
        {"collection": index.collection, "query_scope": scope, "fields": fields} for scope in _scopes(index)
    ]


def field_settings(
    indexes: Iterable[Index], collections: Iterable[Collection]
) -> Sequence[Mapping[str, Any]]:
    """Return the `google_firestore_field` resources: what is exempt, expires, or is asked for alone."""
    found = list(collections)
    return [
        *({"collection": each.name, "field": EVERY, "indexes": []} for each in found),
        *(
            {"collection": each.name, "field": EXPIRES, "indexes": [], "ttl": True}
            for each in found
            if each.expires
        ),
        *(_alone(index) for index in indexes if not index.equals and index.shards == 1),
    ]


def _alone(index: Index) -> Mapping[str, Any]:
    field = path_of(ORDER, index.order_by)
    indexes = [{"order": ASCENDING, "query_scope": scope} for scope in _scopes(index)]
    return {"collection": index.collection, "field": field, "indexes": indexes}


def _scopes(index: Index) -> Sequence[str]:
    if index.shards > 1:
        return [GROUP]
    return [COLLECTION, GROUP] if index.swept else [COLLECTION]
