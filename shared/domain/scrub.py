"""Takes out of vendors' messages what could be a credential or a person."""

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
    re.compile(r"(?=[A-Za-z_-]{0,64}\d)[A-Za-z0-9_-]{8,}"),
    re.compile(r"[A-Za-z0-9_+/=.-]{16,}"),
)
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")


def scrub(message: str) -> str:
    """Return a message fit for logs: numbers, tokens, addresses and named secrets hidden, length capped."""
    text = _SCHEME.sub(HIDDEN, _CONTROLS.sub(" ", message[: 10 * MAX_LENGTH]))
    text = _NAMED.sub(rf"\1{HIDDEN}", text)
    for pattern in _PATTERNS:
        text = pattern.sub(HIDDEN, text)
    return text.strip()[:MAX_LENGTH]
