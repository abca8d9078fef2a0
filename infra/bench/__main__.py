"""Measure the fleet beside the raw limits of this machine: `python -m infra.bench`, or `make bench`."""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from infra.bench import machine
from infra.bench.catalogue import measures
from infra.bench.figures import QUICK, Effort, Measure
from infra.bench.report import report
from infra.bench.rounds import take_all
from infra.bench.run import keep


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one JSON document; 1 means that some measure could not be taken, floors are only reported."""
    known = measures()
    asked = _asked(arguments, known)
    chosen = [measure for measure in known if not asked.only or measure.name in asked.only]
    effort = QUICK if asked.quick else Effort()
    with tempfile.TemporaryDirectory(dir=machine.on_disk(), prefix="keyfleet-bench-") as name:
        folder = Path(name)
        facts = machine.facts(folder)
        taken = take_all(chosen, effort, folder, _say)
    told = report(chosen, taken, facts, effort)
    print(json.dumps(told, indent=2))
    if asked.keep:
        keep(told)
    for measure, reason in taken.untaken.items():
        _say(f"could not take {measure}: {reason}")
    return 1 if taken.untaken else 0


def _asked(arguments: Sequence[str] | None, known: Sequence[Measure]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m infra.bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one short round: half a minute, much noise")
    parser.add_argument("--keep", action="store_true", help="keep this run: the page of figures tells it")
    names = [measure.name for measure in known]
    parser.add_argument("--only", action="append", choices=names, help="take this measure only (repeatable)")
    return parser.parse_args(arguments)


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
