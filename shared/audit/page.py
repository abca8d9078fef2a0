"""An evidence page: one HTML file for people, with no script and nothing from elsewhere, ready to be printed.

Whatever stands in it was written by strangers, so all of it is escaped, and ids keep their direction in texts
that run from right to left.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from html import escape
from typing import Final

from shared.audit.checkpoint import Checkpoint
from shared.audit.evidence import FOREVER, Access, Evidence, Told
from shared.audit.page_words import RIGHT_TO_LEFT, words_for
from shared.audit.text import encode_base64

_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE: Final = (
    "body{font:16px/1.5 sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#111}"
    "table{border-collapse:collapse;width:100%;margin:0 0 2rem}"
    "th,td{border-bottom:1px solid #999;padding:.3rem .5rem;text-align:start;vertical-align:top}"
    "bdi{overflow-wrap:anywhere}h2{font-size:1.1rem}"
)
_TOLD: Final = ("entry", "when", "what", "who", "key", "door", "reason")
_ACCESS: Final = ("who", "key", "rooms", "door", "since", "until")
Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Reader:
    """For whom the page is: their language, and the clock of the property."""

    language: str = "en"
    zone: tzinfo = UTC


def page(evidence: Evidence, at: Checkpoint, reader: Reader) -> str:
    """The page of an answer, and of the checkpoint that its entries stand under."""
    language, words = words_for(reader.language)
    direction = "rtl" if language in RIGHT_TO_LEFT else "ltr"
    title, asked = escape(words["title"]), evidence.question
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f"<title>{title}</title><style>{_STYLE}</style>"
    )
    period = f"{_time(asked.since, reader)} – {_time(asked.until, reader)}"
    facts = ((words["period"], period), (words["checkpoint"], _checkpoint(at)))
    lead = "".join(f"<p>{escape(name)}: {_bdi(value)}</p>" for name, value in facts)
    body = f"<h1>{title}</h1>{lead}{''.join(_parts(evidence, words, reader))}<p>{escape(words['verify'])}</p>"
    return (
        f'<!doctype html>\n<html lang="{language}" dir="{direction}"><head>{head}</head>'
        f'<body dir="{direction}">{body}</body></html>\n'
    )


def _parts(evidence: Evidence, words: Mapping[str, str], reader: Reader) -> Iterable[str]:
    yield _part("could", _ACCESS, (_access(each, words, reader) for each in evidence.could), words)
    for name in ("opened", "refused", "looked", "done", "findings"):
        told: tuple[Told, ...] = getattr(evidence, name)
        yield _part(name, _TOLD, (_told(each, reader) for each in told), words)


def _part(name: str, columns: Sequence[str], rows: Iterable[Row], words: Mapping[str, str]) -> str:
    heads = "".join(f'<th scope="col">{escape(words[each])}</th>' for each in columns)
    lines = [f"<tr>{''.join(f'<td>{_bdi(cell)}</td>' for cell in row)}</tr>" for row in rows]
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{''.join(lines)}</tbody></table>"
    return f"<h2>{escape(words[name])}</h2>" + (table if lines else f"<p>{escape(words['nothing'])}</p>")


def _told(told: Told, reader: Reader) -> Row:
    header = told.header
    what = header.get("outcome") or header.get("action") or header.get("finding")
    when = _time(told.at, reader) if "at" in header else ""
    cells = (
        what,
        told.who,
        header.get("key") or header.get("stream"),
        header.get("device"),
        header.get("reason"),
    )
    return (str(told.index), when, *(str(each or "") for each in cells))


def _access(access: Access, words: Mapping[str, str], reader: Reader) -> Row:
    rooms = ", ".join(access.rooms) or words["withheld"]
    end = "∞" if access.until == FOREVER else _time(access.until, reader)
    return access.holder, access.key, rooms, access.device, _time(access.since, reader), end


def _checkpoint(at: Checkpoint) -> str:
    return f"{at.origin} · {at.size} · {encode_base64(at.root)}"


def _time(moment: datetime, reader: Reader) -> str:
    return moment.astimezone(reader.zone).isoformat(sep=" ", timespec="seconds")


def _bdi(text: str) -> str:
    """Return a text that stands by itself, whichever way the line runs."""
    return f"<bdi>{escape(text)}</bdi>"
