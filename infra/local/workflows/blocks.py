"""Compiles lists of steps into blocks, and whole routines around them."""

from collections.abc import Sequence

from infra.local.workflows.compiled import Block, CompiledRoutine, CompiledStep, Course
from infra.local.workflows.errors import Place
from infra.local.workflows.execution import FIRST_SLOT
from infra.local.workflows.model import RoutineModel, Step
from infra.local.workflows.scope import Layout, Scope
from infra.local.workflows.site import RESERVED_TARGETS, Level, Site


def declared(model: RoutineModel) -> CompiledRoutine:
    """A routine others can refer to, its block still empty."""
    names = tuple(parameter.name for parameter in model.parameters)
    required = sum(parameter.required for parameter in model.parameters)
    return CompiledRoutine(
        model.name, names, required, tuple(parameter.default for parameter in model.parameters)
    )


def compile_routine(model: RoutineModel, routine: CompiledRoutine, site: Site) -> None:
    """Fill in the block of a declared routine."""
    layout = Layout(0)
    scope = Scope(layout)
    for parameter in model.parameters:
        scope.declare(parameter.name, model.line)
    scope.declare_assigned(model.steps, model.line)
    compile_block(model.steps, site.inside(scope), "routine", routine.block)
    routine.slots = layout.size - FIRST_SLOT


def compile_block(steps: Sequence[Step], site: Site, kind: str, block: Block | None = None) -> Block:
    """A block of steps; `kind` says what its edge means to jumps and loops."""
    block = block if block is not None else Block()
    names = {step.name: at for at, step in enumerate(steps)}
    inner = site.at(Level(block, names, kind, site.level))
    block.steps = tuple(_step(step, at, inner) for at, step in enumerate(steps))
    return block


def _step(step: Step, at: int, site: Site) -> CompiledStep:
    then: Course = at + 1 if step.next is None else site.target(step.next, step.line)
    if step.name in RESERVED_TARGETS:
        site.problem(
            step.line, f'a step is called "{step.name}", which next understands differently', "Rename it"
        )
    code = site.compile_action(step.action, site)
    return CompiledStep(Place(site.routine, step.name, step.line), code, at + 1 if then is None else then)
