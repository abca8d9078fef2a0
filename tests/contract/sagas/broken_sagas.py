"""Sagas that are wrong in one way each: every one must fail the guarantee it breaks."""

from dataclasses import replace

from infra.local.sagas.service import LocalSagas


class ForgetsOnRestart(LocalSagas):
    """Leaves alone what an earlier process began."""

    def start_all(self):
        return 0


class StartsOver(LocalSagas):
    """Takes an execution up from its beginning, its journal unread."""

    def start_all(self):
        self._journal.entries = lambda _: []
        self._journal.append = self._pretend
        return super().start_all()

    async def _pretend(self, *_, **__):
        return None


class DrawsAnew(LocalSagas):
    """Takes time and chance from the present when it replays."""

    def start_all(self):
        entries = self._journal.entries
        self._journal.entries = lambda execution: [replace(e, drawn=[]) for e in entries(execution)]
        return super().start_all()


class FollowsTheFile(LocalSagas):
    """Runs every execution on the newest revision of its file."""

    def program(self, revision):
        return next(iter(self._current.values()))


class RunsAhead(LocalSagas):
    """Lets the journal follow when it can."""

    def start_all(self):
        append = self._journal.append

        async def careless(*arguments, **options):
            try:
                await append(*arguments, **options)
            except Exception:  # noqa: BLE001 - the fault on purpose
                return

        self._journal.append = careless
        return super().start_all()


class StartsOnceOnly(LocalSagas):
    """Deduplicates starts, as Google's executions do not."""

    async def start(self, workflow, argument):
        known = self.listed(workflow)
        return known[0].execution.id if known else await super().start(workflow, argument)


class DropsEarlyCallbacks(LocalSagas):
    """Wakes whoever waits now, and keeps nothing for later."""

    async def receive(self, execution, callback, request):
        if callback in self._runs[execution]._waiting:
            await super().receive(execution, callback, request)


class TakesAnyArgument(LocalSagas):
    """Does not measure arguments."""

    async def start(self, workflow, argument):
        return await super().start(workflow, {"x": 1} if len(str(argument)) > 32 * 1024 else argument)


class CancelsInMemory(LocalSagas):
    """Stops an execution without keeping that it did."""

    async def cancel(self, execution):
        await self._drop(execution)


BROKEN = {
    "forgets on restart": (ForgetsOnRestart, "test_a_started_execution_survives_and_goes_on"),
    "starts over": (StartsOver, "test_a_finished_call_is_not_repeated"),
    "draws anew": (DrawsAnew, "test_time_and_chance_are_frozen_in_the_journal"),
    "follows the file": (FollowsTheFile, "test_an_execution_keeps_the_revision_it_started_with"),
    "runs ahead of the journal": (RunsAhead, "test_with_a_full_disk_nothing_goes_ahead_of_the_journal"),
    "deduplicates starts": (StartsOnceOnly, "test_a_repeated_start_begins_another_execution"),
    "drops early callbacks": (DropsEarlyCallbacks, "test_a_callback_before_the_wait_is_kept_for_it"),
    "takes any argument": (TakesAnyArgument, "test_an_argument_over_32_kb_is_refused_and_nothing_starts"),
    "cancels in memory": (CancelsInMemory, "test_a_cancelled_execution_stops_where_it_is"),
}
