"""The page of what each account of the fleet may do on Google Cloud, written from the plan."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from infra.codegen.fleet_plan import fleet_plan

PAGE: Final = Path("infra/docs/cloud-permissions.md")
OWNED: Final = (str(PAGE),)
MANY: Final = 4
"""So many targets of one role are counted and no longer named."""
Row = Mapping[str, Any]

_HEAD: Final = """# What each account may do on Google Cloud

Written by `python -m infra.codegen` from `terraform/fleet.json`. What is not said here is not granted;
a plan that grants more breaks a rule of `infra/terraform/rules.py`. What each role is for:
`infra/manifest/rights.py`. Each function has an account of its own, unless it **runs as** one that others
of the very same rights share (decision 0159); each workflow has one too (`workflow-…`), and the platform
calls as `pubsub-push`, `cloud-tasks` and `cloud-scheduler`; people call as `operator`, by impersonation.
No account has a key.

- **called by**: who has `run.invoker` on it; its handler asks the same again, of the token.
- **secrets**: whose ids begin and end so, and no others; nobody else reads one.
- **opens**, **seals**: keys of the ring, to encrypt and decrypt, or only to encrypt.

| function | runs as | called by | may | secrets | opens | seals |
|---|---|---|---|---|---|---|
"""


def generate() -> dict[Path, str]:
    """Return the page."""
    plan = fleet_plan()
    rows = [_row(name, each, plan) for name, each in sorted(plan["functions"].items())]
    others = [_workflow(name, each) for name, each in sorted(plan["workflows"].items())]
    return {PAGE: _HEAD + "\n".join(rows) + "\n\n" + _WORKFLOWS + "\n".join(others) + "\n"}


_WORKFLOWS: Final = """## Workflows

| account | of | may call |
|---|---|---|
"""


def _row(name: str, each: Row, plan: Row) -> str:
    callers = [row["caller"] for row in plan["invokers"].values() if row["function"] == name]
    callers += ["**everybody**, and asks for people's own tokens"] if each["open_to_all"] else []
    account = each["account"]
    granted = [row for row in plan["grants"].values() if row["account"] == account]
    cells = (
        f"`{name}`",
        "itself" if account == name else f"`{account}`",
        ", ".join(callers),
        "; ".join(_rights([row for row in granted if row["on"] != "secret"])),
        ", ".join(sorted({f"`{row['target']}`" for row in granted if row["on"] == "secret"})),
        ", ".join(purpose for purpose, key in plan["keys"].items() if account in key["openers"]),
        ", ".join(purpose for purpose, key in plan["keys"].items() if account in key["sealers"]),
    )
    return f"| {' | '.join(cell or '-' for cell in cells)} |"


def _rights(granted: list[Row]) -> Iterator[str]:
    ordered = sorted(granted, key=_role)
    for (role, on), rows in groupby(ordered, key=_role):
        targets = [row["target"] for row in rows]
        yield f"{role.removeprefix('roles/')} {_where(on, targets)}"


def _role(row: Row) -> tuple[str, str]:
    return row["role"], row["on"]


def _where(on: str, targets: list[str]) -> str:
    if on == "project":
        return "in the project"
    if len(targets) >= MANY:
        return f"on {len(targets)} {on}s"
    return f"on {', '.join(f'`{target}`' for target in targets)}"


def _workflow(name: str, each: Row) -> str:
    return f"| `{each['account']}` | `{name}` | {', '.join(each['calls']) or '-'} |"
