"""A limit to how long something takes: as `asyncio.timeout` sets it, at a third of what that takes.

That one asks an enum for its state at each turn, which is dear before Python 3.12 (decision 0295).
"""

import asyncio
from types import TracebackType


class TimeLimit:
    """Has what is done inside end with a TimeoutError when its time is up; None sets no limit.

    Whoever is cancelled from outside meanwhile stays cancelled, and is told so.
    """

    __slots__ = ("_alarm", "_before", "_rang", "_seconds", "_task")

    def __init__(self, seconds: float | None) -> None:
        self._seconds, self._rang = seconds, False

    def __enter__(self) -> None:
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a limit is set to what a task does")
        self._task, self._before = task, task.cancelling()
        loop = asyncio.get_running_loop()
        self._alarm = None if self._seconds is None else loop.call_later(self._seconds, self._ring)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        ours = self._rang and self._task.uncancel() <= self._before
        if ours and kind is asyncio.CancelledError:
            raise TimeoutError from error

    def _ring(self) -> None:
        self._rang = True
        self._task.cancel()
