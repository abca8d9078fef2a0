"""Write the archive, and say what it is: `python -m infra.archive`."""

import argparse
import hashlib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from infra.archive.contents import pack
from infra.manifest.load import ROOT

ARCHIVE: Final = Path("build/keyfleet.zip")


def main(arguments: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Write it where Terraform's examples look for it, or where it is asked for."""
    parser = argparse.ArgumentParser(prog="python -m infra.archive", description=__doc__)
    parser.add_argument("--out", type=Path, default=root / ARCHIVE, help="where to write it")
    out = parser.parse_args(arguments).out
    pack(root, out)
    content = out.read_bytes()
    sys.stdout.write(f"{out}: {len(content) // 1024} KB, sha256 {hashlib.sha256(content).hexdigest()}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
