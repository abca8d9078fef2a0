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
        where = f"check tenant ({tenant}), collection ({collection}) and id: capital letters count in each"
        raise not_found("document", [identity], where)
    return Answer(facts, always_json=True)
