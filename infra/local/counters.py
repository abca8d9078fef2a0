"""What the embedded cloud counts: commits, fsyncs, reads, writes, calls, billable steps."""

from collections import Counter

from shared.runtime.platform import deployed

BY = "{} by {}"
"""A count of what one function spent, beside that of all."""


class Counters(Counter[str]):
    """Counts by name; `counters["commits"] += 1` is all there is to it."""

    def spend(self, name: str, count: int = 1) -> None:
        """Count what somebody spends, and what the function at work spends of it."""
        self[name] += count
        function = deployed.get(None)
        if function is not None:
            self[BY.format(name, function.name)] += count

    def since(self, earlier: "Counters") -> dict[str, int]:
        """Return what was counted since an earlier copy."""
        return {name: count - earlier[name] for name, count in self.items() if count != earlier[name]}
