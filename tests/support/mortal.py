"""A process that ends at a chosen line: before or after a call of one of its ports."""

CHANGES = ("commit", "note", "place", "publish", "start")


class Died(Exception):
    """The process, at this line."""


class Life:
    """As many lines as a process has left."""

    def __init__(self):
        self.steps, self.ends_at = 0, None

    def step(self):
        """Pass a line, or die at it."""
        self.steps += 1
        if self.steps == self.ends_at:
            raise Died


class Mortal:
    """A port whose calls may be the process's last: before they are done, or after."""

    def __init__(self, port, life, last_words=CHANGES):
        self._port, self._life, self._last_words = port, life, last_words

    def __getattr__(self, name):
        call = getattr(self._port, name)
        if name == "tenant" and callable(call):  # of a whole store; of one tenant's documents it is a name
            return lambda tenant: Mortal(call(tenant), self._life, self._last_words)
        return self._mortal(call) if name in self._last_words else call

    def _mortal(self, call):
        async def called(*args, **options):
            self._life.step()
            answer = await call(*args, **options)
            self._life.step()
            return answer

        return called
