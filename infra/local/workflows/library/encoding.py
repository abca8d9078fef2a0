"""base64.*, json.*, hash.* and the character sets of text.encode and text.decode."""

import base64
import codecs
import hashlib
import hmac
import json
import re
from typing import Any, Final

from infra.local.workflows import limits
from infra.local.workflows.errors import value_error
from infra.local.workflows.library.function import function, need
from infra.local.workflows.values import checked_text, is_deep, is_json

_ALGORITHMS: Final = frozenset({"MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"})
_CHARSETS: Final = re.compile(
    r"(ascii|utf-(8|16|32)(-[lb]e)?|iso8859-\d+|cp\d+|koi8-[rtu]|shift_jis|euc_\w+|gb\w+|big5)\Z"
)
_ALPHABET: Final = re.compile(r"[A-Za-z0-9+/]*={0,2}\Z")
# Half of a surrogate pair is no character: it becomes U+FFFD, as it does in Google's JSON.
_HALF: Final = re.compile("[\ud800-\udfff]")
_HALF_ESCAPED: Final = re.compile(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")
_INDENT: Final = "    "
_MARKED: Final = "keyfleet.mark-each-byte"


def base64_encode(data: Any, padding: Any) -> str:
    """Bytes as Base64 text."""
    encoded = base64.b64encode(need(data, "data", bytes)).decode("ascii")
    return encoded if need(padding, "padding", bool) else encoded.rstrip("=")


def base64_decode(data: Any, padding: Any) -> bytes:
    """Base64 text as bytes; line ends are ignored."""
    text = need(data, "data", str).replace("\r", "").replace("\n", "")
    padded = text if need(padding, "padding", bool) else text.rstrip("=") + "=" * (-len(text.rstrip("=")) % 4)
    if not _ALPHABET.match(padded) or len(padded) % 4:
        raise value_error("not Base64: a character outside its alphabet, or a wrong length")
    return base64.b64decode(padded)


def _charset(name: Any) -> str:
    try:
        found = codecs.lookup(need(name, "charset", str)).name
    except (LookupError, ValueError):
        found = ""
    if not _CHARSETS.match(found):
        raise value_error(f'unsupported charset "{name[:60]}"')
    return found


def text_encode(text: Any, charset: Any) -> bytes:
    """Text as bytes."""
    try:
        return bytes(need(text, "text", str).encode(_charset(charset)))
    except UnicodeEncodeError:
        raise value_error(f'the text does not fit charset "{charset}"') from None


def _mark_each_byte(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "\ufffd" * (error.end - error.start), error.end


codecs.register_error(_MARKED, _mark_each_byte)


def text_decode(data: Any, charset: Any) -> str:
    """Bytes as text; each byte that cannot be decoded becomes U+FFFD."""
    return checked_text(need(data, "data", bytes).decode(_charset(charset), _MARKED))


def json_text(data: Any, indent: Any) -> str:
    """A value as JSON text."""
    if not is_json(data):
        raise value_error("only null, booleans, numbers, strings, lists and maps can be JSON")
    prefix, step = _indentation(indent)
    if step is None:
        return _written(data, _COMPACT)
    laid_out = json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=step)
    return _written(data, laid_out).replace("\n", "\n" + prefix)


def _written(data: Any, encoder: json.JSONEncoder) -> str:
    try:
        return encoder.encode(data)
    except ValueError:
        raise value_error("a number that is not finite cannot be JSON") from None


def _indentation(indent: Any) -> tuple[str, str | None]:
    if type(need(indent, "indent", bool, dict, type(None))) is not dict:
        return "", _INDENT if indent else None
    prefix, step = indent.get("prefix", ""), indent.get("indent", _INDENT)
    return need(prefix, "prefix", str), need(step, "indent", str)


def json_encode(data: Any, indent: Any) -> bytes:
    """A value as JSON in UTF-8."""
    return json_text(data, indent).encode("utf-8", "replace")


def json_encode_to_string(data: Any, indent: Any) -> str:
    """A value as a JSON string."""
    return checked_text(json_text(data, indent))


def json_decode(data: Any) -> Any:
    """The value that JSON bytes, or text, stand for; bytes are UTF-8, read as text.decode reads them."""
    content = need(data, "data", bytes, str)
    return decode_json(content.decode("utf-8", _MARKED) if type(content) is bytes else content)


def decode_json(data: bytes | str) -> Any:
    """The value of a JSON document, with numbers and characters as the language has them."""
    try:
        value = _loaded(data)
        text = json.dumps(value, ensure_ascii=False) if _HALF_ESCAPED.search(_as_text(data)) else ""
        if _HALF.search(text):
            value = _loaded(_HALF.sub("\ufffd", text))
    except (ValueError, RecursionError):
        raise value_error("not valid JSON") from None
    if is_deep(value):
        raise value_error("JSON nested too deeply")
    return value


def _as_text(data: bytes | str) -> str:
    return data if isinstance(data, str) else data.decode("utf-8", "replace")


def plain_json(value: Any) -> Any:
    """A copy of a value from outside, holding nothing the language does not know."""
    return decode_json(plain_json_text(value))


def plain_json_text(value: Any) -> str:
    """The JSON text of a value from outside."""
    if is_deep(value) or not is_json(value):
        raise value_error("a value from outside is not JSON, or nested too deeply")
    return _written(value, _COMPACT)


def _integer(digits: str) -> int | float:
    if len(digits) <= 20 and limits.SMALLEST_INTEGER <= int(digits) <= limits.LARGEST_INTEGER:
        return int(digits)
    return _double(digits)


def _double(digits: str) -> float:
    number = float(digits)
    if number in {float("inf"), float("-inf")}:
        raise ValueError(digits)
    return number


def _constant(name: str) -> float:
    raise ValueError(name)


_COMPACT: Final = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"))
_DECODER: Final = json.JSONDecoder(parse_int=_integer, parse_float=_double, parse_constant=_constant)


def _loaded(data: bytes | str) -> Any:
    text = data if isinstance(data, str) else data.decode(json.detect_encoding(data), "surrogatepass")
    return _DECODER.decode(text)


def _algorithm(name: Any) -> str:
    if need(name, "algorithm", str) not in _ALGORITHMS:
        raise value_error(f"unsupported algorithm; use one of {', '.join(sorted(_ALGORITHMS))}")
    return str(name).lower()


def compute_checksum(data: Any, algorithm: Any) -> bytes:
    """The digest of bytes."""
    content, name = need(data, "data", bytes), _algorithm(algorithm)
    return hashlib.new(name, content, usedforsecurity=False).digest()


def compute_hmac(key: Any, data: Any, algorithm: Any) -> bytes:
    """The keyed digest of bytes."""
    secret, content = need(key, "key", bytes), need(data, "data", bytes)
    return hmac.digest(secret, content, _algorithm(algorithm))


FUNCTIONS: Final = (
    function("base64.decode", base64_decode, "data", padding=True),
    function("base64.encode", base64_encode, "data", padding=True),
    function("hash.compute_checksum", compute_checksum, "data", "algorithm"),
    function("hash.compute_hmac", compute_hmac, "key", "data", "algorithm"),
    function("json.decode", json_decode, "data"),
    function("json.encode", json_encode, "data", indent=None),
    function("json.encode_to_string", json_encode_to_string, "data", indent=None),
    function("text.decode", text_decode, "data", charset="UTF-8"),
    function("text.encode", text_encode, "text", charset="UTF-8"),
)
