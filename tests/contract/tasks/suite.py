"""What every task queue promises, each guarantee in a test of its name; any implementation can be put in."""

from tests.contract.tasks.calling import Calling
from tests.contract.tasks.clocks import Clocks
from tests.contract.tasks.enqueueing import Enqueueing
from tests.contract.tasks.failing import Failing
from tests.contract.tasks.retrying import Retrying


class TaskQueueContract(Enqueueing, Calling, Clocks, Retrying, Failing):
    """The guarantees of design §3 and §6, in virtual time."""
