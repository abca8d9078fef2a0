"""The disk alone: what no durable write can be faster than."""

from statistics import median

from infra.bench.figures import Figure, Ground, Measure, Sample
from infra.bench.machine import fsync_milliseconds
from infra.bench.rounds import each_second

APPENDS, P50 = "raw.append_4k_fsync_per_s", "raw.append_4k_fsync_p50_ms"


def take(ground: Ground) -> Sample:
    """Append and sync for a while."""
    took: list[float] = []
    rate = each_second(lambda: took.extend(fsync_milliseconds(ground.folder, 20)), ground.effort.seconds)
    return {APPENDS: 20 * rate, P50: median(took)}


MEASURE = Measure("disk", {APPENDS: Figure("1/s"), P50: Figure("ms", "lower")}, take)
