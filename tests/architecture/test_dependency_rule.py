"""Who may import whom (design §2): the tree keeps the rule, and one gate alone catches each violation."""

import pytest

from tests.architecture.dependencies import CONTRACTS, RULES
from tests.architecture.gates import GATES, broken
from tests.architecture.planting import PROJECT, line_in, planted, plants
from tests.architecture.tree import Tree

VIOLATIONS = {
    "Every package of shared has its layer and imports only what lies below": [
        line_in("shared.strings", "import json"),
        {"shared/glue/__init__.py": "", "shared/glue/text.py": "import json"},
        line_in("shared.domain.ids", "import shared.kernel.log"),
        line_in("shared.kernel.log", "import shared.ports.bus"),
        line_in("shared.events.envelope", "import shared.offline.certificate"),
        line_in("shared.audit.tree", "import shared.domain.ids, shared.audit.proof")
        | line_in("shared.domain.ids", "import shared.audit.proof")
        | {"shared/audit/proof.py": ""},
        line_in("shared.ports.bus", "import shared.vendor_kit.registry"),
        line_in("shared.streams.stream", "import shared.vendor_kit.registry"),
        line_in("shared.ports.bus", "import shared.streams.stream"),
        line_in("shared.vendor_kit.registry", "import shared.usecases.issue_key"),
        line_in("shared.keywork.step", "import shared.usecases.issue_key"),
        line_in("shared.usecases.revoke_key", "import shared.gcp.documents"),
        line_in("shared.queries.keys", "import shared.usecases.issue_key"),
        line_in("shared.gcp.documents", "import shared.usecases.issue_key"),
        line_in("shared.vendors.salto.api", "import shared.gcp.documents"),
        line_in("shared.usecases.revoke_key", "import shared.runtime.entry"),
    ],
    "Infra stands on the functions and the edge agent, they stand on shared and not on each other": [
        line_in("shared.usecases.issue_key", "import infra.cli"),
        line_in("shared.usecases.issue_key", "def bind():\n    import infra.cli"),
        line_in("shared.runtime.entry", "import edge_agent.hardware.usb"),
        line_in("functions.upkeep.main", "import infra.local.ambient"),
        line_in("functions.upkeep.main", "import edge_agent.hardware.usb"),
        line_in("edge_agent.agent.loop", "import functions.vendor_webhooks.main"),
        line_in("edge_agent.agent.loop", "import infra.simulators.kit.serve"),
    ],
    "Function families do not know each other": [
        line_in("functions.upkeep.main", "import functions.adapter_ttlock.main"),
    ],
    "Vendors do not know each other": [
        line_in("shared.vendors.ttlock.api", "import shared.vendors.salto.api"),
    ],
    "Only functions and the edge agent import a vendor": [
        line_in("shared.runtime.entry", "import shared.vendors.salto.api"),
        line_in("infra.cli.main", "import shared.vendors.salto.api"),
    ],
    "Only commands, the runtime and the tools of operators know the ledger": [
        line_in("shared.vendors.ttlock.api", "import shared.ledger.key_record"),
        line_in("shared.gcp.clients", "import shared.ledger.key_record"),
        line_in("functions.upkeep.main", "import shared.ledger.key_record"),
    ],
    "The edge agent knows neither the function runtime nor Google Cloud": [
        line_in("edge_agent.agent.loop", "import shared.runtime.entry"),
        line_in("edge_agent.agent.loop", "import shared.gcp.documents"),
    ],
    "The console meets no hardware, no key, no certificate and no vendor": [
        line_in("edge_agent.console.pages", "import edge_agent.hardware.usb"),
        line_in("edge_agent.console.pages", "import shared.offline.certificate"),
    ],
    "Simulators import nothing of the product": [
        line_in("infra.simulators.ttlock.app", "import shared.domain.ids"),
        line_in("infra.simulators.ttlock.app", "import edge_agent.hardware.usb"),
        line_in("infra.simulators.ttlock.app", "import infra.local.storage"),
    ],
    "Google's clients are imported only in shared.gcp": [
        line_in("infra.cli.main", "def connect():\n    import grpc"),
        line_in("functions.upkeep.main", "async def connect():\n    from google.cloud import firestore"),
        line_in("edge_agent.agent.loop", "def connect():\n    from google.cloud import pubsub"),
    ],
    "Of shared, only the runtime meets a web framework": [
        line_in("shared.events.envelope", "import starlette"),
        line_in("shared.runtime.entry", "import flask"),
    ],
    "Hardware is touched only in edge_agent.hardware": [
        line_in("edge_agent.agent.loop", "import serial"),
        line_in("infra.cli.main", "import hidraw"),
        line_in("shared.vendors.ttlock.wire", "import bleak"),
    ],
    "Databases are opened only in infra.local and the edge agent's ledger": [
        line_in("shared.usecases.issue_key", "import sqlite3"),
        line_in("infra.simulators.ttlock.app", "import sqlite3"),
        line_in("edge_agent.agent.loop", "import sqlcipher3"),
    ],
    "The domain and the audit tree use the standard library only": [
        line_in("shared.domain.ids", "import orjson"),
        line_in("shared.audit.tree", "import nacl"),
        line_in("shared.audit.tree", "import shared.kernel.log"),
    ],
    "Adapters see their vendor, the webhook receiver parsers, the desk wire codecs": [
        line_in("functions.adapter_ttlock.main", "import shared.vendors.salto.api"),
        line_in("functions.vendor_webhooks.main", "import shared.vendors.ttlock.api"),
        line_in("functions.upkeep.main", "import shared.vendors.ttlock.webhook"),
        line_in("edge_agent.agent.loop", "import shared.vendors.ttlock.api"),
    ],
    "Google's clients are imported inside functions": [
        line_in("shared.gcp.documents", "from google.cloud import firestore"),
        line_in("shared.gcp.documents", "try:\n    import grpc\nexcept ImportError:\n    grpc = None"),
    ],
    "Outside packages are declared": [
        line_in("infra.cli.main", "import requests"),
        line_in("infra.cli.main", "import pytest"),
        line_in("infra.cli.main", "import tests.architecture.tree"),
    ],
    "Every package is guarded": [
        {"shared/usecases/keys/issue.py": "import infra.cli"},
        {"edge_agent/__init__.py": "import serial"},
        {"functions/__init__.py": "from functions.upkeep.main import probe_answer"},
        {"pyproject.toml": PROJECT.replace("root_packages = ['edge_agent', ", "root_packages = [")},
        {"pyproject.toml": PROJECT.replace("source = ['edge_agent', ", "source = [")},
    ],
}


@pytest.mark.parametrize("gate", [*CONTRACTS, *RULES])
def test_tree_keeps_the_rule(tree, gate):
    assert list(GATES[gate](tree)) == []


def test_every_rule_has_a_violation():
    assert list(VIOLATIONS) == [*CONTRACTS, *RULES]


def test_skeleton_holds_every_package_and_breaks_no_gate(skeleton):
    assert broken(Tree.at(skeleton)) == {}


@pytest.mark.parametrize("plant", plants(VIOLATIONS), ids=str)
def test_violation_is_caught_by_its_gate_alone(skeleton, plant):
    with planted(skeleton, plant) as tree:
        assert list(broken(tree)) == [plant.gate]
