"""`keyfleet hotel import FILE`: a hotel is set up from one file, and what does not fit is told."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.problems import Refused

Json = Mapping[str, Any]
File = Annotated[
    Path, typer.Argument(help="The hotel, in YAML or JSON: tenant, property, rooms, devices, policy.")
]
Simulated = Annotated[
    int | None,
    typer.Option("--simulated", help="Open its account at the simulator on this port, to play with."),
]


def import_hotel(at: FleetAddress, file: File, simulated: Simulated = None) -> Answer:
    """Set a hotel up as a file describes it; the same file again changes nothing."""
    told = _read(file) | ({} if simulated is None else {"simulator_port": simulated})
    facts = ControlPlane(at).post("hotels", body=told)
    return Answer(facts, tuple(_said(facts)))


def _read(file: Path) -> dict[str, Any]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        told = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
    except OSError:
        raise Refused(f"{file.name} cannot be read", "name a file that is there") from None
    except (YAMLError, UnicodeDecodeError):
        raise Refused(f"{file.name} is no YAML", "write it as infra/local/sample/hotel.yaml is") from None
    if not isinstance(told, dict):
        raise Refused(f"{file.name} holds no hotel", "write it as infra/local/sample/hotel.yaml is")
    return told


def _said(facts: Json) -> Iterator[Text]:
    counts = f"{facts['created']} made, {facts['changed']} changed, {facts['unchanged']} as they were"
    yield line(plain(facts["property"], "bold"), f" of {facts['tenant']}: {counts}")
    for name, words in _LOOK_AT.items():
        if facts[name]:
            yield line(plain(f"    {words}: ", "yellow"), ", ".join(facts[name]))
    for vendor in facts["accounts_opened"]:
        yield line(f"    its account at the simulated {vendor} is open")


_LOOK_AT = {
    "rooms_without_lock": "rooms without a lock",
    "rooms_without_own_lock": "rooms that only shared doors lead to",
    "not_in_file": "locks kept that the file does not name",
}
