"""Webhooks a second that a receiver acknowledges, each proven, read and kept, beside the same write alone.

Every webhook is another one, signed before the clock runs; an answer comes after its commit is on the disk.
"""

import time
from collections.abc import Iterator
from pathlib import Path
from statistics import quantiles

import orjson
import uvloop

from infra.bench.client import Varied, request
from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.hotel import FIRST_LOCK, MOCK, PROPERTY, TENANT
from infra.bench.processes import answering
from infra.bench.programs.receiver import KEY
from infra.local.server import free_port
from shared.domain.secret import Secret
from shared.vendor_kit import standard_webhooks

MANY, AT_MOST_A_SECOND = 64, 9000
RATE, P95, CPU = "{}_per_s_at_64", "{}_p95_ms_at_64", "{}_cpu_us_at_64"
RAW, RECEIVER = "raw.asgi_with_the_same_write", "receiver.webhooks"
FIGURES = {
    RATE.format(RAW): Figure("1/s"),
    P95.format(RAW): Figure("ms", "lower"),
    CPU.format(RAW): Figure("us", "lower"),
    RATE.format(RECEIVER): Figure("1/s", floor=1500, beside=RATE.format(RAW)),
    P95.format(RECEIVER): Figure("ms", "lower", beside=P95.format(RAW)),
    CPU.format(RECEIVER): Figure("us", "lower", beside=CPU.format(RAW)),
}


def take(ground: Ground) -> Sample:
    """Load the bare application, then the receiver, for as long."""
    sample: dict[str, float] = {}
    for name, more in ((RAW, ["bare"]), (RECEIVER, [])):
        port, home = free_port(), ground.folder / name
        program: list[str | Path] = ["-m", "infra.bench.programs.receiver", home, str(port), *more]
        with answering(program, port, ground.folder) as process:
            webhooks = list(signed(port, round(AT_MOST_A_SECOND * ground.effort.seconds), name))
            loop, before = Varied(iter(webhooks)), process.cpu_seconds()
            sample[RATE.format(name)] = uvloop.run(loop.per_second(port, MANY, ground.effort.seconds))
            sample[CPU.format(name)] = (process.cpu_seconds() - before) / loop.answers * 1e6
            sample[P95.format(name)] = quantiles(loop.took, n=20)[-1] * 1000
    return sample


def signed(port: int, count: int, name: str) -> Iterator[bytes]:
    """Yield so many webhooks, no two the same, as a vendor that signs sends them."""
    now, key = int(time.time()), Secret(KEY)
    for number in range(count):
        attempt = {
            "id": f"e{number}",
            "lock": str(FIRST_LOCK + number % 64),
            "at": "2026-05-01T14:32:11Z",
            "opened": True,
            "key": f"MM-{number:012x}",
        }
        body = orjson.dumps({"type": "access.attempts", "attempts": [attempt]})
        id_ = f"msg_{name}_{number}"
        headers = {
            "content-type": "application/json",
            "webhook-id": id_,
            "webhook-timestamp": str(now),
            "webhook-signature": str(standard_webhooks.signature(key, id_, now, body)),
        }
        yield request(port, f"/webhook-{MOCK}/{TENANT}/{PROPERTY}", headers, body)


MEASURE = Measure("receiver", FIGURES, take)
