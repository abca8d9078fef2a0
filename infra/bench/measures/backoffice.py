"""The dashboard of a hotel with two hundred rooms, asked for by thirty-two desks at once, over the wire.

Each page is proven, counted in its session and told by its share, as every page is.
"""

import http.client
import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import uvloop

from infra.bench.client import Varied
from infra.bench.figures import BenchError, Figure, Ground, Measure, Sample
from infra.bench.hotel import PROPERTY, TENANT
from infra.bench.processes import Process, answering
from infra.local.ambient import SystemClock, SystemEntropy
from infra.local.people import PEOPLE_KEY, Badge, LocalPeople
from infra.local.server import free_port
from shared.domain.ids import UserId
from shared.domain.permissions import Role

DESKS: Final = 32
ROOMS, A_FEW = 200, 8
ROOT: Final = "/backoffice/bff/v1"
DASHBOARD: Final = f"{ROOT}/properties/{PROPERTY}/dashboard"
P95, CPU = "backoffice.{}_dashboard_p95_ms_at_32", "backoffice.{}_dashboard_cpu_ms_at_32"
FLOORS: Final = {"cached": 150.0, "composed": 400.0}
FIGURES = {
    **{P95.format(mode): Figure("ms", "lower", floor=floor) for mode, floor in FLOORS.items()},
    **{CPU.format(mode): Figure("ms", "lower") for mode in FLOORS},
}
PATIENCE: Final = 30.0
TRIES: Final = 20


def take(ground: Ground) -> Sample:
    """Ask for as many pages as there is time for, from what is kept, and then read anew."""
    sample: dict[str, float] = {}
    rooms, many = (A_FEW, A_FEW) if ground.effort.quick else (ROOMS, DESKS)
    for mode in FLOORS:
        port, home = free_port(), ground.folder / mode
        program: list[str | Path] = ["-m", "infra.bench.programs.backoffice", home, str(port), str(rooms)]
        with answering([*program, *(["composed"] if mode == "composed" else [])], port, ground.folder) as it:
            desks = [signed_in(number, home, port) for number in range(many)]
            check_whole(partial(asked, "GET", DASHBOARD, port, desks[0]), rooms)
            sample |= _loaded(mode, it, desks, ground.effort.seconds)
    return sample


def _loaded(mode: str, fleet: Process, desks: list[Mapping[str, str]], seconds: float) -> Sample:
    loop, before = Varied(_requests(fleet.port, desks)), fleet.cpu_seconds()
    uvloop.run(loop.per_second(fleet.port, len(desks), seconds))
    spent = (fleet.cpu_seconds() - before) / loop.answers * 1e3
    p95 = sorted(loop.took)[math.ceil(0.95 * len(loop.took)) - 1] * 1e3
    return {P95.format(mode): p95, CPU.format(mode): spent}


def _requests(port: int, desks: list[Mapping[str, str]]) -> Iterator[bytes]:
    for headers in itertools.cycle(desks):
        lines = [f"GET {DASHBOARD} HTTP/1.1", f"host: 127.0.0.1:{port}"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        yield "\r\n".join(lines).encode() + b"\r\n\r\n"


def signed_in(number: int, home: Path, port: int) -> Mapping[str, str]:
    """Return what a desk sends with each request, once its operator is signed in there."""
    people = LocalPeople.at(home / PEOPLE_KEY, SystemClock().now, SystemEntropy().token)
    badge = Badge(TENANT, UserId(f"usr_{number}"), frozenset({Role.GM}), None)
    headers = {
        "authorization": f"Bearer {people.token(badge, f'http://127.0.0.1:{port}')}",
        "backoffice-device": f"dev_{number}",
    }
    wish = {
        "deviceId": headers["backoffice-device"],
        "fingerprint": f"fingerprint-of-machine-{number}",
        "appVersion": "1.4.2",
        "appPlatform": "linux",
        "locale": "en",
        "primaryPropertyId": PROPERTY,
    }
    return {
        **headers,
        "backoffice-session": asked("POST", f"{ROOT}/sessions", port, headers, wish)["secret"],
    }


def asked(
    method: str, path: str, port: int, headers: Mapping[str, str], body: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """Ask the fleet for one thing, on a connection of its own."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    sent = {**headers, "content-type": "application/json"}
    connection.request(method, path, None if body is None else json.dumps(body), sent)
    answer = connection.getresponse()
    told: dict[str, Any] = json.loads(answer.read() or b"{}")
    connection.close()
    if answer.status >= 300:
        raise BenchError(f"the backoffice answered {answer.status}: {told.get('detail')}")
    return told


def check_whole(ask: Callable[[], Mapping[str, Any]], rooms: int) -> None:
    """Refuse to measure a page on which something is missing, or that is not of a full hotel.

    On a busy machine a widget may come too late for the first page; it is there for the next.
    """
    pages = (ask() for _ in range(TRIES))
    page = next((each for each in pages if not each["partial"]), None)
    if page is None:
        raise BenchError("no dashboard was whole: mend that first")
    widgets = [page["widgets"][name]["items"] for name in ("arrivals", "departures", "in_house")]
    stays = {each["reservation"] for items in widgets for each in items}
    if len(stays) != rooms:
        raise BenchError(f"the dashboard shows {len(stays)} stays in {rooms} rooms: mend that first")


MEASURE = Measure("backoffice", FIGURES, take)
