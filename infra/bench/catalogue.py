"""Every measure, in the order of a round."""

from infra.bench.figures import Measure
from infra.bench.measures import (
    adapters,
    api_reads,
    audit,
    audit_days,
    backoffice,
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
    revoke,
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
        adapters.MEASURE,
        revoke.MEASURE,
        idle.MEASURE,
        start_up.measure(load_manifest()),
        receiver.MEASURE,
        resume.MEASURE,
        desk.MEASURE,
        desktops.MEASURE,
        api_reads.MEASURE,
        backoffice.MEASURE,
        growth.MEASURE,
    )
