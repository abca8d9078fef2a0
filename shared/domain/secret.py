"""A value that does not show itself: not in repr, logs, errors, pickles or JSON."""

import hmac
from typing import Final, Generic, NoReturn, TypeVar

_T = TypeVar("_T", str, bytes)
REDACTED: Final = "[secret]"


class Secret(Generic[_T]):
    """Holds a PIN, token, key or vendor reference until somebody asks for it by name."""

    __slots__ = ("_value",)
    _value: _T
    __hash__ = None  # type: ignore[assignment]  # a hash would tell equal secrets apart from others in any log

    def __init__(self, value: _T) -> None:
        object.__setattr__(self, "_value", value)

    def reveal(self) -> _T:
        """Return the value; every call is a place to review."""
        return self._value

    def __repr__(self) -> str:
        return REDACTED

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return REDACTED

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Secret):
            return NotImplemented
        return hmac.compare_digest(_comparable(self.reveal()), _comparable(other.reveal()))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("a Secret does not change")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a Secret does not change")

    def __getstate__(self) -> NoReturn:
        raise TypeError("a Secret is neither copied nor pickled: reveal it and seal it with a Cipher")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        self.__getstate__()


def _comparable(value: str | bytes) -> bytes:
    # The leading byte keeps text and bytes of equal content apart without a second comparison.
    # An encoding error would carry the whole value, so a lone surrogate is let through.
    return b"s" + value.encode(errors="surrogatepass") if isinstance(value, str) else b"b" + value
