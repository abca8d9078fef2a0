"""One request's fields, read as strictly as a vendor documents them; an empty field is a missing one."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from infra.simulators.kit.errors import Code, Refused

NUMBER = re.compile(r"-?[0-9]{1,18}")
"""What a platform's own 64 bits hold."""


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked; a vendor's own call adds who asks, and the code that refuses a malformed field."""

    malformed: ClassVar[Code] = "malformed"
    fields: Mapping[str, Any] = field(repr=False)

    def text(self, name: str) -> str:
        """Return a required field."""
        value = self.fields.get(name, "")
        if not value or not isinstance(value, str):
            raise Refused(self.malformed)
        return value

    def optional(self, name: str) -> str | None:
        """Return a field, or nothing."""
        return self.fields.get(name) or None

    def number(self, name: str, default: int | None = None) -> int:
        """Return a whole number."""
        value = self.fields.get(name, "")
        if value in ("", None) and default is not None:
            return default
        return whole_number(value, self.malformed)

    def choice(self, name: str, allowed: Collection[int], default: int | None = None) -> int:
        """Return one of a few whole numbers."""
        value = self.number(name, default)
        if value not in allowed:
            raise Refused(self.malformed)
        return value


def whole_number(value: Any, malformed: Code) -> int:
    """Return a number as a form or JSON has it, or refuse."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    if not isinstance(value, str) or not NUMBER.fullmatch(value):
        raise Refused(malformed)
    return int(value)
