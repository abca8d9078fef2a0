"""What is under way or stuck: residues, the work on keys with its history, messages set aside, jobs."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from functions.backoffice.console_paper import form, hidden, word
from functions.backoffice.screens.look import MOST_ROWS, Look
from shared.domain.errors import InvalidInput
from shared.domain.ids import GrantId
from shared.domain.permissions import Permission
from shared.keywork.start import WORKFLOWS
from shared.ports.dead_letters import AT_MOST
from shared.ports.executions import Happening
from shared.ports.sagas import SagaError
from shared.ports.tasks import Task
from shared.queries.attention import failed_keys, residues
from shared.queries.bulk import is_under_way, list_bulk
from shared.queries.findings import strange_residues
from shared.queries.found import find_grant, find_key, work_on
from shared.queries.keys import key_of, keys_in_work
from shared.runtime.problems import NotNow, NotThere
from shared.usecases.operations.letters import shown_letter
from shared.usecases.upkeep.close_residue import check_residue
from shared.usecases.upkeep.fork_work import shown_steps

REPLAYER: Final = "replay-letter"
HOST: Final = re.compile(r"https?://[^/\s]+")


async def left(look: Look) -> str:
    """Return what should be gone from locks and may still open them, and what is nobody's."""
    ours = await residues(look.cell, look.tenant, look.now, look.at())
    strange = look.here(await strange_residues(look.cell, look.tenant, look.now))
    closes = look.holds(Permission.RESIDUE_CLOSE)
    rows = [
        (
            each["label"] or each["device"],
            look.stay(each["reservation"]),
            each["key"],
            word(look.paper, each["state"], worst=True),
            each["since"],
            each["exposure_until"],
            look.paper.reason(each["cause"]),
            each["next_try"],
            _close(look, each) if closes and each["state"] == "residual" else None,
        )
        for each in [*ours, *strange][:MOST_ROWS]
    ]
    columns = ("lock", "reservation", "key", "state", "since", "until", "reason", "due", "look")
    return look.table("residues", columns, rows)


def _close(look: Look, each: Mapping[str, Any]) -> object:
    return form(look.paper, "residues", hidden(id=each["grant"]), "close")


async def close(look: Look) -> None:
    """Have a residue closed by the word of somebody who was at the door."""
    wanted = GrantId.parse(look.form.get("id"), "id")
    if await find_grant(look.store, wanted) != look.at():
        raise NotThere("no such residue")
    try:
        await check_residue(wanted, look.store, look.now)
    except InvalidInput as refusal:
        raise NotNow(str(refusal)) from None
    await look.order("close-residue", grant=wanted)


async def sagas(look: Look) -> str:
    """Return the work on one key, step by step; or the keys yet to be made, and those that could not be."""
    if look.query.get("id"):
        return await _saga(look, look.query["id"])
    failed = look.here(await failed_keys(look.cell, look.tenant, look.now))
    rows: list[tuple[object, ...]] = [
        (
            look.stay(each["reservation"]),
            _key(look, each["key"]),
            word(look.paper, "failed", worst=True),
            look.paper.reason(each["reason"]),
            None,
            each["next_look"],
        )
        for each in failed
    ]
    rows += [
        (
            look.stay(each["reservation"]),
            _key(look, each["id"]),
            word(look.paper, each["state"]),
            look.paper.reason(each["reason"]),
            each["saga"]["tries"],
            each["due_at"],
        )
        for each in await keys_in_work(look.store, look.at(), MOST_ROWS)
    ]
    return look.table("sagas", ("reservation", "key", "state", "reason", "tries", "due"), rows)


def _key(look: Look, key: str) -> object:
    return look.paper.link("sagas", key, id=key)


async def _saga(look: Look, key: str) -> str:
    await _there(look, key)
    told = await work_on(look.store, key)
    work = told["work"]
    row = (key, work["kind"], work["generation"], work["tries"], told["lost"], told["broken"], told["due_at"])
    head = look.table("work", ("key", "kind", "run", "tries", "lost", "broken", "due"), (row,))
    ways = await _ways(look, key)
    steps = [_step(each) for each in await _history(look, work["execution"])]
    again = (
        form(look.paper, "sagas", hidden(id=key), "ask_again") if look.holds(Permission.KEY_ASK_AGAIN) else ""
    )
    return f"{head}{again}{ways}{look.table('history', ('at', 'kind', 'what', 'line'), steps)}"


