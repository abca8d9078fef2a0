"""Ask a project the questions of its first hour: `python -m infra.first_hour --project P --region R`."""

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from infra.codegen.fleet_plan import PLAN
from infra.first_hour.checks import CHECKS, Check, Verdict
from infra.first_hour.cloud import Cloud, Unreached
from infra.manifest.load import ROOT

Say = Callable[[str], object]


def main(
    arguments: Sequence[str] | None = None, cloud: Cloud | None = None, say: Say = sys.stdout.write
) -> int:
    """Ask what is asked for; the exit code says whether all is well."""
    options = _options(arguments)
    if options.list:
        for name, check in options.only.items():
            say(f"{name:12} {check.asks} (findings {', '.join(map(str, check.findings))})\n")
        return 0
    verdicts = list(answers(cloud or Cloud(options.project, options.region, plan()), options.only, say))
    bad = sum(not each.well for each in verdicts)
    say(f"{len(verdicts) - bad} of {len(verdicts)} are well\n")
    return 1 if bad else 0


def answers(cloud: Cloud, checks: Mapping[str, Check], say: Say) -> Iterator[Verdict]:
    """Ask, and say each answer as it comes."""
    for name, check in checks.items():
        verdict = _judged(check, cloud)
        say(f"{'✓' if verdict.well else '✗'} {name}: {check.asks} {verdict.saw}\n")
        if not verdict.well and verdict.remedy:
            say(f"  → {verdict.remedy}\n")
        yield verdict


def plan() -> Mapping[str, Any]:
    """Return the plan that was deployed: the one that is committed."""
    found: Mapping[str, Any] = json.loads((ROOT / PLAN).read_text(encoding="utf-8"))
    return found


def _judged(check: Check, cloud: Cloud) -> Verdict:
    try:
        return check.judge(cloud)
    except Unreached as fault:
        return Verdict(False, str(fault), "see that gcloud is signed in as an operator who may impersonate")


def _named(text: str) -> Mapping[str, Check]:
    names = text.split(",")
    if unknown := [name for name in names if name not in CHECKS]:
        raise argparse.ArgumentTypeError(f"no such check as {', '.join(unknown)}: {', '.join(CHECKS)}")
    return {name: CHECKS[name] for name in names}


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m infra.first_hour", description=_ABOUT)
    parser.add_argument("--project", required=True, help="the cell's project")
    parser.add_argument("--region", required=True, help="the cell's region")
    parser.add_argument("--only", type=_named, default=CHECKS, help="some checks, with commas between")
    parser.add_argument("--list", action="store_true", help="say what would be asked")
    return parser.parse_args(arguments)


_ABOUT: Final = "Ask a project what only Google can answer, and say what to do where it is not well."

if __name__ == "__main__":
    sys.exit(main())
