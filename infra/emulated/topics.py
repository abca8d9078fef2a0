"""What Terraform does on Google Cloud, done to an emulator: topics and subscriptions."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from google.api_core.exceptions import AlreadyExists
from google.pubsub_v1.services.publisher import PublisherAsyncClient
from google.pubsub_v1.services.subscriber import SubscriberAsyncClient
from grpc.aio import insecure_channel

PUSHER: Final = "pubsub-push@hotel.example"
"""The emulator takes an account along, and sends no token of it: whoever it pushes to adds one."""


class Administrator:
    """Creates what the bus publishes to and pushes from."""

    def __init__(self, address: str, project: str) -> None:
        self._project, self._made = f"projects/{project}", list[str]()
        self._publisher, self._subscriber = (
            client(transport=client.get_transport_class("grpc_asyncio")(channel=insecure_channel(address)))
            for client in (PublisherAsyncClient, SubscriberAsyncClient)
        )

    async def close(self) -> None:
        """Take the subscriptions away: the emulator polls each with threads of its own, for ever."""
        paths = [{"subscription": path} for path in self._made]
        await asyncio.gather(*map(self._subscriber.delete_subscription, paths))
        await self.hang_up()

    async def hang_up(self) -> None:
        """Leave everything as it is."""
        for client in (self._publisher, self._subscriber):
            await client.transport.close()

    async def is_new(self) -> bool:
        """Say whether nothing was ever made in this project."""
        topics = await self._publisher.list_topics({"project": self._project, "page_size": 1})
        return not topics.topics

    async def clear(self) -> None:
        """Take every subscription of the project away, whoever made it."""
        listed = await self._subscriber.list_subscriptions({"project": self._project, "page_size": 1000})
        self._made = [each.name for each in listed.subscriptions]
        await self.close()

    async def create_topic(self, name: str) -> None:
        """Have a topic."""
        try:
            await self._publisher.create_topic({"name": self._topic(name)})
        except AlreadyExists:
            return

    async def subscribe(self, wanted: Any, url: str, dead: str) -> None:
        """Have a push subscription with a token, as our Terraform does; a known one pushes there now."""
        request: dict[str, Any] = {
            "name": f"{self._project}/subscriptions/{wanted.name}",
            "topic": self._topic(wanted.topic),
            "push_config": _push(url),
            "enable_message_ordering": wanted.ordered,
            "filter": wanted.filter,
        }
        if dead:
            policy = {"dead_letter_topic": self._topic(dead), "max_delivery_attempts": 5}
            request["dead_letter_policy"] = policy
        try:
            await self._subscriber.create_subscription(request)
        except AlreadyExists:
            await self.hand_over(wanted.name, url)
        self._made.append(f"{self._project}/subscriptions/{wanted.name}")

    async def keep(self, name: str, topic: str) -> None:
        """Have a pull subscription that keeps what it is given, as our Terraform does."""
        path = f"{self._project}/subscriptions/{name}"
        request = {"name": path, "topic": self._topic(topic), "enable_message_ordering": True}
        try:
            await self._subscriber.create_subscription(request)
        except AlreadyExists:
            return
        self._made.append(path)

    async def hand_over(self, name: str, url: str) -> None:
        """Give a pull subscription its function's address, as our Terraform does when the function comes."""
        path = f"{self._project}/subscriptions/{name}"
        await self._subscriber.modify_push_config({"subscription": path, "push_config": _push(url)})

    def _topic(self, name: str) -> str:
        return f"{self._project}/topics/{name}"


def _push(url: str) -> Mapping[str, Any]:
    return {"push_endpoint": url, "oidc_token": {"service_account_email": PUSHER, "audience": url}}
