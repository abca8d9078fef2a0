"""`keyfleet document`: one document of the running fleet, as it is kept."""

from typing import Annotated

import typer

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer
from infra.cli.control import ControlPlane
from infra.cli.problems import not_found

Tenant = Annotated[str, typer.Argument(help="The tenant it belongs to, such as tnt_silk.")]
Collection = Annotated[str, typer.Argument(help="The collection it lies in, such as rooms.")]
Id = Annotated[str, typer.Argument(help="The document's id, such as rmu_101.")]


def document(at: FleetAddress, tenant: Tenant, collection: Collection, identity: Id) -> Answer:
    """Print a document and its version as JSON."""
    facts = ControlPlane(at).get("documents", tenant, collection, identity)
    if facts.get("document") is None:
        _check_collection(collection)
        where = f"check tenant ({tenant}), collection ({collection}) and id: capital letters count in each"
        raise not_found("document", [identity], where)
    return Answer(facts, always_json=True)


def _check_collection(collection: str) -> None:
    """Refuse a collection that there is none of, with those of a like name, or else with all."""
    from difflib import get_close_matches

    from shared.ports.collections import collections_in

    known = [each.name for each in collections_in(sealed=False)]
    if collection not in known:
        near = get_close_matches(collection, known) or known
        raise not_found("collection", [collection], f"name one of {', '.join(near)}")
