"""Takes out of messages what could be a credential or a person: much of a vendor's words, little of ours."""

import re
from typing import Final

MAX_LENGTH: Final = 200
HIDDEN: Final = "[hidden]"
_NAMED: Final = re.compile(
    r"(?i)([\w-]{0,20}(?:pass|pwd|token|secret|pin|code|key|auth|cookie|ref)[\w-]{0,20}\"?\s{0,3}[:=]\s{0,3})"
    r"(\"[^\"]*\"?|[^\s,;&}]+)"
)
_SCHEME: Final = re.compile(r"(?i)\b(?:bearer|basic)\s+\S+")
_PATTERNS: Final = (
    re.compile(r"[^\s@<>\"]{1,64}@[^\s@<>\"]{1,255}"),
    re.compile(r"\+?\d(?:[\s().-]?\d){3,}"),
    re.compile(r"(?:[0-9A-Fa-f]{2}[\s:.-]){3,}[0-9A-Fa-f]{2}"),
    re.compile(r"(?=[A-Za-z_-]{0,64}\d)[A-Za-z0-9_-]{8,}"),
    re.compile(r"[A-Za-z0-9_+/=.-]{16,}"),
)
_PATTERNS_IN_OUR_WORDS: Final = (
    re.compile(r"\d{5,}"),
    re.compile(r"(?=[A-Za-z_+/=.-]{0,64}\d)[A-Za-z0-9_+/=.-]{16,}"),
)
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def scrub(message: str) -> str:
    """Return a message fit for logs: numbers, tokens, addresses and named secrets hidden, length capped."""
    text = _SCHEME.sub(HIDDEN, _CONTROLS.sub(" ", message[: 10 * MAX_LENGTH]))
    text = _NAMED.sub(rf"\1{HIDDEN}", text)
    for pattern in _PATTERNS:
        text = pattern.sub(HIDDEN, text)
    return text.strip()[:MAX_LENGTH]


def scrub_our_own(words: str) -> str:
    """Return our words with what is as long as a PIN or a token hidden; dates and small numbers stay."""
    text = _CONTROLS.sub(" ", words[: 10 * MAX_LENGTH])
    for pattern in _PATTERNS_IN_OUR_WORDS:
        text = pattern.sub(HIDDEN, text)
    return text[:MAX_LENGTH].strip()
