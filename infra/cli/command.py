"""From a function that returns an Answer to a command: the shared options, the exit code, the errors."""

import inspect
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Annotated, Any, Concatenate, NoReturn, ParamSpec

import typer

from infra.cli.address import HOME, PORT, FleetAddress
from infra.cli.answer import Answer, Outcome, Telling, errors, print_answer, print_part, print_problem
from infra.cli.problems import Failed, Problem
from infra.cli.sim.simulator import Simulator, simulator_at

P = ParamSpec("P")
Announce = Callable[[Answer], None]
Subject = Callable[[dict[str, Any]], object]
Parameters = tuple[inspect.Parameter, ...]
Home = Annotated[
    Path,
    # Not looked at here: doctor tells what is wrong with a home, each command what it could not do there.
    typer.Option(
        envvar="KEYFLEET_HOME", readable=False, help="The fleet's folder: its database and its keys."
    ),
]
Port = Annotated[
    int, typer.Option(envvar="KEYFLEET_PORT", min=1, max=65535, help="The fleet's port on this machine.")
]
SimulatorPort = Annotated[
    int | None,
    typer.Option(
        envvar="KEYFLEET_SIM_PORT", min=1, max=65535, help="The simulator's port; else the fleet's and one."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, and nothing else.")]
OURS = frozenset({"edge_agent", "functions", "infra", "shared"})
"""What is missing of these is a fault of ours; of any other package, a release that was not set up."""
_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_JSON = inspect.Parameter("as_json", _KEYWORD, default=False, annotation=Json)
_PLACE = (
    inspect.Parameter("home", _KEYWORD, default=HOME, annotation=Home),
    inspect.Parameter("port", _KEYWORD, default=PORT, annotation=Port),
)
_SIMULATOR = (
    inspect.Parameter("home", _KEYWORD, default=HOME, annotation=Home),
    inspect.Parameter("port", _KEYWORD, default=None, annotation=SimulatorPort),
    inspect.Parameter("fleet_port", _KEYWORD, default=PORT, annotation=Port),
)


def on_its_own(run: Callable[P, Outcome]) -> Callable[..., None]:
    """Make a command that needs no fleet."""

    def command(*, as_json: bool, **given: Any) -> None:
        with stopping_at_problems(as_json=as_json):
            _finish(run(**given), as_json=as_json)  # type: ignore[call-arg]  # typer gives what run asks for

    return _signed(command, run, list(_own(run)), (_JSON,))


def at_a_place(run: Callable[Concatenate[FleetAddress, P], Outcome]) -> Callable[..., None]:
    """Make a command about one fleet, which it gets as its first argument."""
    return _about(_place, run, _PLACE)


def at_a_simulator(run: Callable[Concatenate[Simulator, P], Outcome]) -> Callable[..., None]:
    """Make a command about simulated doors, whose simulator it gets as its first argument."""
    return _about(_simulator, run, _SIMULATOR)


def serving_at_a_place(run: Callable[Concatenate[FleetAddress, Announce, P], None]) -> Callable[..., None]:
    """Make a command that is a fleet, and announces itself when it is one."""
    return _serving(_place, run, _PLACE)


def serving_as_a_simulator(run: Callable[Concatenate[Simulator, Announce, P], None]) -> Callable[..., None]:
    """Make a command that is a simulator, and announces itself."""
    return _serving(_simulator, run, _SIMULATOR)


def _about(subject: Subject, run: Callable[..., Outcome], shared: Parameters) -> Callable[..., None]:
    def command(*, as_json: bool, **given: Any) -> None:
        with stopping_at_problems(as_json=as_json):
            it = subject(given)
            _finish(run(it, **given), as_json=as_json)

    return _signed(command, run, _own(run)[1:], (*shared, _JSON))


def _serving(subject: Subject, run: Callable[..., None], shared: Parameters) -> Callable[..., None]:
    def command(*, as_json: bool, **given: Any) -> None:
        with stopping_at_problems(as_json=as_json):
            it = subject(given)
            run(it, lambda answer: print_answer(answer, as_json=as_json), **given)

    return _signed(command, run, _own(run)[2:], (*shared, _JSON))


def _place(given: dict[str, Any]) -> FleetAddress:
    return FleetAddress(given.pop("home"), given.pop("port"))


def _simulator(given: dict[str, Any]) -> Simulator:
    return simulator_at(FleetAddress(given.pop("home"), given.pop("fleet_port")), given.pop("port"))


@contextmanager
def stopping_at_problems(*, as_json: bool) -> Iterator[None]:
    """Turn a problem into its words and its exit code."""
    try:
        with _packages_named():
            yield
    except Problem as problem:
        print_problem(problem, as_json=as_json)
        raise typer.Exit(problem.exit_code) from None


@contextmanager
def _packages_named() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] in OURS:
            raise
        remedy = "make setup, which installs what this release needs"
        raise Failed(f"the package {error.name} is not installed here", remedy) from None


def _finish(outcome: Outcome, *, as_json: bool) -> NoReturn:
    answer = outcome if isinstance(outcome, Answer) else _told(outcome, as_json=as_json)
    print_answer(answer, as_json=as_json)
    raise typer.Exit(answer.exit_code)


def _told(telling: Telling, *, as_json: bool) -> Answer:
    while True:
        try:
            with _patience_asked():
                part = next(telling)
        except StopIteration as end:
            answer: Answer = end.value
            return answer
        if not as_json:
            print_part(part)


def _patience_asked() -> AbstractContextManager[object]:
    screen = errors()
    return screen.status("one moment") if screen.is_terminal else nullcontext()


def _own(run: Callable[..., object]) -> list[inspect.Parameter]:
    return list(inspect.signature(run, eval_str=True).parameters.values())


def _signed(
    command: Callable[..., None],
    run: Callable[..., object],
    own: list[inspect.Parameter],
    shared: Parameters,
) -> Callable[..., None]:
    # Typer reads a command's options from its signature; the shared ones are written here once, not in each.
    parameters = [*(each.replace(kind=_KEYWORD) for each in own), *shared]
    command.__name__, command.__doc__ = run.__name__, run.__doc__
    command.__annotations__ = {each.name: each.annotation for each in parameters}
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]  # any callable may have one
    return command