async def _ways(look: Look, key: str) -> str:
    """Return the ways to make a key; whoever steers sagas may have it made anew from one of them."""
    entry = await key_of(look.store, key)
    steers = look.holds(Permission.SAGA_STEER)
    rows = [
        (
            each["step"],
            each["vendor"],
            word(look.paper, each["kind"]),
            each["attempts"],
            look.paper.reason("; ".join(each["problems"])),
            form(look.paper, "sagas", hidden(id=key, step=str(each["step"])), "fork") if steers else None,
        )
        for each in (shown_steps(entry) if entry is not None else ())
    ]
    return look.table("step", ("step", "vendor", "kind", "tries", "reason", "look"), rows)


def _step(each: Happening) -> tuple[object, ...]:
    """Return a step as a row, its addresses without the host: where functions lie is not told here."""
    return (each.at, each.kind, HOST.sub("", each.what), each.line)


async def _there(look: Look, key: str) -> None:
    found = await find_key(look.store, key)
    if found is None or found.property_id != look.at():
        raise NotThere("no such key")


async def _history(look: Look, execution: str | None) -> Sequence[Happening]:
    """Return what happened in an execution, whatever its release called the file; nothing once forgotten."""
    for workflow in WORKFLOWS if execution is not None else ():
        try:
            return (await look.on.executions.history(f"{workflow}/{execution}"))[-MOST_ROWS:]
        except SagaError:
            continue
    return ()


async def ask_again(look: Look) -> None:
    """Have a key's vendor asked again now, or a failed key requested anew; or made anew from a step."""
    key, step = look.form.get("id", ""), look.form.get("step")
    await _there(look, key)
    if step is None:
        await look.order("retry-key", key=key)
        return
    look.demand(Permission.SAGA_STEER)
    await look.order("fork-work", key=key, step=step)


async def letters(look: Look) -> str:
    """Return the company's messages that were set aside."""
    decides = look.holds(Permission.DEAD_LETTER_DECIDE)
    rows = [
        (
            each["subject"],
            each["reservation"],
            each["parked_at"],
            each["field"],
            each["reason"],
            each["remedy"],
            form(look.paper, "letters", hidden(id=each["id"]), "replay") if decides else None,
        )
        for each in await _mine(look)
    ]
    columns = ("subject", "reservation", "since", "field", "reason", "remedy", "look")
    return look.table("letters", columns, rows)


async def _mine(look: Look) -> list[dict[str, Any]]:
    found = [shown_letter(each) for each in await look.on.dead_letters.waiting(limit=AT_MOST)]
    return [each for each in found if each["tenant"] == look.who.tenant][:MOST_ROWS]


async def replay(look: Look) -> None:
    """Have one message of this company's delivered again, in a moment."""
    wanted = look.form.get("id", "")
    if wanted not in {each["id"] for each in await _mine(look)}:
        raise NotThere("no such message")
    # The console is open to whoever finds it: it looks, and another publishes.
    await look.on.tasks.enqueue(Task(REPLAYER, {"id": wanted}))


async def bulk(look: Look) -> str:
    """Return the revocations of many keys at once, and how far each is."""
    rows = [
        (
            each["device"] or look.paper.called(each["property"]),
            word(look.paper, each["stage"]),
            each["began_at"],
            each["by"],
            f"{each['page']}/{each['pages']}" if each["pages"] else each["page"],
            each["revoked"],
            each["removed"],
            each["residual"],
        )
        for each in await _jobs(look)
    ]
    columns = ("about", "state", "since", "by", "pages", "revoked", "removed", "residual")
    return look.table("bulk", columns, rows)


async def bulk_moves(look: Look) -> bool:
    """Say whether a revocation of many keys is under way."""
    return any(map(is_under_way, await _jobs(look)))


async def _jobs(look: Look) -> list[Mapping[str, Any]]:
    return look.here((await list_bulk(look.cell, look.tenant))["jobs"])
