"""A value below which a part of many lie."""

from collections.abc import Iterable


def percentile(values: Iterable[int], part: float) -> int | None:
    """Return the value below which a part of them lie, by the nearest rank; None of none."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * round(part * 100) // 100) - 1)] if ordered else None
