"""What Terraform would make, as `terraform show -json` tells it."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

_CELL: Final = re.compile(r'^module\.cell(?:\["(?P<cell>[^"]+)"\])?\.')
_KEY: Final = re.compile(r'\["(?P<key>[^"]*)"\]$')


@dataclass(frozen=True, slots=True)
class Made:
    """One resource, with the values that are known before an apply."""

    address: str
    type: str
    values: Mapping[str, Any]

    @property
    def key(self) -> str:
        """The row of a table that it is made of."""
        found = _KEY.search(self.address)
        return found["key"] if found else ""

    @property
    def place(self) -> str:
        """Module, type and name: what all rows of one table share."""
        return _KEY.sub("", _CELL.sub("", self.address))

    @property
    def cell(self) -> str:
        """The cell that it belongs to."""
        found = _CELL.match(self.address)
        return (found["cell"] or "") if found else ""

    def block(self, name: str) -> Mapping[str, Any]:
        """Return a block that stands once; an empty one where it does not stand."""
        found = self.values.get(name) or [{}]
        block: Mapping[str, Any] = found[0] if isinstance(found, list) else found
        return block


@dataclass(frozen=True)
class Cell:
    """All resources of one cell."""

    name: str
    made: tuple[Made, ...]

    def of(self, *types: str) -> Iterator[Made]:
        """Yield the resources of some types."""
        return (each for each in self.made if each.type in types)

    def at(self, place: str) -> Mapping[str, Made]:
        """Return the resources of one place, by the rows that they are made of."""
        return {each.key: each for each in self.made if each.place == place}

    @cached_property
    def functions(self) -> Mapping[str, Made]:
        """Every function, by name."""
        return self.at("module.functions.google_cloudfunctions2_function.this")

    @cached_property
    def services(self) -> Mapping[str, Made]:
        """Every service, by name."""
        return self.at("module.functions.google_cloud_run_v2_service.this")

    @cached_property
    def project(self) -> str:
        """The cell's project."""
        return next(str(each.values["project"]) for each in self.of("google_pubsub_topic"))

    @cached_property
    def region(self) -> str:
        """The cell's region, as its databases have it."""
        return next(str(each.values["location_id"]) for each in self.of("google_firestore_database"))

    def told(self, function: str) -> Mapping[str, str]:
        """Return what a function's environment holds."""
        if service := self.services.get(function):
            template = service.block("template")
            return {each["name"]: each["value"] for each in template["containers"][0]["env"]}
        made = self.functions.get(function)
        told: Mapping[str, str] = made.block("service_config")["environment_variables"] if made else {}
        return told


def cells(shown: Mapping[str, Any]) -> tuple[Cell, ...]:
    """Return the cells of a plan."""
    made = [
        Made(each["address"], each["type"], each["change"]["after"] or {})
        for each in shown.get("resource_changes", ())
        if each["mode"] == "managed" and _CELL.match(each["address"])
    ]
    names = sorted({each.cell for each in made})
    return tuple(Cell(name, tuple(each for each in made if each.cell == name)) for name in names)
