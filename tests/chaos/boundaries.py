"""Boundaries at a fleet's way out: before a call to a vendor, and after its answer."""

import pytest


class WatchedWay:
    """The way to the vendors, whose every call is announced like the boundaries inside."""

    def __init__(self, way, faults):
        self._way, self._faults = way, faults

    async def send(self, call):
        """Pass the call on."""
        self._faults.reach("before-vendor-call")
        answer = await self._way.send(call)
        self._faults.reach("after-vendor-call")
        return answer

    async def close(self):
        """Close the way."""
        await self._way.close()


class Strike:
    """Call something the nth time a boundary is reached, counted from when it is set."""

    def __init__(self, boundary, nth, strike):
        self._boundary, self._left, self._strike = boundary, nth, strike

    def reach(self, boundary):
        """Count down, then strike."""
        if boundary == self._boundary:
            self._left -= 1
            if self._left == 0:
                self._strike()


class FromTheFirst:
    """Passes boundaries on from the first of one kind onwards: what a fleet does before is not counted."""

    def __init__(self, first, faults):
        self._first, self._faults, self._begun = first, faults, False

    def reach(self, boundary):
        """Pass it on, if it is time."""
        self._begun = self._begun or boundary == self._first
        if self._begun:
            self._faults.reach(boundary)


def each_boundary(census):
    """Return every boundary, each time it is reached; all but the middle one of a kind are for the soak."""
    return [
        pytest.param(f"{kind}#{nth}", marks=[] if nth == (times + 1) // 2 else [pytest.mark.soak])
        for kind, times in census.items()
        for nth in range(1, times + 1)
    ]
