"""Say what is amiss in a plan: `terraform show -json plan | python -m infra.terraform`."""

import json
import sys
from typing import TextIO

from infra.terraform.plan import cells
from infra.terraform.rules import amiss


def main(shown: TextIO | None = None) -> int:
    """Read a plan, and write a line for each thing that is amiss; the exit code says whether any is."""
    found = cells(json.load(shown or sys.stdin))
    if not found:
        sys.stderr.write("no cell is in this plan: give what `terraform show -json` says\n")
        return 2
    said = [each for cell in found for each in amiss(cell)]
    sys.stderr.writelines(f"{each}\n" for each in said)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
