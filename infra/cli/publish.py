"""`keyfleet publish`: put an event on the bus, as the service that owns it would."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from infra.cli.address import FleetAddress
from infra.cli.inputs import json_file, json_object
from infra.cli.problems import Refused
from infra.cli.publishing import Request

LONGEST_SUBJECT = 128
Subject = Annotated[
    str | None,
    typer.Argument(
        help="A subject, such as melmastoon.tenant.config_updated.v1; a whole event names its own."
    ),
]
Data = Annotated[str | None, typer.Option(help="The payload: JSON, @file, or - for stdin.")]
Tenant = Annotated[str | None, typer.Option(help="The tenant the event belongs to.")]
Event = Annotated[
    Path | None,
    typer.Option(
        help="A whole event in a file or (-) stdin, as README.md shows one: instead of --data and --tenant."
    ),
]
Key = Annotated[
    str | None,
    typer.Option(help="The ordering key. Unless given, the payload's reservation if it names one."),
]


def publish(
    _at: FleetAddress,
    subject: Subject = None,
    data: Data = None,
    tenant: Tenant = None,
    event: Event = None,
    ordering_key: Key = None,
) -> Request:
    """Publish an event; it is validated first, and nothing invalid is published."""
    content = _content(data, tenant, event)
    request: dict[str, Any] = {"subject": subject or _named_by(content), **content}
    if ordering_key is not None:
        request["ordering_key"] = ordering_key
    return request


def _named_by(content: Mapping[str, Any]) -> str:
    event = content.get("event", {})
    subject, kind = event.get("subject"), event.get("type")
    if isinstance(subject, str):
        return subject
    if isinstance(kind, str):
        raise Refused(
            "the event has a type and no subject", f'add "subject" to it: "{kind[:LONGEST_SUBJECT]}"'
        )
    raise Refused("the subject is missing", "name one, such as melmastoon.tenant.config_updated.v1")


def _object_in(file: Path) -> Any:
    event = json_file(file, "--event")
    if not isinstance(event, dict):
        raise Refused(f"--event: {file} holds no JSON object", "write one event, as README.md shows it")
    return event


def _content(data: str | None, tenant: str | None, event: Path | None) -> dict[str, Any]:
    if event is not None:
        if data is not None or tenant is not None:
            raise Refused("--event holds a whole event", "leave --data and --tenant out, or --event")
        return {"event": _object_in(event)}
    if data is None or tenant is None:
        missing = "--data" if data is None else "--tenant"
        raise Refused(f"{missing} is missing", "pass --data and --tenant, or a whole event with --event")
    return {"data": json_object(data, "--data"), "tenant": tenant}
