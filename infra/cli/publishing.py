"""A command that publishes an event: what it says of it, and how it waits for what comes of it."""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, Concatenate, Final, ParamSpec

import typer
from rich.text import Text

from infra.cli.address import FleetAddress
from infra.cli.answer import Answer, line, plain
from infra.cli.control import ControlPlane
from infra.cli.outcome import PATIENCE_SECONDS, Wait, awaited, warned

P = ParamSpec("P")
Request = Mapping[str, Any]
"""What the control plane is asked to publish."""
LONGEST_WAIT: Final = 86_400
Waiting = Annotated[
    bool,
    typer.Option(
        "--wait",
        help="Wait for what comes of it: the key's state, or why there is none. "
        "Exit status 1 if it was set aside, failed, or is not over in time.",
    ),
]
Within = Annotated[float, typer.Option(min=0, max=LONGEST_WAIT, help="How many seconds --wait waits.")]
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_WAITING = (
    inspect.Parameter("wait", _KEYWORD, default=False, annotation=Waiting),
    inspect.Parameter("within", _KEYWORD, default=PATIENCE_SECONDS, annotation=Within),
)


def publishing(compose: Callable[Concatenate[FleetAddress, P], Request]) -> Callable[..., Answer]:
    """Make a command that publishes what is composed, and waits for what comes of it where that is asked."""

    def command(at: FleetAddress, *, wait: bool, within: float, **given: Any) -> Answer:
        request = compose(at, **given)  # type: ignore[call-arg]  # typer gives what compose asks for
        return sent(at, request, Wait(within) if wait else None)

    own = inspect.signature(compose, eval_str=True).parameters.values()
    command.__name__, command.__doc__ = compose.__name__, compose.__doc__
    command.__signature__ = inspect.Signature([*own, *_WAITING])  # type: ignore[attr-defined]  # any callable may
    return command


def sent(at: FleetAddress, request: Request, wait: Wait | None) -> Answer:
    """Publish what is asked for, and wait for what comes of it where that is wanted."""
    facts = ControlPlane(at).post("publish", body=request)
    said = (
        line("Published ", plain(facts["event_id"], "bold"), f" on {facts['topic']}."),
        *warned(facts),
    )
    if wait is None or facts.get("kept_for") or not facts.get("listeners"):
        return Answer(facts, (*said, *_heard(at, facts)), 0 if wait is None else 1)
    answer = awaited(at, facts, wait)
    return replace(answer, said=(*said, *answer.said))


def _heard(at: FleetAddress, facts: Mapping[str, Any]) -> tuple[Text, ...]:
    if "listeners" not in facts:
        return (line(f"It is kept as message {facts['message_id']}."),)
    if facts.get("kept_for"):
        return (_kept(at, facts),)
    if not facts["listeners"]:
        return (_unheard(),)
    return (
        line(f"It is kept as message {facts['message_id']}, for ", ", ".join(facts["listeners"]), "."),
        line(f"What a function cannot accept is set aside: keyfleet dead-letter list{at.flags}"),
    )


def _kept(at: FleetAddress, facts: Mapping[str, Any]) -> Text:
    function = facts["kept_for"].partition(".")[0]
    return line(
        plain(f"Nothing handles this subject yet: it is kept as message {facts['message_id']}", "yellow"),
        f", and delivered when {function} comes: see keyfleet dead-letter list{at.flags}",
    )


def _unheard() -> Text:
    from infra.manifest.load import load_manifest

    return line(
        plain("Nobody listens to this subject here, so nothing will happen", "yellow"),
        "; functions listen to: ",
        ", ".join(load_manifest().topics()),
    )
