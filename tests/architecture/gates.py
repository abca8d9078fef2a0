"""Every gate by the sentence it holds, and what running one gives."""

from collections.abc import Callable, Iterator, Mapping

from tests.architecture import dependencies, documents, fleet, language, names, repository, sizes, vendors
from tests.architecture.tree import Tree

Gate = Callable[[Tree], Iterator[str]]

GATES: Mapping[str, Gate] = {
    **dependencies.CONTRACTS,
    **dependencies.RULES,
    **documents.RULES,
    **fleet.RULES,
    **language.RULES,
    **names.RULES,
    **repository.RULES,
    **sizes.RULES,
    **vendors.RULES,
}


def broken(tree: Tree) -> dict[str, list[str]]:
    """Return what each broken gate objects to."""
    findings = {name: list(gate(tree)) for name, gate in GATES.items()}
    return {name: found for name, found in findings.items() if found}
