"""The event bus: durable topics and push subscriptions, with what Pub/Sub promises and no more."""

from infra.local.bus.bus import Bus
from infra.local.bus.chaos import Calm, Chaos, Storm
from infra.local.bus.dead_letters import DeadLetters, MalformedId, ParkedMessage, ReplayRefused
from infra.local.bus.rows import SCHEMA
from infra.local.bus.specs import SubscriptionSpec, TopicSpec

__all__ = [
    "SCHEMA",
    "Bus",
    "Calm",
    "Chaos",
    "DeadLetters",
    "MalformedId",
    "ParkedMessage",
    "ReplayRefused",
    "Storm",
    "SubscriptionSpec",
    "TopicSpec",
]
