"""What of the sample moves in when a fleet starts: its hotel, further wings of it, a second house."""

from datetime import datetime

from infra.local.sample.account import open_desk_account, open_wings
from infra.local.sample.load import CARD_HOTEL, WINGS, add_house, add_wings, move_in, read_sample
from infra.local.sample.messengers import open_accounts
from infra.local.world import FleetConfig
from shared.ports.documents import DocumentStore
from shared.ports.vault import Secrets


async def move_in_sample(
    config: FleetConfig, documents: DocumentStore, secrets: Secrets, now: datetime
) -> None:
    """Keep as much of the sample as is asked for, with its accounts; doing so again changes nothing."""
    if config.sample:
        hotel = read_sample()
        await move_in(hotel, documents, now)
        await open_accounts(hotel, config, secrets, documents)
    if config.wings:
        wings = read_sample(WINGS)
        await add_wings(wings, documents)
        await open_wings(secrets, wings, config.wing_addresses)
    if config.card_hotel:
        house = read_sample(CARD_HOTEL)
        await add_house(house, documents, now)
        await open_desk_account(secrets, house)
