"""The page of messages, one example per kind and language; the gate that lints them all."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from shared.domain.secret import Secret
from shared.domain.window import StayWindow
from shared.messages.compose import Message, compose
from shared.messages.kinds import RULES, Channel, MessageKind, Rule
from shared.messages.lint import lint
from shared.messages.locales import Locale
from shared.messages.particulars import Particulars
from shared.messages.texts import our_texts, read_texts

PAGE: Final = Path("infra/docs/messages.md")
OWNED: Final = (str(PAGE),)
TEXTS: Final = Path("shared/messages/texts")
_LANGUAGES: Final = {
    Locale.PS: "Pashto",
    Locale.FA_AF: "Dari",
    Locale.AR: "Arabic",
    Locale.EN: "English",
    Locale.FR: "French",
}
_HEAD: Final = """# What guests are told

Written by `python -m infra.codegen` from `shared/messages`.
Texts lie in `shared/messages/texts`, one file a language; what they are held to stands in
`shared/messages/lint.py`. A PIN goes by mail and SMS only. Times are those of the hotel's clock; Pashto and
Dari have Solar Hijri dates first.

"""
_TABLE: Final = """| message | says | channels | SMS segments | QR code |
|---|---|---|---|---|
"""


def generate() -> dict[Path, str]:
    """Return the page."""
    table = _TABLE + "".join(_row(kind, rule) for kind, rule in RULES.items())
    return {PAGE: _HEAD + table + "".join(_section(kind) for kind in RULES)}


def problems(root: Path) -> list[str]:
    """What is wrong with the texts of a repository; a tree that is only written to has none."""
    if not (root / TEXTS).exists():
        return []
    try:
        return [f"{TEXTS}/{complaint}" for complaint in lint(read_texts(root / TEXTS))]
    except (OSError, ValueError) as error:
        return [f"{TEXTS}: cannot be read: {error}. Mend the file"]


def _row(kind: MessageKind, rule: Rule) -> str:
    channels = ", ".join(channel for channel in Channel if channel in rule.channels)
    printed = "in the letter" if rule.printable else "-"
    return f"| `{kind}` | {rule.meaning} | {channels} | {rule.sms_segments or '-'} | {printed} |\n"


def _section(kind: MessageKind) -> str:
    return f"\n## {kind}\n" + "".join(
        _example(compose(our_texts(), kind, each, example())) for each in Locale
    )


def _example(message: Message) -> str:
    return f"\n### {_LANGUAGES[message.locale]}: {message.kind}\n" + "".join(_texts(message))


def _texts(message: Message) -> Iterator[str]:
    way = message.locale.direction
    if message.push is not None:
        yield _quoted("push", f"{message.push.title}\n{message.push.body}", way)
    if message.email is not None:
        yield _quoted("mail", f"{message.email.subject}\n\n{message.email.text}", way)
    if message.sms is not None:
        length = message.sms.length
        told = f"SMS, {length.units} units of {length.encoding}, segments: {length.segments}"
        yield _quoted(told, message.sms.text, way)


def _quoted(name: str, text: str, way: str) -> str:
    lines = "<br>\n".join(line for line in text.splitlines() if line)
    return f'\n{name}:\n\n<blockquote dir="{way}">\n{lines}\n</blockquote>\n'


def example() -> Particulars:
    """Return what the examples say."""
    start, end = datetime(2026, 3, 21, 9, 30, tzinfo=UTC), datetime(2026, 3, 24, 6, 30, tzinfo=UTC)
    link, pin = Secret("https://keys.example/k/AbCdEfGhIjKlMnOpQrStUv"), Secret("48217930")
    window = StayWindow(start, end, "Asia/Kabul")
    return Particulars("Kabul Palace", "+93 20 210 0000", ("204", "Gym"), window, link, pin)
