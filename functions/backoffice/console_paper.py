"""The console's paper: pages of plain HTML, complete without a script, each value escaped and set apart.

Whatever comes from elsewhere is a stranger's input: it is escaped here and nowhere else, for markup of our
own is `Markup`, and every other text is not. Ids, times and codes run left to right in every language.
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from functions.backoffice.console_reasons import said_in_words
from functions.backoffice.console_times import on_the_wall
from functions.backoffice.console_words import WORDS
from shared.messages.bidi import clean
from shared.messages.key_page import OWN_NAMES
from shared.messages.locales import Locale
from shared.queries.hotels import House

LONGEST: Final = 200
_MOMENT: Final = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?(?:Z|\+00:00)", re.ASCII)
_STYLE: Final = """
:root{color-scheme:light}*{box-sizing:border-box}
body{margin:0;background:#f4f4f2;color:#1c1c1a;font:1rem/1.5 system-ui,"Noto Naskh Arabic",Tahoma,sans-serif}
html:lang(ps),html:lang(fa),html:lang(ar){font-size:105%}
body:lang(ps),body:lang(fa),body:lang(ar){line-height:1.9}
header,main,footer{max-width:72rem;margin-inline:auto;padding:.75rem 1rem}
footer{display:flex;flex-wrap:wrap;gap:1rem}
.skip{position:absolute;inset-inline-start:-99rem}.skip:focus{inset-inline-start:1rem}
nav ul,footer form{display:flex;flex-wrap:wrap;gap:.25rem 1rem;list-style:none;margin:0;padding:0}
a{color:#1f4f46}time{white-space:nowrap}
nav a{display:inline-block;padding:.5rem 0}nav a[aria-current]{font-weight:700;color:#1c1c1a}
h1{font-size:1.4rem;margin-block:.5rem}table{border-collapse:collapse;width:100%;background:#fff}
caption{text-align:start;padding-block:.5rem;color:#4a4a45}
th,td{text-align:start;padding:.5rem .75rem;border-block-end:1px solid #d6d6d0;vertical-align:top}
.wide{overflow-x:auto}
.worst{border-inline-start:.3rem solid #a3260b;padding-inline-start:.5rem;font-weight:700}
label{display:block;margin-block:.5rem .25rem}
input,select,textarea{font:inherit;max-width:100%;padding:.5rem;border:2px solid #4a4a45;border-radius:.4rem}
textarea{width:100%;min-height:6rem}
button{font:inherit;padding:.5rem 1rem;border:2px solid #1f4f46;border-radius:.4rem;background:#1f4f46;
color:#fff;cursor:pointer;min-height:2.75rem}button.quiet{background:#fff;color:#1f4f46}
svg{display:block;width:100%;max-width:40rem;background:#fff}svg text{font-size:10px;fill:#4a4a45}
.axis{stroke:#4a4a45}.good{fill:#1f4f46;background:#1f4f46}.bad{fill:#a3260b;background:#a3260b}
.key{list-style:none;display:flex;gap:1rem;padding:0}.swatch{display:inline-block;width:1rem;height:1rem}
dt{font-weight:700}dd{margin:0 0 .5rem}
:focus-visible{outline:3px solid #b4540a;outline-offset:2px}
.said{border-inline-start:.3rem solid #b4540a;padding-inline-start:.75rem}
"""


class Markup(str):
    """Markup of our own: every other text is escaped."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Paper:
    """What every page has: its language, the nonce of its style, where it lies, and who looks."""

    locale: Locale
    nonce: str
    base: str
    house: str = ""
    houses: tuple[House, ...] = ()
    screens: tuple[str, ...] = ()
    signed_in: bool = False
    asked: str = ""
    """What the page was asked for besides its screen, as it stands in an address."""
    views: tuple[tuple[str, str], ...] = ()
    """The views that the person saved: what they call each, and where it leads."""

    @property
    def at(self) -> House | None:
        """The hotel that is looked at, if it is one of the person's."""
        return next((each for each in self.houses if each.id == self.house), None)

    def called(self, house: object) -> Markup:
        """Return a hotel by its name, its id beside it for whoever hovers."""
        name = next((each.name for each in self.houses if each.id == house), house)
        return Markup(f'<span title="{plain(house)}">{shown(name)}</span>')

    def word(self, name: str) -> str:
        """Return a word of ours, escaped."""
        return html.escape(WORDS[self.locale][name])

    def reason(self, told: object) -> Markup:
        """Return a text with what each code in it means, in the reader's language, and the code behind it."""
        return Markup(shown(None if told is None else said_in_words(str(told), self.locale)))

    def link(self, screen: str, text: str, **query: str) -> Markup:
        """Return a link to a screen of the same hotel."""
        asked = urlencode({**({"property": self.house} if self.house else {}), **query})
        return Markup(f'<a href="{self.base}/{screen}?{html.escape(asked)}">{shown(text)}</a>')


def shown(value: object) -> str:
    """Return a value as it may stand on a page: set apart, cleaned of what turns lines around, escaped."""
    if isinstance(value, Markup):
        return value
    if moment := _MOMENT.fullmatch(str(value)):
        day, time = moment.groups()
        return f'<time dir="ltr" datetime="{value}">{day} {time} UTC</time>'
    text = "–" if value in (None, "") else plain(value)
    return f'<bdi dir="ltr">{text}</bdi>' if text.isascii() else f'<bdi dir="auto">{text}</bdi>'


def plain(value: object) -> str:
    """Return a value as it may stand within other text: cleaned and escaped."""
    return html.escape(clean(str(value), LONGEST))


def word(paper: Paper, name: str, *, worst: bool = False) -> Markup:
    """Return a word of ours as a value; what needs somebody is marked by more than a colour."""
    text = paper.word(name) if name in WORDS[paper.locale] else paper.reason(name)
    return Markup(f'<span class="worst">! {text}</span>' if worst else f"<span>{text}</span>")


def table(
    paper: Paper, title: str, columns: Sequence[str], rows: Iterable[Sequence[object]], note: str = ""
) -> str:
    """Return a table under its title, or that there is nothing; the note is markup of ours."""
    body = "".join(f"<tr>{''.join(f'<td>{shown(each)}</td>' for each in row)}</tr>" for row in rows)
    if not body:
        return f"<p><b>{title}</b> {paper.word('none')} {note}</p>"
    head = "".join(f'<th scope="col">{paper.word(each)}</th>' for each in columns)
    inner = f"<caption>{title} {note}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide" tabindex="0" role="region" aria-label="{title}"><table>{inner}</table></div>'


def form(paper: Paper, screen: str, inner: str, button: str, *, method: str = "post") -> Markup:
    """Return a form of one screen."""
    asked = f"?{urlencode({'property': paper.house})}" if paper.house and method == "post" else ""
    return Markup(
        f'<form method="{method}" action="{paper.base}/{screen}{html.escape(asked)}">{inner}'
        f"<button>{paper.word(button)}</button></form>"
    )


def hidden(**fields: str) -> str:
    """Return fields that a form sends along."""
    return "".join(
        f'<input type="hidden" name="{name}" value="{html.escape(value)}">' for name, value in fields.items()
    )


def entry(label: str, name: str, *, at: str = "", value: str = "", needed: bool = True) -> Markup:
    """Return a field to write into, under its label: a word of ours, or escaped already."""
    id_, given = html.escape(at or name), html.escape(value)
    must = " required" if needed else ""
    return Markup(
        f'<label for="{id_}">{label}</label><input id="{id_}" name="{name}" dir="ltr" value="{given}" '
        f'autocomplete="off" maxlength="{LONGEST}"{must}> '
    )


def choice(label: str, name: str, at: str, options: Mapping[str, str]) -> Markup:
    """Return a field to choose from, under its label."""
    id_ = html.escape(at)
    listed = "".join(
        f'<option value="{html.escape(each)}">{html.escape(said)}</option>' for each, said in options.items()
    )
    return Markup(
        f'<label for="{id_}">{label}</label><select id="{id_}" name="{name}" dir="auto">{listed}</select> '
    )


def whole(paper: Paper, title: str, inner: str, here: str = "") -> str:
    """Return a whole page."""
    way = paper.locale.direction
    head = (
        f'<!doctype html><html lang="{paper.locale}" dir="{way}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<title>{title} · {paper.word("title")}</title><link rel="icon" href="data:,">'
        f'<style nonce="{paper.nonce}">{_STYLE}</style></head>'
    )
    zone = paper.at.zone if paper.at is not None else ""
    skip = f'<a class="skip" href="#main">{paper.word("skip")}</a>'
    return (
        f"{head}<body>{skip}{_navigation(paper, here)}"
        f'<main id="main"><h1>{title}</h1>{_at(paper)}{on_the_wall(inner, zone)}</main>'
        f"{_footer(paper, here)}</body></html>"
    )


def _at(paper: Paper) -> str:
    """Return which hotel is looked at, and by which clock."""
    return "" if paper.at is None else f"<p>{paper.called(paper.at.id)} · {shown(paper.at.zone)}</p>"


def _navigation(paper: Paper, here: str) -> str:
    """Return the ways to the screens that the person's roles hold, and to the other hotels they work at."""
    if not paper.signed_in:
        return ""
    marked: Mapping[bool, str] = {True: ' aria-current="page"', False: ""}
    asked = html.escape(urlencode({"property": paper.house}))
    links = "".join(
        f'<li><a href="{paper.base}/{each}?{asked}"{marked[each == here]}>{paper.word(each)}</a></li>'
        for each in paper.screens
    )
    nav = f'<nav aria-label="{paper.word("title")}"><ul>{links}</ul></nav>'
    return f"<header>{nav}{_houses(paper, here)}{_views(paper)}</header>"


def _views(paper: Paper) -> str:
    links = "".join(
        f'<li><a href="{paper.base}/{html.escape(where)}">{shown(name)}</a></li>'
        for name, where in paper.views
    )
    return f'<nav aria-label="{paper.word("views")}"><ul>{links}</ul></nav>' if links else ""


def _houses(paper: Paper, here: str) -> str:
    if len(paper.houses) <= 1:
        return ""
    marked: Mapping[bool, str] = {True: ' aria-current="true"', False: ""}
    links = "".join(
        f'<li><a href="{paper.base}/{here}?{html.escape(urlencode({"property": each.id}))}"'
        f"{marked[each.id == paper.house]}>{paper.called(each.id)}</a></li>"
        for each in paper.houses
    )
    return f'<nav aria-label="{paper.word("property")}"><ul>{links}</ul></nav>'


def _footer(paper: Paper, here: str) -> str:
    buttons = "".join(
        f'<button class="quiet" name="l" value="{locale}" lang="{locale}">{name}</button>'
        for locale, name in OWN_NAMES.items()
    )
    languages = (
        f'<form method="post" action="{paper.base}/language" aria-label="{paper.word("languages")}">'
        f"{buttons}</form>"
    )
    out = form(paper, "sign-out", "", "sign_out") if paper.signed_in else ""
    return f"<footer>{languages}{_saving(paper, here)}{out}</footer>"


def _saving(paper: Paper, here: str) -> str:
    """Return what saves the page that is looked at under a name; the list of what was saved is none."""
    if here not in paper.screens or here == "views":
        return ""
    kept = hidden(screen=here, asked=paper.asked)
    return form(paper, "views", kept + entry(paper.word("view_name"), "name", at="view-name"), "save_view")
