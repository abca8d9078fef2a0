"""Runs a workflow file from the command line and prints what came of it as JSON."""

import argparse
import json
import sys
from pathlib import Path

from infra.local.workflows.errors import WorkflowRefused
from infra.local.workflows.runner import refusal_record, run_file


def main(arguments: list[str] | None = None) -> int:
    """0 when the execution succeeded, 1 when it failed, 2 when the file was refused."""
    options = _parser().parse_args(arguments)
    stubs = json.loads(Path(options.http_stubs).read_text(encoding="utf-8")) if options.http_stubs else None
    try:
        record = run_file(
            options.file, json.loads(options.args), http_stubs=stubs, virtual_clock=options.virtual_clock
        )
    except WorkflowRefused as refused:
        record = refusal_record(refused)
    sys.stdout.write(json.dumps(record, ensure_ascii=False, indent=2) + "\n")
    return {"SUCCEEDED": 0, "FAILED": 1}.get(record["state"], 2)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m infra.local.workflows", description=__doc__)
    parser.add_argument("file")
    parser.add_argument("--args", default="null", help="the workflow's argument, as JSON")
    parser.add_argument("--http-stubs", help="a JSON file of canned answers")
    parser.add_argument("--virtual-clock", action="store_true", help="let sleeps pass at once")
    return parser


if __name__ == "__main__":
    sys.exit(main())
