"""The page of the API's problems, written from the catalogue that answers with them."""

from pathlib import Path
from typing import Final

from shared.runtime.problems import CATALOGUE, PROBLEM_JSON, URN, Problem

PAGE: Final = Path("infra/docs/problems.md")
OWNED: Final = (str(PAGE),)

_HEAD: Final = f"""# Problems of the API

Written by `python -m infra.codegen` from `shared/runtime/problems.py`.

Every answer from 400 on is `{PROBLEM_JSON}` (RFC 9457): `type` is `{URN}` and the code, `detail` says what is
wrong here, `remedy` what to do, `errors` which fields, `requestId` what to quote when you ask us.

| code | status | means | do | Retry-After |
|---|---|---|---|---|
"""


def generate() -> dict[Path, str]:
    """Return the page."""
    return {PAGE: _HEAD + "".join(map(_row, CATALOGUE))}


def _row(row: Problem) -> str:
    wait = "-" if row.retry_after is None else f"{row.retry_after} s"
    return f"| `{row.code}` | {row.status} {row.title} | {row.meaning} | {row.remedy} | {wait} |\n"
