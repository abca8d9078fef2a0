"""What every sagas port promises, each guarantee in a test of its name."""

from tests.contract.sagas.adversity import Adversity
from tests.contract.sagas.durability import Durability
from tests.contract.sagas.running import Running
from tests.contract.sagas.waking import Waking


class SagasContract(Running, Durability, Waking, Adversity):
    """The guarantees of design §6 and facts §3."""
