"""text.*: search, replacement, case and escaping."""

import re
from collections.abc import Callable
from typing import Any, Final
from urllib.parse import quote, quote_plus, unquote_to_bytes

from infra.local.workflows.errors import index_error, value_error
from infra.local.workflows.library.function import function, need
from infra.local.workflows.library.patterns import Pattern, compile_pattern
from infra.local.workflows.values import check_text_bytes, checked_text

_BAD_ESCAPE: Final = re.compile(r"%(?![0-9A-Fa-f]{2})")


def _text(value: Any, what: str) -> str:
    return str(need(value, what, str))


def find_all(source: Any, substr: Any) -> list[int]:
    """The positions of a substring, none overlapping the one before."""
    text, wanted = _text(source, "source"), _text(substr, "substr")
    if not wanted:
        return list(range(len(text) + 1))
    return [match.start() for match in re.finditer(re.escape(wanted), text)]


def _pattern(regexp: Any) -> Pattern:
    return compile_pattern(_text(regexp, "regexp"))


def find_all_regex(source: Any, regexp: Any) -> list[dict[str, Any]]:
    """The leftmost-longest matches of a regular expression, with their positions."""
    text, pattern = _text(source, "source"), _pattern(regexp)
    return [{"index": start, "match": text[start:end]} for start, end in pattern.find_all(text)]


def match_regex(source: Any, regexp: Any) -> bool:
    """Whether any part of the text matches."""
    text, pattern = _text(source, "source"), _pattern(regexp)
    return next(iter(pattern.find_all(text)), None) is not None


def replace_all(source: Any, substr: Any, repl: Any) -> str:
    """Every occurrence of a substring replaced."""
    text, wanted, replacement = _text(source, "source"), _text(substr, "substr"), _text(repl, "repl")
    found = text.count(wanted)
    check_text_bytes(len(text) + found * (len(replacement) - len(wanted)))
    return checked_text(text.replace(wanted, replacement))


def replace_all_regex(source: Any, regexp: Any, repl: Any) -> str:
    """Every match of a regular expression replaced by the same text; there are no backreferences."""
    text, pattern, replacement = _text(source, "source"), _pattern(regexp), _text(repl, "repl")
    parts, at = [], 0
    for start, end in pattern.find_all(text):
        parts += [text[at:start], replacement]
        at = end
    check_text_bytes(sum(map(len, parts)))
    return checked_text("".join([*parts, text[at:]]))


def split(source: Any, separator: Any) -> list[str]:
    """The parts between separators; an empty separator splits into characters."""
    text, mark = _text(source, "source"), _text(separator, "separator")
    return text.split(mark) if mark else list(text)


def substring(source: Any, start: Any, end: Any) -> str:
    """The characters from start up to, not including, end; beyond the text there are none."""
    text = _text(source, "source")
    first, last = need(start, "start", int), need(end, "end", int)
    if 0 <= first <= last:
        return text[first:last]
    error = index_error(f"substring [{first}, {last}) is no part of a string")
    error.payload["tags"].append("ValueError")
    raise error


def url_encode(source: Any) -> str:
    """Everything but letters, digits and .-_ percent-encoded."""
    return checked_text(_without_tilde(quote(_text(source, "source"), safe="")))


def url_encode_plus(source: Any) -> str:
    """Like url_encode, with + for spaces."""
    return checked_text(_without_tilde(quote_plus(_text(source, "source"), safe="")))


def _without_tilde(quoted: str) -> str:
    return quoted.replace("~", "%7E")


def url_decode(source: Any) -> str:
    """Percent-encoding and pluses undone."""
    text = _text(source, "source")
    if _BAD_ESCAPE.search(text):
        raise value_error("% is not followed by two hexadecimal digits")
    return unquote_to_bytes(text.replace("+", " ")).decode("utf-8", "replace")


def _changed(change: Callable[[str], str]) -> Callable[[Any], str]:
    return lambda source: checked_text(change(_text(source, "source")))


FUNCTIONS: Final = (
    function("text.find_all", find_all, "source", "substr"),
    function("text.find_all_regex", find_all_regex, "source", "regexp"),
    function("text.match_regex", match_regex, "source", "regexp"),
    function("text.replace_all", replace_all, "source", "substr", "repl"),
    function("text.replace_all_regex", replace_all_regex, "source", "regexp", "repl"),
    function("text.split", split, "source", "separator"),
    function("text.substring", substring, "source", "start", "end"),
    function("text.to_lower", _changed(str.lower), "source"),
    function("text.to_upper", _changed(str.upper), "source"),
    function("text.url_decode", url_decode, "source"),
    function("text.url_encode", url_encode, "source"),
    function("text.url_encode_plus", url_encode_plus, "source"),
)
