"""Reads the settings of loops, parallel steps and retries."""

from infra.local.workflows.fields import Fields, read_fields
from infra.local.workflows.model import RetryPolicy, Template
from infra.local.workflows.report import Report
from infra.local.workflows.source import Listing, Mapped, Node, Scalar
from infra.local.workflows.templates import expression_text, read_template


def read_loop_source(fields: Fields) -> Template:
    """What a for loop goes over."""
    node = fields.get("in") or fields.get("range") or Scalar([], fields.line)
    written = isinstance(node, Listing) or (
        isinstance(node, Scalar) and expression_text(str(node.value)) is not None
    )
    if not written and not (isinstance(node, Scalar) and node.value == []):
        fields.report.add(
            node.line,
            "for goes over something that is not a list",
            "Give a list, or ${...}; for a map use ${keys(map)}",
        )
    if "range" in fields and isinstance(node, Listing) and len(node.items) != 2:
        fields.report.add(node.line, "a range has two ends", "Write range: [first, last]")
    return read_template(node, fields.report)


def check_exception_policy(fields: Fields) -> None:
    """There is one policy only."""
    policy = fields.get("exception_policy")
    if policy and not (isinstance(policy, Scalar) and policy.value == "continueAll"):
        fields.report.add(
            policy.line, "an unknown exception_policy", "continueAll is the only one, and the default"
        )


def read_limit(node: Node, report: Report) -> Template:
    """How many branches may run at once."""
    whole = isinstance(node, Scalar) and type(node.value) is int and node.value > 0
    if not whole and not (isinstance(node, Scalar) and expression_text(str(node.value)) is not None):
        report.add(
            node.line, "concurrency_limit is not a positive integer", "Write a number of 1 or more, or ${...}"
        )
    return read_template(node, report)


def read_retry(node: Node, report: Report) -> RetryPolicy | Template:
    """A policy by name, or spelled out."""
    if isinstance(node, Scalar):
        if expression_text(str(node.value)) is None:
            report.add(node.line, "retry is neither a policy nor a map", "Write retry: ${http.default_retry}")
        return read_template(node, report)
    fields = read_fields(node, "retry", report)
    if fields is None:
        return read_template(Scalar(None, node.line), report)
    fields.allow({"predicate", "max_retries", "backoff"})
    predicate, maximum, backoff = fields.need("predicate"), fields.get("max_retries"), fields.get("backoff")
    if isinstance(backoff, Mapped):
        Fields(
            "backoff",
            backoff.line,
            report,
            {e.key: e.node for e in backoff.entries},
            {e.key: e.line for e in backoff.entries},
        ).allow({"initial_delay", "max_delay", "multiplier"})
    return RetryPolicy(
        read_template(predicate or Scalar(None, node.line), report),
        read_template(maximum, report) if maximum else None,
        read_template(backoff, report) if backoff else None,
        node.line,
    )
