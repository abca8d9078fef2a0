"""The event bus: durable topics and push subscriptions, with what Pub/Sub promises and no more."""

from infra.local.bus.bus import Bus
from infra.local.bus.chaos import Calm, Chaos, Storm
from infra.local.bus.dead_letters import DeadLetters
from infra.local.bus.rows import SCHEMA
from infra.local.bus.specs import SubscriptionSpec, TopicSpec
from shared.ports.dead_letters import MalformedId, ParkedMessage, ReplayRefused

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
