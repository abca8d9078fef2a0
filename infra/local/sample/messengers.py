"""The sample hotel's accounts at the catchers of this machine, and how it writes to its guests."""

import base64
import contextlib
from pathlib import Path
from typing import Any, Final

import orjson

from infra.local.sample.account import open_account
from infra.local.sample.load import SampleHotel
from infra.local.world import FleetConfig
from shared.domain.documents import to_document
from shared.domain.secret import Secret
from shared.ledger.message_settings import MESSAGE_SETTINGS, MessageSettings
from shared.messages.kinds import Channel
from shared.notify.accounts import account_name
from shared.ports.documents import AlreadyExists, Create, DocumentStore, Ref
from shared.ports.vault import SecretMissing, Secrets

PHONE: Final = "+93 20 210 0000"
SENDER: Final = "keys@silk.example"


async def open_accounts(
    hotel: SampleHotel, config: FleetConfig, secrets: Secrets, documents: DocumentStore
) -> None:
    """Keep the account at the vendor, those at the outbox, if there is one, and how guests are written to."""
    await open_account(secrets, hotel, config.simulator_url)
    if config.outbox_port is None:
        return
    for channel, account in _accounts(config.home, config.outbox_port).items():
        name, kept = account_name(channel, hotel.tenant.id), Secret(orjson.dumps(account))
        if await _newest(secrets, name) != kept:
            await secrets.add(name, kept)
    settings = MessageSettings(
        phone=PHONE, link_base=f"{config.base_url}/guest-page", sender=hotel.property.name, renews_codes=True
    )
    with contextlib.suppress(AlreadyExists):
        write = Create(Ref(MESSAGE_SETTINGS, hotel.property.id), to_document(settings))
        await documents.tenant(hotel.tenant.id).commit([write])


def _accounts(home: Path, port: int) -> dict[Channel, dict[str, Any]]:
    from infra.catchers.mailbox_server import PASSWORD, USER
    from infra.catchers.serve import ACCOUNT, outbox_token

    token, address = outbox_token(home), f"http://127.0.0.1:{port}"
    webhook = base64.b64encode(token.encode()).decode()
    mailbox = {"host": "127.0.0.1", "port": port + 2, "user": USER, "password": PASSWORD}
    bounces = {"address": f"bounces@{SENDER.partition('@')[2]}", "key": webhook, **mailbox}
    mail = {"host": "127.0.0.1", "port": port + 1, "from": SENDER, "webhookSecret": webhook}
    return {
        Channel.EMAIL: {**mail, "bounces": bounces},
        Channel.SMS: {"baseUrl": address, "account": ACCOUNT, "token": token, "from": "SilkRoad"},
        Channel.PUSH: {
            "baseUrl": address,
            "tokenBaseUrl": address,
            "project_id": "silk",
            "client_email": f"push@{SENDER.partition('@')[2]}",
            "private_key": _push_key(home),
        },
    }


def _push_key(home: Path) -> str:
    """Return the key that the sample's pushes are signed with, drawn when it is first asked for."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    from infra.local.keyfile import read_or_create

    def drawn() -> bytes:
        key = rsa.generate_private_key(65537, 2048)
        plain = serialization.NoEncryption()
        pem, pkcs8 = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        return bytes(key.private_bytes(pem, pkcs8, plain))

    return read_or_create(home / "push.key", drawn).decode()


async def _newest(secrets: Secrets, name: str) -> Secret[bytes] | None:
    try:
        return (await secrets.latest(name)).value
    except SecretMissing:
        return None
