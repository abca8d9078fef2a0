"""What the fleet is made of, and whether it answers."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from infra.cli.address import FleetAddress
from infra.cli.answer import counted
from infra.cli.control import ControlPlane, not_running, open_elsewhere
from infra.cli.doctor.finding import Finding, Verdict
from infra.cli.listening import listens
from infra.cli.polling import OutOfPatience, Patience
from infra.cli.problems import Problem
from infra.cli.up import port_taken

PROBE = "probe"
PROBE_SECONDS = 30.0
ANCHOR = "infra/runbooks/audit/anchor.md"
FINDINGS = "infra/runbooks/lock/findings.md"
KEY_ISSUE, KEY_REVOKE = "infra/runbooks/lock/key-issue.md", "infra/runbooks/lock/key-revoke.md"


@dataclass(frozen=True, slots=True)
class Answering:
    """Whether somebody listens on the port, and what the fleet tells of itself or why it does not."""

    listening: bool
    status: Mapping[str, Any] | None = None
    problem: Problem | None = None


def listen_in(at: FleetAddress) -> Answering:
    """Ask the fleet how it stands, and what somebody must see to; nobody else is asked anything."""
    try:
        control = ControlPlane(at)
        return Answering(True, {**control.get("status"), **control.get("attention")})
    except Problem as problem:
        if not listens(at):
            return Answering(False)
        return Answering(True, None, problem if at.is_open() else port_taken(at))


def is_missing(at: FleetAddress, answering: Answering) -> bool:
    """Say whether nobody listens though a fleet was started here before: what a monitor has to hear of."""
    try:
        return not answering.listening and at.has_database()
    except OSError:
        return False  # a home that cannot be looked into is a finding of its own


def check_port(at: FleetAddress, answering: Answering) -> Finding:
    """Does a fleet answer, or could one listen here?"""
    if not answering.listening and at.is_open():
        elsewhere = open_elsewhere(at)
        return Finding("fleet", Verdict.WARNING, elsewhere.message, elsewhere.remedy)
    if is_missing(at, answering):
        said = f"not running, though {at.home} holds its database: nobody gets a key, and none is taken back"
        return Finding("fleet", Verdict.WARNING, said, f"keyfleet up{at.flags}")
    if not answering.listening:
        return Finding("fleet", Verdict.NOTE, f"not running, port {at.port} is free: keyfleet up{at.flags}")
    if answering.problem is not None:
        problem = answering.problem
        return Finding("fleet", Verdict.FAILED, problem.message, problem.remedy)
    return Finding("fleet", Verdict.OK, f"answers at {at.base_url}, and takes this home's identity")


def check_letters(at: FleetAddress, answering: Answering) -> Finding:
    """Was anything set aside that somebody should look at?"""
    if answering.status is None:
        return Finding("dead letters", Verdict.NOTE, "known only to a running fleet")
    count = int(answering.status.get("parked", 0))
    if count:
        return Finding(
            "dead letters", Verdict.WARNING, f"{count} set aside", f"keyfleet dead-letter list{at.flags}"
        )
    return Finding("dead letters", Verdict.OK, "none")


def check_executions(at: FleetAddress, answering: Answering) -> Finding:
    """Did any execution fail of late?"""
    count = (answering.status or {}).get("failed_executions")
    if count is None:
        return Finding("executions", Verdict.NOTE, "known only to a running fleet")
    if count:
        remedy = f"keyfleet workflow list --state FAILED{at.flags}"
        return Finding("executions", Verdict.WARNING, f"{count} failed within 24 h", remedy)
    return Finding("executions", Verdict.OK, "none failed within 24 h")


def check_failed_keys(at: FleetAddress, answering: Answering) -> Finding:
    """Does every guest have the key that the stay asks for, or will?"""
    return _known_to_fleet(
        answering,
        "failed_keys",
        Finding("failed keys", Verdict.OK, "none that a stay still wants"),
        lambda count: f"{counted(count, 'key')} failed, and the stay wants it: a guest may stand at the door",
        f"keyfleet credentials --state failed{at.flags}, then as {KEY_ISSUE} says",
    )


def check_stays(at: FleetAddress, answering: Answering) -> Finding:
    """Has any stay lost its keys, because as it is now it can have none?"""
    return _known_to_fleet(
        answering,
        "keyless_stays",
        Finding("stays", Verdict.OK, "each has its keys, or they are being made"),
        lambda stays: f"without any key: {', '.join(stays)}",
        f"keyfleet timeline STAY{at.flags} says why, then as {KEY_ISSUE} says",
    )


def check_arrivals(at: FleetAddress, answering: Answering) -> Finding:
    """Has every guest who is here, or is about to come, a key?"""
    return _known_to_fleet(
        answering,
        "keys_at_the_door",
        Finding("arrivals", Verdict.OK, "whoever is here or comes within two hours has a key"),
        lambda keys: f"not made yet, and its guest is here or comes within two hours: {', '.join(keys)}",
        f"keyfleet timeline KEY{at.flags} says what its vendor said last, then as {KEY_ISSUE} says",
    )


def check_residues(at: FleetAddress, answering: Answering) -> Finding:
    """Does any lock still open to what should be gone?"""
    return _known_to_fleet(
        answering,
        "residual_locks",
        Finding("residual access", Verdict.OK, "none"),
        lambda count: f"at {counted(count, 'lock')}: what should be gone may still open",
        f"keyfleet residue list{at.flags}, then as {KEY_REVOKE} says",
    )


def check_anchors(at: FleetAddress, answering: Answering) -> Finding:
    """Is every day of the audit log closed that should be?"""
    if answering.status is None:
        return Finding("audit log", Verdict.NOTE, "known only to a running fleet")
    late = answering.status.get("anchors_overdue")
    if late:
        said = f"a day is open for over 26 hours: {', '.join(late)}"
        return Finding(
            "audit log", Verdict.FAILED, said, f"keyfleet audit status{at.flags}, then as {ANCHOR} says"
        )
    return Finding("audit log", Verdict.OK, "closed up to where it should be")


def check_findings(at: FleetAddress, answering: Answering) -> Iterator[Finding]:
    """Is any lock not as the ledger has it, as far as locks were compared?"""
    see = f"keyfleet finding list{at.flags}, then as {FINDINGS} says"
    yield _known_to_fleet(
        answering,
        "strange_keys",
        Finding("keys at locks", Verdict.OK, "none that is nobody's"),
        lambda count: f"{counted(count, 'key')} may open a lock, and nobody knows whose",
        see,
    )
    yield _known_to_fleet(
        answering,
        "lost_keys",
        Finding("lost keys", Verdict.OK, "none is gone from its lock"),
        lambda keys: f"gone from their locks, and not placed again: {', '.join(keys)}",
        see,
    )


def _known_to_fleet(
    answering: Answering, what: str, none: Finding, said: Callable[[Any], str], remedy: str
) -> Finding:
    """Return a finding about what a running fleet knows, and nobody else."""
    if answering.status is None:
        return Finding(none.check, Verdict.NOTE, "known only to a running fleet")
    found = answering.status[what]
    # A guest who cannot get in, or a stranger who can, is no warning.
    return Finding(none.check, Verdict.FAILED, said(found), remedy) if found else none


def check_manifest() -> Finding:
    """Can every fleet.yaml be deployed?"""
    from infra.manifest.load import ManifestRefused, load_manifest

    try:
        functions = load_manifest().functions
    except ManifestRefused as refusal:
        return Finding("manifest", Verdict.FAILED, str(refusal), "mend that fleet.yaml")
    return Finding("manifest", Verdict.OK, counted(len(functions), "function"))


def check_workflows() -> Finding:
    """Can every workflow file be deployed?"""
    from infra.local.wiring import workflow_sources
    from infra.local.workflows.errors import WorkflowRefused
    from infra.local.workflows.program import load
    from infra.manifest.load import ROOT

    sources = workflow_sources(ROOT / "workflows")
    try:
        for name, source in sources.items():
            load(source, f"workflows/{name}.yaml")
    except WorkflowRefused as refusal:
        return Finding("workflows", Verdict.FAILED, str(refusal), "keyfleet workflow check workflows/*.yaml")
    return Finding("workflows", Verdict.OK, counted(len(sources), "file"))


def unsent_probe(at: FleetAddress) -> Finding:
    """Return that no probe was sent, for nobody would have heard it."""
    missing = not_running(at)
    return Finding(PROBE, Verdict.WARNING, f"not sent: {missing.message}", missing.remedy)


def check_by_probe(at: FleetAddress, patience: Patience, probe: str) -> Finding:
    """Does a saga come through: a call that is turned away once, a task, a callback, the cipher?"""
    control, began = ControlPlane(at), patience.seconds()
    try:
        argument = {"probe": probe, "wait_seconds": 1}
        started = control.post("executions", body={"workflow": "probe_platform", "argument": argument})
        ended = patience.until(lambda: _ended(control, started["execution"]), PROBE_SECONDS)
    except Problem as problem:
        return Finding(PROBE, Verdict.FAILED, problem.message, problem.remedy)
    except OutOfPatience:
        remedy = f"keyfleet workflow show {started['execution']}{at.flags}"
        return Finding(PROBE, Verdict.FAILED, f"not through within {PROBE_SECONDS:g} s", remedy)
    return _judged(at, ended, patience.seconds() - began)


def _ended(control: ControlPlane, execution: str) -> Mapping[str, Any] | None:
    shown = control.get("executions", execution)
    return None if shown["state"] == "ACTIVE" else shown


def _judged(at: FleetAddress, ended: Mapping[str, Any], seconds: float) -> Finding:
    if ended["state"] == "SUCCEEDED":
        return Finding(PROBE, Verdict.OK, f"{ended['id']} came through in {seconds:.1f} s")
    remedy = f"keyfleet workflow show {ended['id']}{at.flags}"
    return Finding(PROBE, Verdict.FAILED, f"{ended['id']} {ended['state']}", remedy)
