"""What the embedded cloud counts: commits, fsyncs, reads, writes, calls, billable steps."""

from collections import Counter


class Counters(Counter[str]):
    """Counts by name; `counters["commits"] += 1` is all there is to it."""

    def since(self, earlier: "Counters") -> dict[str, int]:
        """Return what was counted since an earlier copy."""
        return {name: count - earlier[name] for name, count in self.items() if count != earlier[name]}
