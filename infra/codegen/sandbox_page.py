"""The page of the sandbox, written from the table of what may be simulated, beside Seam's endpoints."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from infra.local.sandbox.routes import ROOT
from infra.local.sandbox.verbs import OTHERS, VERBS, At

PAGE: Final = Path("infra/docs/sandbox.md")
OWNED: Final = (str(PAGE),)
_HEAD: Final = """# The sandbox

<!-- Written by python -m infra.codegen from infra/local/sandbox/verbs.py. -->

`keyfleet up --sample --simulators` is a sandbox: a sample hotel, simulated doors of its vendor, a
clock that can be moved. Besides the API it serves what may be simulated, at
`http://127.0.0.1:8787/sandbox-api`. No other fleet has it: it stands in no manifest, so Google
Cloud is never told of it, and a fleet without a sample hotel answers 404.

```sh
token=$(keyfleet token --tenant tnt_silk --role gm --property ppt_kabul)
sandbox=http://127.0.0.1:8787/sandbox-api/sandbox/v1
simulate() { curl -sX POST "$sandbox/$1" -H "authorization: Bearer $token" --json "$2"; }
simulate vendor/outage '{"times": 3}'
simulate clock/advance '{"seconds": 86400}'
```

Each verb is a POST, with JSON. `value` is a battery's per cent or a clock's seconds; `times` is how
often a fault strikes, for ever where it is left out and the table does not say. Who may see locks
may simulate. Seam's names are those of its sandbox, for whoever comes from there; where we have
more, or it has something of thermostats and phones, the column is empty.

| POST | simulates | Seam |
|---|---|---|
"""


def page() -> str:
    """Return the page."""
    return _HEAD + "\n".join(_rows()) + "\n"


def _rows() -> Iterator[str]:
    for verb in VERBS:
        at = "vendor" if verb.at is At.VENDOR else "locks/{deviceId}"
        often = f" ({verb.times} times, unless said)" if verb.times else ""
        yield _row(f"{at}/{verb.name}", verb.meaning + often, verb.seam)
    for path, (meaning, seam) in OTHERS.items():
        yield _row(path, meaning, seam)


def _row(path: str, meaning: str, seam: str | None) -> str:
    return f"| `{ROOT}/{path}` | {meaning} | {f'`{seam}`' if seam else ''} |"


def generate() -> dict[Path, str]:
    """Return the page as a file."""
    return {PAGE: page()}
