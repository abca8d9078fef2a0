"""Opening a vendor's API for one property: guard, client, token and who may renew it, put together once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from shared.domain.secret import Secret
from shared.vendor_kit.api_client import ApiClient, VendorApi, WireProtocol
from shared.vendor_kit.asks import Ask
from shared.vendor_kit.binding import AdapterPorts, Binding
from shared.vendor_kit.guard import UNDECLARED, GuardPolicy
from shared.vendor_kit.oauth import Proof, TokenGrants, TokenReader
from shared.vendor_kit.tokens import ApiKeys, TokenCache, TokenStore, VendorToken
from shared.vendor_kit.turns import Turns


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenRules:
    """How tokens are got: `stale` codes refuse one, `unrenewable` ones refuse its refresh.

    `guard` says how much the vendor takes of an application. After `mendable` groups of other codes the same
    call may be repeated, each once.
    """

    login: Callable[[], Proof]
    asking: Callable[[Proof, TokenReader], Ask[VendorToken]]
    stale: Sequence[str]
    unrenewable: Sequence[str] = ()
    mendable: Sequence[Sequence[str]] = ()
    guard: GuardPolicy = UNDECLARED


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRules:
    """An account that proves itself by a key: `stale` codes refuse one."""

    keys: Sequence[Secret[str]]
    stale: Sequence[str]
    guard: GuardPolicy = UNDECLARED


def open_keyed_api(
    binding: Binding, ports: AdapterPorts, protocol: WireProtocol, names: tuple[str, str], rules: KeyRules
) -> VendorApi:
    """Return the API in the name of an account that has keys instead of a login; nothing is called yet."""
    account, application = (f"{binding.vendor}:{name}" for name in names)
    client = ApiClient(protocol, ports.http, ports.guards.of(account, application, rules.guard), ports.clock)
    return VendorApi(client, ApiKeys(rules.keys), rules.stale)


def open_api(
    binding: Binding, ports: AdapterPorts, protocol: WireProtocol, names: tuple[str, str], rules: TokenRules
) -> VendorApi:
    """Return the API in an account's name, and nothing is called yet.

    The names are what the account and its application are called among ours.
    """
    vendor, (account, application) = binding.vendor, names
    guard = ports.guards.of(f"{vendor}:{account}", f"{vendor}:{application}", rules.guard)
    client = ApiClient(protocol, ports.http, guard, ports.clock)
    refused = (*rules.stale, *rules.unrenewable)
    grants = TokenGrants(client, ports.clock, rules.login, rules.asking, refused)
    store = TokenStore(ports.sealed.tenant(binding.tenant), ports.cipher, vendor, account)
    turns = Turns(ports.leases, binding.tenant, ports.clock, ports.entropy)
    return VendorApi(client, TokenCache(store, turns, ports.clock, grants), rules.stale, rules.mendable)
