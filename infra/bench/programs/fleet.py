"""A whole fleet with workflows of the bench's choice: `... fleet HOME PORT WORKFLOWS`."""

import sys
from pathlib import Path

from infra.local.server import serve
from infra.local.world import FleetConfig

if __name__ == "__main__":
    home, port, workflows = Path(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3])
    serve(FleetConfig(home, port, workflows=workflows))
