"""A fleet in a process of its own, told by its environment where to die."""

import json
import os
import sys
from pathlib import Path

from infra.local.faults import Census, crash_from_text
from infra.local.server import serve
from infra.local.world import FleetConfig, World


def main() -> None:
    home, port, workflows = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    crash = os.environ.get("CRASH_AT")
    faults = crash_from_text(crash) if crash else Census()
    serve(FleetConfig(home, port, sample=True, workflows=workflows), World(faults=faults))
    if isinstance(faults, Census):
        (home / "census.json").write_text(json.dumps(faults.seen))


if __name__ == "__main__":
    main()
