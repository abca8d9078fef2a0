"""The agent as a process: its loop, its encoders, its console, until it is told to stop.

It leaves its address in the home for `status` and `doctor`, which cannot open a ledger that it holds. What it
says goes to standard error, one line a change, and names no guest, no card and no key.
"""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from edge_agent.agent.front import Front
from edge_agent.agent.loop import AgentLoop, kept_alive
from edge_agent.agent.machine import NamedEncoder, NamedSystem, radio_of, shelf_of
from edge_agent.agent.wiring import AgentParts, DeskAgent, wired
from edge_agent.hardware.encoders.encoder import DeskOfEncoders, SessionFact
from edge_agent.hardware.encoders.shelf import EncoderShelf, PlugNews
from edge_agent.issuing import facts
from edge_agent.ledger.ledger import LedgerThread
from edge_agent.pairing.device_keys import held_keys
from edge_agent.pairing.identity import DeskIdentity
from edge_agent.pairing.pair import Machine
from shared.kernel.ambient import SystemClock
from shared.kernel.ids import DrawnIds
from shared.vendor_kit.http import HttpClient

ADDRESS: Final = "agent.json"
PAUSE: Final = 1.0


@dataclass(frozen=True, slots=True)
class Serving:
    """How the agent is to run."""

    encoders: Sequence[NamedEncoder]
    port: int = 0
    automatic: bool = False
    systems: Sequence[NamedSystem] = ()
    radio: bool = False


async def serve(machine: Machine, serving: Serving) -> None:
    """Run the agent until it is told to stop."""
    clock = SystemClock()
    ids = DrawnIds(clock.now, machine.entropy.token)
    ledger = LedgerThread(machine.ledger, held_keys(machine.keychain).ledger, machine.entropy)
    http, sessions = HttpClient(4), asyncio.Queue[SessionFact]()
    try:
        identity = await ledger.run(DeskIdentity.in_ledger)
        desk = DeskOfEncoders(identity.property_id, identity.device, clock, ids, sessions.put_nowait)
        shelf = shelf_of(serving.encoders, desk)
        encoders = {name: shelf.encoder(name) for name in shelf.names}
        systems = {each.dialect: each.opened(clock) for each in serving.systems}
        radio = radio_of(identity, machine.keychain, clock) if serving.radio else None
        parts = AgentParts(machine, ledger, http, clock, ids, encoders, asyncio.sleep, systems, radio)
        await _live(wired(parts, identity), shelf, sessions, serving)
        for system in systems.values():
            await system.close()
        await shelf.close()
    finally:
        await http.close()
        await ledger.close()


async def _live(
    agent: DeskAgent, shelf: EncoderShelf, sessions: "asyncio.Queue[SessionFact]", serving: Serving
) -> None:
    stop, running = asyncio.Event(), asyncio.get_running_loop()
    for told in (signal.SIGTERM, signal.SIGINT):
        running.add_signal_handler(told, stop.set)
    loop = AgentLoop(agent, agent.parts.machine.entropy, lambda: tell_service("WATCHDOG=1"))
    front = Front(agent, loop)
    works = [
        kept_alive(loop.forever, _say("the line to the cloud"), PAUSE),
        kept_alive(lambda: shelf.watch(_plug_news, asyncio.sleep), _say("the encoders"), PAUSE),
        kept_alive(lambda: _told_on(agent, sessions), _say("the sessions"), PAUSE),
    ]
    if serving.automatic:
        works.append(kept_alive(front.write_what_lies_there, _say("the card"), PAUSE))
    tasks = [asyncio.create_task(work) for work in works]
    with ExitStack() as undo:
        listening = undo.enter_context(_listening(serving.port))
        undo.callback(_left(agent.parts.machine.home, listening).unlink, True)
        console = asyncio.create_task(_console(front, listening))
        tell_service("READY=1")
        await stop.wait()
        for task in (*tasks, console):
            task.cancel()
        await asyncio.gather(*tasks, console, return_exceptions=True)


async def _told_on(agent: DeskAgent, sessions: "asyncio.Queue[SessionFact]") -> None:
    """Write down which encoder was in use from when until when; the outbox carries it."""
    while True:
        told = await sessions.get()
        fact = facts.session(told, agent.parts.clock.now(), agent.device)
        await agent.parts.ledger.run(lambda it, fact=fact: it.tell(fact))  # type: ignore[misc]


def _listening(port: int) -> socket.socket:
    """Return a socket of this machine alone."""
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listening.bind(("127.0.0.1", port))
    return listening


def _left(home: Path, listening: socket.socket) -> Path:
    """Leave our address for the other commands of this machine."""
    path = home / ADDRESS
    path.touch(mode=0o600)
    path.write_text(json.dumps({"port": listening.getsockname()[1]}))
    _out(f"the console is at http://127.0.0.1:{listening.getsockname()[1]}/")
    return path


async def _console(front: Front, listening: socket.socket) -> None:
    import uvicorn

    from edge_agent.console.app import Console

    parts, port = front.agent.parts, listening.getsockname()[1]
    console = Console(front, port, parts.clock, parts.machine.entropy, front.agent.identity.zone)
    config = uvicorn.Config(
        console.app(), log_level="error", access_log=False, lifespan="off", server_header=False
    )
    server = uvicorn.Server(config)
    server.install_signal_handlers = lambda: None  # type: ignore[attr-defined]
    with suppress(asyncio.CancelledError):
        await server.serve(sockets=[listening])


def tell_service(words: str) -> None:
    """Tell whoever started us that we are there; a service that says nothing for long is started anew."""
    address = os.environ.get("NOTIFY_SOCKET")
    if not address:
        return
    # Whoever started us may be gone, and then nobody waits for a word.
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as said, suppress(OSError):
        said.sendto(words.encode(), address.replace("@", "\0", 1))


def _plug_news(news: PlugNews) -> None:
    _out(f"encoder {news.name} is {'plugged in' if news.plugged else 'gone'}")


def _say(what: str) -> Any:
    return lambda kind: _out(f"{what} broke off ({kind}), and begins anew")


def _out(text: str) -> None:
    at: datetime = SystemClock().now()
    sys.stderr.write(f"{at.isoformat(timespec='seconds')} {text}\n")
    sys.stderr.flush()
