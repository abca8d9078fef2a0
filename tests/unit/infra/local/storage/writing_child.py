"""Writes notes, several at once, and says the name of each one acknowledged: to be killed, or starved."""

import argparse
import asyncio
import os
import resource
from pathlib import Path

from infra.local.faults import crash_from_text
from shared.ports.documents import StorageFull
from tests.unit.infra.local.storage.notebook import keep, running

WRITERS = 4


async def main(options):
    async with running(options.folder, faults=crash_from_text(options.crash)) as engine:
        if options.most_bytes:
            resource.setrlimit(resource.RLIMIT_FSIZE, (options.most_bytes, resource.RLIM_INFINITY))
        await asyncio.gather(*(write_some(engine, writer, options.count) for writer in range(WRITERS)))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        say(await engine.write(keep("there is room again")))


async def write_some(engine, writer, count):
    for number in range(count):
        try:
            say(await engine.write(keep(f"{writer}-{number}", "x" * 500)))
        except StorageFull as error:
            say(f"refused: {error}")


def say(text):
    os.write(1, f"{text}\n".encode())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("count", type=int)
    parser.add_argument("--crash")
    parser.add_argument("--most-bytes", type=int)
    asyncio.run(main(parser.parse_args()))
