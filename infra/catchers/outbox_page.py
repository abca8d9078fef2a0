"""The outbox as a page: each message in the frame of a telephone, as its guest would have it.

It shows codes and links, which is what it is for; so it is shown only to whoever has the token of its home.
A letter is shown in a frame that runs and loads nothing, with its picture where a mail program has it.
"""

import base64
import html
import re
from collections.abc import Sequence
from typing import Final

from infra.catchers.outbox import Caught

POLICY: Final = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'; "
    "form-action 'none'"
)
_ATTACHED: Final = re.compile(r"cid:[\w-]+")
_STYLE: Final = """
body{margin:0;background:#e9e9e4;font:15px/1.5 system-ui,"Noto Naskh Arabic",sans-serif;color:#1c1c1a}
header{padding:1rem 1.5rem}
main{display:flex;flex-wrap:wrap;align-items:start;gap:1.5rem;padding:0 1.5rem 2rem}
article{width:22rem;background:#111;border-radius:2rem;padding:1rem .75rem}
article>div{background:#fff;border-radius:1.25rem;padding:.75rem;overflow:hidden}
small{color:#55554f}h2{font-size:1rem;margin:.25rem 0}
.sms{background:#e2efe9;border-radius:1rem;padding:.6rem .8rem;white-space:pre-wrap;overflow-wrap:anywhere}
.push{background:#f1f1ee;border-radius:1rem;padding:.6rem .8rem}
iframe{border:0;width:100%;height:46rem}
a{overflow-wrap:anywhere}
"""


def outbox_page(caught: Sequence[Caught]) -> str:
    """Return the page, the newest message first."""
    shown = "".join(map(_telephone, reversed(caught)))
    said = (
        shown or "<p>Nothing was sent yet. Book a stay: its guest is written to as soon as the key works.</p>"
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Outbox</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">'
        f"<style>{_STYLE}</style></head><body><header><h1>Outbox</h1>"
        f"<p>{len(caught)} messages, as their guests would have them. They were sent to nobody else.</p>"
        f"</header><main>{(shown and said) or said}</main></body></html>"
    )


def _telephone(caught: Caught) -> str:
    at = caught.at.isoformat(timespec="seconds")
    head = f"<small>{caught.channel} to <bdi>{html.escape(caught.to)}</bdi>, {at}</small>"
    return f'<article id="m{caught.number}"><div>{head}{_SHOWN[caught.channel](caught)}</div></article>'


def _mail(caught: Caught) -> str:
    picture = f"data:image/png;base64,{base64.b64encode(caught.square).decode()}"
    letter = html.escape(_ATTACHED.sub(picture, caught.html) or caught.text)
    return (
        f'<h2 dir="auto">{html.escape(caught.subject)}</h2>'
        f'<small dir="auto">{html.escape(caught.sender)}</small>'
        f'<iframe title="letter" sandbox="allow-popups" srcdoc="{letter}"></iframe>'
    )


def _sms(caught: Caught) -> str:
    sender, text = html.escape(caught.sender), html.escape(caught.text)
    return f'<h2><bdi>{sender}</bdi></h2><p class="sms" dir="auto">{text}</p>'


def _push(caught: Caught) -> str:
    link = html.escape(caught.data.get("link", ""))
    leads = f'<p><a rel="noreferrer" target="_blank" href="{link}">{link}</a></p>' if link else ""
    words = f"<strong>{html.escape(caught.subject)}</strong><br>{html.escape(caught.text)}"
    return f'<p class="push" dir="auto">{words}</p>{leads}'


_SHOWN: Final = {"email": _mail, "sms": _sms, "push": _push}
