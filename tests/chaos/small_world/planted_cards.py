"""Bugs planted around cards and key sets: orders taken for others, keys that end a neighbour's."""

from dataclasses import replace

from shared.ledger.grant_record import GrantRecord
from tests.chaos.small_world.card_locks import CardVendor
from tests.chaos.small_world.set_locks import SetMaker


def write_a_card_again_after_a_lost_answer(plant):
    """Order a card whether one is ordered already or not, and let both be written."""
    plant(CardVendor, "_known", lambda self, keys: None)
    plant(CardVendor, "_call_off", lambda self, set_name, door=None: None)


def take_a_late_answer_for_another_order(plant):
    """Believe whatever comes of the last job, whether it was for what is wished by now or not."""
    plant(GrantRecord, "job", lambda self, asked: self.in_hand)


def let_a_copy_void_the_first(plant):
    """Make every key a new one, whoever else stays in the room."""
    make = SetMaker.make

    async def overriding(self, new):
        return await make(self, replace(new, overrides=True))

    plant(SetMaker, "make", overriding)


AT_A_CARD_DESK = (
    write_a_card_again_after_a_lost_answer,
    take_a_late_answer_for_another_order,
)
AT_KEY_SETS = (let_a_copy_void_the_first,)
OF_CARDS = (*AT_A_CARD_DESK, *AT_KEY_SETS)
"""Found where a card is one for all doors, and where a new key ends those before it."""
