"""Entry points of the sweeper, of what staff want or tell of a key, and of the platform probe."""

from collections.abc import Mapping
from typing import Any

from shared.domain.errors import InvalidInput
from shared.runtime.entry import step
from shared.runtime.platform import Platform
from shared.runtime.responses import TryLater

Body = Mapping[str, Any]


def _text(body: Body, field: str) -> str:
    value = body.get(field)
    if not isinstance(value, str) or not value:
        raise InvalidInput(field, "missing or not a text", "send it as the workflow probe_platform does")
    return value


def _seconds(body: Body) -> int:
    value = body.get("wait_seconds", 1)
    if not isinstance(value, int) or not 0 <= value <= 3600:
        raise InvalidInput("wait_seconds", "not a whole number up to 3600", "leave it out, or give seconds")
    return value


@step
async def sweep_due(_body: Body, on: Platform) -> Body:
    """Tend every key that is due, and tell what breakers have not told; then look after who waits here."""
    from shared.runtime.keys import services_of
    from shared.usecases.upkeep import serve_waiting, sweep_due

    services, began = services_of(on), serve_waiting.passed()
    tended = await sweep_due.sweep_due(on.documents, services)
    await serve_waiting.serve_waiting(services, began)
    return {"tended": tended}


@step
async def ask_again(body: Body, on: Platform) -> Body:
    """Ask a key's vendor again, now."""
    from shared.runtime.keys import services_of
    from shared.usecases.upkeep import ask_again

    return await ask_again.ask_again(ask_again.AskAgain.of(body), services_of(on))


@step
async def hear_of_job(body: Body, on: Platform) -> Body:
    """Keep what became of a vendor's job, and go on with the key that waits for it."""
    from shared.runtime.keys import services_of
    from shared.usecases.upkeep import hear_of_job

    return await hear_of_job.hear_of_job(hear_of_job.JobHeard.of(body), services_of(on))


@step
async def retry_keys(body: Body, on: Platform) -> Body:
    """Request keys anew that failed, now."""
    from shared.runtime.keys import services_of
    from shared.usecases.upkeep import retry_keys

    return await retry_keys.retry_keys(retry_keys.RetryKeys.of(body), services_of(on))


@step
async def hold_stay(body: Body, on: Platform) -> Body:
    """Let the keys of a stay rest, on somebody's word."""
    from shared.runtime.keys import services_of
    from shared.usecases.stays import hold_stay

    return {"keys": list(await hold_stay.hold_stay(hold_stay.StayOrder.of(body), services_of(on)))}


@step
async def release_stay(body: Body, on: Platform) -> Body:
    """Take a reason to rest away from a stay, on somebody's word."""
    from shared.runtime.keys import services_of
    from shared.usecases.stays import hold_stay

    return {"keys": list(await hold_stay.release_stay(hold_stay.StayOrder.of(body), services_of(on)))}


@step
async def close_residue(body: Body, on: Platform) -> Body:
    """Close what was left at a lock, on somebody's word who was there."""
    from shared.runtime.keys import services_of
    from shared.usecases.upkeep.close_residue import CloseResidue, Vault, close_residue

    return await close_residue(CloseResidue.of(body), Vault(on.sealed, on.cipher), services_of(on))


@step
async def end_key(body: Body, on: Platform) -> Body:
    """End one key, on a person's word."""
    from shared.runtime.keys import services_of
    from shared.usecases.upkeep import end_one_key

    return await end_one_key.end_one_key(end_one_key.KeyOrder.of(body), services_of(on))


@step
async def replace_key(body: Body, on: Platform) -> Body:
    """Replace one key by another, on a person's word."""
    from shared.runtime.keys import services_of
    from shared.usecases.upkeep import end_one_key

    return await end_one_key.replace_key(end_one_key.KeyOrder.of(body), services_of(on))


@step
async def copy_key(body: Body, on: Platform) -> Body:
    """Request one key more beside another, on a person's word."""
    from shared.runtime.keys import services_of
    from shared.usecases.upkeep import copy_key

    return await copy_key.copy_key(copy_key.CopyOrder.of(body), services_of(on))


@step
async def keep_backups(_body: Body, on: Platform) -> Body:
    """Make the backup codes that are missing, and renew those that end."""
    from shared.runtime.keys import services_of
    from shared.usecases.backups import keep_backups as backups

    return {"changed": await backups.keep_backups(on.documents, on.cell, services_of(on))}


@step
async def hand_out_backup(body: Body, on: Platform) -> Body:
    """Hand a room's backup code out to a guest, on a person's word."""
    from shared.runtime.keys import services_of
    from shared.usecases.backups import hand_out_backup as backups

    return await backups.hand_out_backup(backups.BackupOrder.of(body), services_of(on))


@step
async def compare_locks(body: Body, on: Platform) -> Body:
    """Begin to compare locks with the ledger: those that are due, or named."""
    from shared.runtime.keys import services_of
    from shared.usecases.reconcile import begin_comparison

    services, command = services_of(on), begin_comparison.BeginComparison.of(body)
    if command.is_round:
        return await begin_comparison.compare_due(on.documents, on.cell, services)
    settled = await begin_comparison.settle_all_placed(command, on.documents, on.cell, services)
    begun = await begin_comparison.begin_comparisons(command, on.documents, on.cell, services)
    return {"begun": begun.comparisons, "settled": settled}


@step
async def judge_finding(body: Body, on: Platform) -> Body:
    """Keep what a person decided about a finding, and begin what follows from it."""
    from shared.runtime.keys import services_of
    from shared.usecases.reconcile import begin_comparison, give_word

    services, command = services_of(on), give_word.GiveWord.of(body)
    given = await give_word.give_word(command, services)
    if given["word"] == "remove" and not given["over"]:
        asked = begin_comparison.BeginComparison.of({**body, **given, "occasion": "asked"})
        await begin_comparison.begin_comparisons(asked, on.documents, on.cell, services)
    return given


@step
async def probe_start(_body: Body, on: Platform) -> Body:
    """Send out a probe."""
    from shared.usecases.upkeep import probe_platform

    probe, execution = await probe_platform.begin_probe(on.sagas, on.ids)
    return {"probe": probe, "execution": execution}


@step
async def probe_answer(body: Body, on: Platform) -> Body:
    """Turn the first visit away, so that every probe proves the retry; send a second saga home."""
    from shared.usecases.upkeep import probe_platform

    visits = await probe_platform.count_visit(
        on.documents, on.clock, _text(body, "probe"), _text(body, "execution")
    )
    if visits == 1:
        raise TryLater("the first visit is always turned away")
    return {"visits": visits, "superseded": visits == 0}


@step
async def probe_handover(body: Body, on: Platform) -> Body:
    """Take the callback's address and promise to call."""
    from shared.usecases.upkeep import probe_platform

    command = probe_platform.HandOver(_text(body, "probe"), _text(body, "callback_url"), _seconds(body))
    await probe_platform.hand_over(
        command, sealed=on.sealed, cipher=on.cipher, tasks=on.tasks, clock=on.clock
    )
    return {"promised": True}


@step
async def probe_reply(body: Body, on: Platform) -> Body:
    """Call back; a saga that no longer waits was answered before."""
    from shared.ports.sagas import CallbackGone
    from shared.usecases.upkeep import probe_platform

    try:
        await probe_platform.reply(on.sealed, on.cipher, on.sagas, _text(body, "probe"))
    except CallbackGone:
        return {"waiting": False}
    return {"waiting": True}
