"""The work on a key steered over HTTP: its steps, what beginning anew from one would change, and its end."""

from typing import Annotated, Final

from pydantic import Field

from functions.lock_api.places import as_state, key_at, store_of
from functions.lock_api.shown import KeyId, KeyState, shown
from shared.domain.ids import credential_id
from shared.domain.permissions import Permission
from shared.events.wire import DeviceId, Flag, KeyKind, Maybe, Published, RoomId, VendorCode
from shared.queries.found import FoundKey
from shared.queries.keys import key_of
from shared.runtime.asked import Asked
from shared.runtime.keys import services_of
from shared.runtime.platform import Platform
from shared.runtime.problems import NotThere
from shared.runtime.routes import Route
from shared.usecases.upkeep.copy_key import MOST_COPIES, CopyOrder, copy_key
from shared.usecases.upkeep.fork_work import ForkWork, cancel_work, fork_difference, fork_work, shown_steps

Way = Annotated[str, Field(max_length=80)]


class Step(Published):
    """A way to make a key: where it stands in the order, and what came of it so far."""

    step: int
    vendor: VendorCode
    kind: KeyKind
    attempts: int
    problems: tuple[str, ...]
    present: Flag


class Steps(Published):
    """The ways to make a key, in the order in which they are tried."""

    key: KeyId
    steps: tuple[Step, ...]


class ForkWanted(Published):
    """From which step the work is to begin anew; without `dryRun: false`, what would change is only told."""

    step: Annotated[int, Field(ge=0, le=50)]
    dry_run: bool = True


class Difference(Published):
    """What a fork changes: the key that ends, the locks it leaves, and how the one in its place is tried."""

    key: KeyId
    state: KeyState
    ways_before: tuple[Way, ...]
    ways_after: tuple[Way, ...]
    attempts_before: int
    attempts_after: int
    attempts_allowed: int
    removed_at: tuple[DeviceId, ...]
    rooms: tuple[RoomId, ...]
    new_secret: Flag
    rests: Flag


class Forked(Published):
    """What a fork changes, and, once it is done, the key in the old one's place."""

    difference: Maybe[Difference] = None
    replaced_by: Maybe[KeyId] = None


class Cancelled(Published):
    """A key whose work was given up."""

    key: KeyId
    state: KeyState


class CopiesWanted(Published):
    """How many copies of a key there are to be in all, and of which kind first."""

    copies: Annotated[int, Field(ge=1, le=MOST_COPIES)] = 1
    kind: Maybe[KeyKind] = None


class Copies(Published):
    """A key, and its copies."""

    key: KeyId
    copies: tuple[KeyId, ...]


async def get_steps(asked: Asked, on: Platform) -> Steps:
    """Return the ways to make a key, and what came of each."""
    found = await key_at(asked, on)
    record = await key_of(store_of(asked, on), found.id)
    if record is None:
        raise NotThere("no such key")
    return Steps(key=record.id, steps=tuple(shown(Step, each) for each in shown_steps(record)))


async def fork_saga(asked: Asked, on: Platform) -> Forked:
    """Begin the work on a key anew from a step, or say what that would change."""
    command, services = await _command(asked.body.step, asked, on), services_of(on)
    with as_state():
        if asked.body.dry_run:
            return Forked(difference=shown(Difference, await fork_difference(command, services)))
        told = await fork_work(command, services)
    return Forked(replaced_by=told["replacedBy"])


async def cancel_saga(asked: Asked, on: Platform) -> Cancelled:
    """Give up a key that is yet to be made."""
    command = await _command(0, asked, on)
    with as_state():
        return shown(Cancelled, await cancel_work(command, services_of(on)))


async def copy_credential(asked: Asked, on: Platform) -> Copies:
    """Have a key's copies made, as many as there are to be."""
    found, tenant = await _expected(asked, on), asked.principal.tenant
    wanted = {"key": found.id, "tenant": tenant, "by": asked.by}
    order = CopyOrder.of({**wanted, **asked.body.model_dump(mode="json")})
    with as_state():
        return shown(Copies, await copy_key(order, services_of(on)))


async def _command(step: int, asked: Asked, on: Platform) -> ForkWork:
    found = await _expected(asked, on)
    return ForkWork(asked.principal.tenant, credential_id(found.id), asked.by, step)


async def _expected(asked: Asked, on: Platform) -> FoundKey:
    found = await key_at(asked, on)
    asked.expects(found.version)
    return found


_P: Final = Permission
_ONE: Final = "/lock/v1/sagas/{keyCredentialId}"
ROUTES: Final = (
    Route(
        method="GET",
        path=f"{_ONE}/steps",
        summary="The ways to make a key, and what came of each",
        use_case=get_steps,
        answer=Steps,
        permission=_P.SAGA_READ,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/fork",
        summary="Begin the work on a key anew from a step, or see what that would change",
        use_case=fork_saga,
        request=ForkWanted,
        answer=Forked,
        permission=_P.SAGA_STEER,
    ),
    Route(
        method="POST",
        path=f"{_ONE}/cancel",
        summary="Give up a key that is yet to be made",
        use_case=cancel_saga,
        answer=Cancelled,
        permission=_P.SAGA_STEER,
    ),
    Route(
        method="POST",
        path="/lock/v1/credentials/{keyCredentialId}/copies",
        summary="Have copies of a key made for its party",
        use_case=copy_credential,
        request=CopiesWanted,
        answer=Copies,
        permission=_P.KEY_ISSUE,
        status=202,
    ),
)
