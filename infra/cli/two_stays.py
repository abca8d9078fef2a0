"""One key over the turn of two stays, in a line: which other stay it opens for, and until when."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.text import Text

from infra.cli.answer import line, plain
from infra.cli.wall import both

Json = Mapping[str, Any]


def of_both(key: Json, stay: str | None, indent: str = "    ") -> Iterator[Text]:
    """Say of a key that two stays of a guest have in common what that is to the one that is asked about."""
    then, holder = key.get("then"), key.get("reservation")
    if then is not None:
        until = both(then["window"]["until"], then["window"]["zone"])
        said = (
            f"{key['id']} of {holder} opens for this stay too, with the same PIN, until {until}"
            if then["reservation"] == stay
            else f"then {then['reservation']}'s: it opens on with the same PIN, until {until}"
        )
        yield line(plain(f"{indent}{said}", "cyan"))
    elif holder is not None and stay not in (None, holder):
        until = both(key["window"]["until"], key["window"]["zone"])
        yield line(plain(f"{indent}now {holder}'s: it opens on with the same PIN, until {until}", "cyan"))
