"""What Terraform does on Google Cloud, done to an emulator: topics and push subscriptions."""

import asyncio

from google.pubsub_v1.services.publisher import PublisherAsyncClient
from google.pubsub_v1.services.subscriber import SubscriberAsyncClient
from grpc.aio import insecure_channel


class Administrator:
    """Creates what the bus publishes to and pushes from."""

    def __init__(self, address, project):
        self._project, self._made = f"projects/{project}", list[str]()
        self._publisher, self._subscriber = (
            client(transport=client.get_transport_class("grpc_asyncio")(channel=insecure_channel(address)))
            for client in (PublisherAsyncClient, SubscriberAsyncClient)
        )

    async def close(self):
        """Take the subscriptions away: the emulator polls each with threads of its own, for ever."""
        paths = [{"subscription": path} for path in self._made]
        await asyncio.gather(*map(self._subscriber.delete_subscription, paths))
        for client in (self._publisher, self._subscriber):
            await client.transport.close()

    async def create_topic(self, name):
        await self._publisher.create_topic({"name": self._topic(name)})

    async def subscribe(self, wanted, url, dead):
        """Create a push subscription with a token, as our Terraform does."""
        request = {
            "name": f"{self._project}/subscriptions/{wanted.name}",
            "topic": self._topic(wanted.topic),
            "push_config": {
                "push_endpoint": url,
                "oidc_token": {"service_account_email": "pubsub-push@hotel.example", "audience": url},
            },
            "enable_message_ordering": wanted.ordered,
            "filter": wanted.filter,
        }
        if dead:
            policy = {"dead_letter_topic": self._topic(dead), "max_delivery_attempts": 5}
            request["dead_letter_policy"] = policy
        await self._subscriber.create_subscription(request)
        self._made.append(request["name"])

    async def keep(self, name, topic):
        """Create a pull subscription that keeps what it is given, as our Terraform does."""
        path = f"{self._project}/subscriptions/{name}"
        request = {"name": path, "topic": self._topic(topic), "enable_message_ordering": True}
        await self._subscriber.create_subscription(request)
        self._made.append(request["name"])

    async def hand_over(self, name, url):
        """Give a pull subscription its function's address, as our Terraform does when the function comes."""
        path = f"{self._project}/subscriptions/{name}"
        push = {"push_endpoint": url, "oidc_token": {"service_account_email": "pubsub-push@hotel.example"}}
        await self._subscriber.modify_push_config({"subscription": path, "push_config": push})

    def _topic(self, name):
        return f"{self._project}/topics/{name}"
