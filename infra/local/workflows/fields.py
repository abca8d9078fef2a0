"""Access to the keys of a mapping that reports whatever should not be there."""

from collections.abc import Collection
from dataclasses import dataclass, field

from infra.local.workflows.report import Report, suggestion
from infra.local.workflows.source import Listing, Mapped, Node, Scalar


@dataclass(slots=True)
class Fields:
    """The keys of one mapping."""

    what: str
    line: int
    report: Report
    nodes: dict[str, Node] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def __contains__(self, key: str) -> bool:
        return key in self.nodes

    def get(self, key: str) -> Node | None:
        """The node under a key, if it is there."""
        return self.nodes.get(key)

    def need(self, key: str) -> Node | None:
        """The node under a key, reported when missing."""
        if key not in self.nodes:
            self.report.add(self.line, f"{self.what} has no {key}", f'Add "{key}:"')
        return self.nodes.get(key)

    def allow(self, keys: Collection[str]) -> None:
        """Report every key that is not one of these."""
        for key in self.nodes:
            if key not in keys:
                self.report.add(
                    self.lines[key], f'{self.what} has an unknown key "{key}"', suggestion(key, keys)
                )


def read_fields(node: Node, what: str, report: Report) -> Fields | None:
    """The keys of a node that must be a mapping."""
    if not isinstance(node, Mapped):
        report.add(node.line, f"{what} is not a map", "Write key: value pairs, indented")
        return None
    fields = Fields(what, node.line, report)
    for entry in node.entries:
        fields.nodes[entry.key] = entry.node
        fields.lines[entry.key] = entry.line
    return fields


def read_items(node: Node | None, what: str, report: Report) -> tuple[Node, ...]:
    """The items of a node that must be a list with something in it."""
    if node is None:
        return ()
    if not isinstance(node, Listing) or not node.items:
        report.add(node.line, f"{what} is not a list of one or more items", 'Write items starting with "- "')
        return ()
    return node.items


def read_single(node: Node, what: str, report: Report) -> tuple[str, int, Node] | None:
    """The one key of a node that must be a map with a single key, with its line and value."""
    if isinstance(node, Mapped) and len(node.entries) == 1:
        entry = node.entries[0]
        return entry.key, entry.line, entry.node
    report.add(
        node.line,
        f"{what} is not a map with exactly one key",
        'Write "- name: ..."; check the indentation below it',
    )
    return None


def read_name(node: Node | None, what: str, report: Report) -> str | None:
    """A plain string; a number written as a step's name is one too."""
    if node is None:
        return None
    if isinstance(node, Scalar) and type(node.value) in {int, str} and node.value != "":
        return str(node.value)
    report.add(node.line, f"{what} is not a name", "Write a plain string")
    return None
