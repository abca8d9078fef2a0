"""A simulator as a command, on loopback; the only place here that asks the machine for time and chance."""

import argparse
import asyncio
import contextlib
import logging
import os
import secrets
import socket
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import uvicorn
from pydantic import ValidationError

from infra.simulators.kit.app import Simulator
from infra.simulators.kit.errors import ConnectionCut
from infra.simulators.kit.loopback import post
from infra.simulators.kit.plan import Plan
from infra.simulators.kit.vendor import SimulatedVendor
from infra.simulators.kit.world import SimWorld

HOST = "127.0.0.1"
TICK_SECONDS = 1.0
BACKLOG = 1024
TOKEN_BYTES = 16


def serve(vendor: SimulatedVendor[Any], code: str, arguments: Sequence[str]) -> None:
    """Play a vendor until told to stop."""
    asked = _asked(vendor, code, arguments)
    with contextlib.suppress(KeyboardInterrupt), listening(asked.port) as listener:
        asyncio.run(_serve(_simulator(vendor, asked), listener))


def _simulator(vendor: SimulatedVendor[Any], asked: argparse.Namespace) -> Simulator[Any]:
    """Make the simulator that is asked for, and say where it is."""
    # Without a token of one's own, a new one is drawn and said once.
    token = asked.control_token or secrets.token_hex(TOKEN_BYTES)
    ahead = timedelta(seconds=asked.ahead)
    world = SimWorld(
        now=lambda: datetime.now(UTC) + ahead,  # noqa: TID251 - a simulator's own clock begins here
        chance=Random(asked.seed),  # noqa: S311 - repeatable on purpose
        sleep=asyncio.sleep,
        post=post,
        hotel=asked.hotel,
        control_token=token,
        authority=f"{HOST}:{asked.port}",
    )
    _quieten_cuts()
    _say(f"{vendor.name} simulator on http://{HOST}:{asked.port}, seed {asked.seed}")
    if not asked.control_token:
        _say(f"control token {token}")
    return Simulator(vendor, world)


def listening(port: int) -> socket.socket:
    """Return a socket that listens on loopback, or end with what to do about it."""
    # Said to be TCP in so many words: only then does asyncio send small answers at once, not 40 ms late.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((HOST, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        problem = f"cannot listen on port {port}: {os.strerror(error.errno or 0)}"
        sys.exit(f"error: {problem}\n  fix: stop what uses it, or choose another with --port")
    return listener


async def _serve(simulator: Simulator[Any], listener: socket.socket) -> None:
    settings = uvicorn.Config(
        simulator,
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=False,
    )
    ticking = asyncio.create_task(_tick(simulator))
    try:
        await uvicorn.Server(settings).serve(sockets=[listener])
    finally:
        ticking.cancel()


async def _tick(simulator: Simulator[Any]) -> None:
    while True:
        await asyncio.sleep(TICK_SECONDS)
        await simulator.deliver_due()


def _asked(vendor: SimulatedVendor[Any], code: str, arguments: Sequence[str]) -> argparse.Namespace:
    words = f"Serve {vendor.name}'s simulator on loopback."
    parser = argparse.ArgumentParser(prog=f"python -m infra.simulators {code}", description=words)
    parser.add_argument("--port", type=_port, required=True, help="from 1 to 65535")
    parser.add_argument("--ahead", type=float, default=0.0, help="how far its clock is ahead, in seconds")
    parser.add_argument("--seed", type=int, default=0, help="the same seed and requests give the same run")
    parser.add_argument(
        "--hotel", type=_Hotel(vendor.plan), help="a JSON file; without it, the sample guesthouse"
    )
    words = "what /_sim/ asks for, as @FILE: others see what a command says; drawn and printed if not given"
    parser.add_argument("--control-token", type=_token, help=words)
    return parser.parse_args(arguments)


def _token(text: str) -> str:
    if not text.startswith("@"):
        return text
    try:
        return Path(text[1:]).read_text(encoding="utf-8").strip()
    except OSError as error:
        raise argparse.ArgumentTypeError(f"cannot read it: {error.strerror}") from None


def _port(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError("no port: give a number from 1 to 65535")
    return int(text)


class _Hotel:
    """Reads a file in which a hotel of the vendor is written down."""

    def __init__(self, plan: type[Plan]) -> None:
        self._plan = plan

    def __call__(self, path: str) -> Plan:
        try:
            return self._plan.model_validate_json(Path(path).read_bytes())
        except OSError as error:
            raise argparse.ArgumentTypeError(f"cannot read {path}: {error.strerror}") from None
        except ValidationError as error:
            wrong = "".join(f"\n  {each}" for each in _complaints(error))
            raise argparse.ArgumentTypeError(f"{path} describes no hotel:{wrong}") from None


def _complaints(error: ValidationError) -> Iterator[str]:
    for each in error.errors(include_url=False, include_input=False):
        field = ".".join(map(str, each["loc"]))
        yield f"{field}: {each['msg']}" if field else each["msg"]


def _quieten_cuts() -> None:
    # Cutting a connection means ending in an exception, which uvicorn would report as ours.
    logging.getLogger("uvicorn.error").addFilter(
        lambda record: not (record.exc_info and isinstance(record.exc_info[1], ConnectionCut))
    )


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)  # noqa: T201 - the command's own output
