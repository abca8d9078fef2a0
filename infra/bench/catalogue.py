"""Every measure, in the order of a round."""

from infra.bench.figures import Measure
from infra.bench.measures import (
    audit,
    audit_days,
    bus,
    desk,
    desktops,
    disk,
    documents,
    executions,
    growth,
    host,
    idle,
    interpreter,
    keys,
    receiver,
    resume,
    start_up,
)
from infra.manifest.load import load_manifest


def measures() -> tuple[Measure, ...]:
    """Return all of them; one depends on what the manifest deploys."""
    return (
        disk.MEASURE,
        documents.MEASURE,
        bus.MEASURE,
        host.MEASURE,
        interpreter.MEASURE,
        audit.MEASURE,
        audit_days.MEASURE,
        executions.MEASURE,
        keys.MEASURE,
        idle.MEASURE,
        start_up.measure(load_manifest()),
        receiver.MEASURE,
        resume.MEASURE,
        desk.MEASURE,
        desktops.MEASURE,
        growth.MEASURE,
    )
