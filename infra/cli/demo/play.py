"""The command: the story told as it happens, a line per claim, and a verdict."""

import signal
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from infra.cli.answer import Answer, Telling, line, plain
from infra.cli.control import ControlPlane
from infra.cli.demo.claim import Claim
from infra.cli.demo.process import FleetProcess
from infra.cli.demo.story import ACTS, Demo
from infra.cli.executions import timeline
from infra.cli.patience import Patience
from infra.cli.place import Place


def demo() -> Telling:
    """Run the main job in a folder of its own: an event, a saga, a kill -9, and what came of them."""
    patience = Patience()
    began, claims = patience.seconds(), list[Claim]()
    with _a_fleet(patience) as (at, story):
        yield line(plain("keyfleet demo", "bold"), f": the embedded cloud at {at.base_url}, in {at.home}")
        for claim in story.acts():
            claims.append(claim)
            yield claim.said()
            if not claim.held:
                break
    yield line("\nWhat the journal kept of the saga, over both processes:")
    yield from timeline(story.history.get("steps", []), at.base_url)
    return _verdict(claims, story, round(patience.seconds() - began, 3))


@contextmanager
def _a_fleet(patience: Patience) -> Iterator[tuple[Place, Demo]]:
    from infra.local.server import free_port

    # Told to stop, the demo must not leave a fleet behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="keyfleet-demo-") as folder:
        at = Place(Path(folder) / "home", free_port())
        process = FleetProcess(at, Path(folder) / "fleet.log", patience)
        try:
            yield at, Demo(process, ControlPlane(at), patience)
        finally:
            process.stop()


def _verdict(claims: list[Claim], story: Demo, seconds: float) -> Answer:
    held = len(claims) == len(ACTS) and all(claim.held for claim in claims)
    facts = {
        "held": held,
        "seconds": seconds,
        "claims": [claim.described() for claim in claims],
        "execution": story.execution,
        "steps": story.history.get("steps", []),
    }
    text = f"\n✓ All {len(ACTS)} claims hold" if held else f"\n✗ {claims[-1].text} It was not so"
    said = line(plain(text, "bold green" if held else "bold red"), f", after {seconds:.1f} s.")
    hint = line("Keep one running: keyfleet up --sample, then keyfleet status and keyfleet --help.")
    return Answer(facts, (said, hint), 0 if held else 1)
