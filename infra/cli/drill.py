"""`keyfleet drill`: what it plays is loaded when somebody plays it."""

from infra.cli.answer import Telling


def drill() -> Telling:
    """Back a fleet up, lose it, restore it elsewhere, and compare with its locks: what is found, is told."""
    from infra.cli.demo.drill import drilled

    return (yield from drilled())
