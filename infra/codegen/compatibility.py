"""The gate of B §5: within a version, a produced subject may gain optional fields and change in no other way.

What is published must stay readable for consumers built on the released schema, who look past fields they do
not know; and what was published, which stays in the event log for years, must stay readable for us. The two
together leave room for additive optional fields only: a value added to an enumeration breaks the first,
a field that becomes required breaks the second.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from infra.codegen.event_schemas import generate
from shared.events.catalogue import subjects
from shared.events.subject import Direction

RELEASED: Final = Path("schemas/released")

Schema = dict[str, Any]

_ANNOTATIONS: Final = {
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "title",
    "description",
    "default",
    "discriminator",
}
_COMPARED_APART: Final = {"properties", "required", "enum", "items", "anyOf", "oneOf", "allOf"}
_REMEDY: Final = "Publish it as a new version of the subject"


def problems(root: Path) -> list[str]:
    """Every way in which the current schemas break a released one."""
    current = {path.name: text for path, text in generate().items()}
    return [
        f"{RELEASED / released.name}: {change}. {_REMEDY}"
        for released in sorted((root / RELEASED).glob("*.json"))
        for change in _changes_to(json.loads(released.read_text()), current.get(released.name))
    ]


def release() -> dict[Path, str]:
    """The current schemas of what we produce, as the files that freeze them."""
    current = generate()
    names = [f"{row.name}.json" for row in subjects(Direction.PRODUCED)]
    return {RELEASED / name: current[Path("schemas") / name] for name in names}


def breaking_changes(released: Schema, current: Schema) -> list[str]:
    """What a consumer or a stored event of `released` would stumble over in `current`."""
    return list(_Comparison(released, current).changes())


def _changes_to(released: Schema, current: str | None) -> list[str]:
    if current is None:
        return ["a released subject is no longer produced"]
    return breaking_changes(released, json.loads(current))


class _Comparison:
    """Two schema documents walked side by side, references resolved."""

    def __init__(self, released: Schema, current: Schema) -> None:
        self._released, self._current = released, current

    def changes(self) -> Iterator[str]:
        return self._node(self._released, self._current, "(document)")

    def _node(self, old: Schema, new: Schema, path: str) -> Iterator[str]:
        old, new = _resolved(old, self._released), _resolved(new, self._current)
        yield from self._fields(old, new, path)
        yield from _required(old, new, path)
        yield from _values(old, new, path)
        yield from self._nested(old, new, path)
        yield from _rules(old, new, path)

    def _fields(self, old: Schema, new: Schema, path: str) -> Iterator[str]:
        kept = new.get("properties", {})
        for name, schema in old.get("properties", {}).items():
            field = name if path == "(document)" else f"{path}.{name}"
            if name not in kept:
                yield f"{field} was removed"
            else:
                yield from self._node(schema, kept[name], field)

    def _nested(self, old: Schema, new: Schema, path: str) -> Iterator[str]:
        for keyword, step in (("items", "[]"), ("anyOf", ""), ("oneOf", ""), ("allOf", "")):
            before, after = _listed(old.get(keyword)), _listed(new.get(keyword))
            if len(before) != len(after):
                yield f"{path} changed its {keyword}"
                continue
            for one, other in zip(before, after, strict=True):
                yield from self._node(one, other, path + step)


def _resolved(node: Schema, document: Schema) -> Schema:
    """The node with the definition it refers to merged in."""
    if "$ref" not in node:
        return node
    definition = document["$defs"][node["$ref"].removeprefix("#/$defs/")]
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return _resolved(definition, document) | beside


def _listed(value: Any) -> list[Schema]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _required(old: Schema, new: Schema, path: str) -> Iterator[str]:
    before, after = set(old.get("required", ())), set(new.get("required", ()))
    yield from (f"{path} now requires {name}" for name in sorted(after - before))
    yield from (f"{path} no longer requires {name}" for name in sorted(before - after))


def _values(old: Schema, new: Schema, path: str) -> Iterator[str]:
    if ("enum" in old) != ("enum" in new):
        yield f"{path} {'lists' if 'enum' in new else 'no longer lists'} its values"
        return
    before, after = old.get("enum", []), new.get("enum", [])
    yield from (f"{path} gained the value {value!r}" for value in after if value not in before)
    yield from (f"{path} lost the value {value!r}" for value in before if value not in after)


def _rules(old: Schema, new: Schema, path: str) -> Iterator[str]:
    for keyword in sorted((old.keys() | new.keys()) - _ANNOTATIONS - _COMPARED_APART):
        if old.get(keyword) != new.get(keyword):
            yield f"{path} changed its {keyword}"
