"""What a round comes to, decided before anything is written; and the one way in which that is carried out.

1. Secrets are destroyed that no lock has any more: a crash leaves the word to be said again, not the secret.
2. What the vendor named or chose is sealed: whoever hears of the key must find it.
3. All is saved at once: key, work, grants, events, tasks for people; where the work ends, it is told.
4. Secrets are destroyed that no lock took: before it is saved that none is to, another call may place one.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.domain.facts import CredentialFailed
from shared.kernel.together import gather_both
from shared.keywork.attempt import AttemptContext
from shared.keywork.manual_task import manual_tasks
from shared.keywork.verdicts import Verdict
from shared.ledger.ledger import Change
from shared.ledger.sealed_keys import SealedKey, SealedKeys, SecretName


@dataclass(frozen=True, slots=True)
class Decision:
    """What to save, whether that ends the work, and what the saga is to do.

    `sealed` is kept first, or `beside` the save where a crash between them loses nothing. `spent` are secrets
    to destroy before the save, `unused` those to destroy after it.
    """

    change: Change
    verdict: Verdict
    ends: bool = False
    sealed: SealedKey | None = None
    beside: bool = False
    spent: tuple[SecretName, ...] = ()
    unused: tuple[SecretName, ...] = ()


async def carry_out(it: Decision, task: AttemptContext, secrets: SealedKeys | None) -> Verdict:
    """Write what was decided, and return what the saga is told."""
    await _destroyed(it.spent, secrets)
    if it.sealed is None or secrets is None:
        await _saved(it, task)
    elif it.beside:
        await gather_both(secrets.update(it.sealed), _saved(it, task))
    else:
        await secrets.update(it.sealed)
        await _saved(it, task)
    await _destroyed(it.unused, secrets)
    return it.verdict


async def _saved(it: Decision, task: AttemptContext) -> None:
    failed = any(isinstance(fact, CredentialFailed) for fact in it.change.facts)
    tasks = manual_tasks([it.change], task.services.log) if failed else []
    if it.ends:
        await task.ended(it.change, *tasks)
    else:
        await task.ledger.save(it.change, *tasks)


async def _destroyed(names: Sequence[SecretName], secrets: SealedKeys | None) -> None:
    for name in names:
        if secrets is not None:
            await secrets.destroy(name)
