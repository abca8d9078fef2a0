"""A bluetoothd on a private D-Bus, with locks in its air: what a real Bluetooth library asks for, and no
more.

Objects are a table of path, interface and properties; methods are a table of interface and name. A
connection has an interval: each packet waits for the next one, as radio makes it.
"""

import asyncio
from collections.abc import Callable
from typing import Any, Final, Self

from dbus_fast import BusType, Message, MessageType, Variant
from dbus_fast.aio import MessageBus

from infra.simulators.ble_locks.ble_lock import BleLock

ADAPTER: Final = "/org/bluez/hci0"
ADAPTER_1, DEVICE_1 = "org.bluez.Adapter1", "org.bluez.Device1"
SERVICE_1, CHARACTERISTIC_1 = "org.bluez.GattService1", "org.bluez.GattCharacteristic1"
PROPERTIES, OBJECTS = "org.freedesktop.DBus.Properties", "org.freedesktop.DBus.ObjectManager"
UUID: Final = "0000{}-0000-1000-8000-00805f9b34fb"
ADVERT_SECONDS: Final = 0.02
COMPANY: Final = 0x0305


Methods = dict[tuple[str, str], Callable[[Any, Message], Message | bool]]


class FakeBlueZ:
    """The service, from entering to leaving. `powered` and `resolves` switch two ways to fail."""

    def __init__(self, address: str, locks: list[BleLock], interval: float = 0.0) -> None:
        self._address, self._interval = address, interval
        self.locks = {_path(lock): lock for lock in locks}
        self.powered = self.resolves = self.answers_connect = True
        self.packets = 0
        self.objects: dict[str, dict[str, dict[str, Variant]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._scanning = False

    async def __aenter__(self) -> Self:
        self.objects = {ADAPTER: {ADAPTER_1: _adapter(self.powered)}}
        for path, lock in self.locks.items():
            self.objects[path] = {DEVICE_1: _device(lock)}
        self._bus = await MessageBus(bus_address=self._address, bus_type=BusType.SYSTEM).connect()
        _forgiving(self._bus)
        self._bus.add_message_handler(self._handle)
        await self._bus.request_name("org.bluez")
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        self._bus.disconnect()

    def drop(self, path: str) -> None:
        """End a connection as radio does: without a word before."""
        self._change(path, DEVICE_1, Connected=Variant("b", False), ServicesResolved=Variant("b", False))
        for below in [at for at in self.objects if at.startswith(f"{path}/")]:
            interfaces = list(self.objects.pop(below))
            self._signal("/", OBJECTS, "InterfacesRemoved", "oas", [below, interfaces])

    def _handle(self, message: Message) -> Message | bool | None:
        if message.message_type is not MessageType.METHOD_CALL or not message.path:
            return None
        method = self._methods.get((message.interface or "", message.member or ""))
        return method(self, message) if method else None

    def _all(self, message: Message) -> Message:
        return Message.new_method_return(message, "a{oa{sa{sv}}}", [self.objects])

    def _get(self, message: Message) -> Message:
        interface, name = message.body
        return Message.new_method_return(message, "v", [self.objects[message.path or ""][interface][name]])

    def _get_all(self, message: Message) -> Message:
        found = self.objects[message.path or ""].get(message.body[0], {})
        return Message.new_method_return(message, "a{sv}", [found])

    def _nothing(self, message: Message) -> Message:
        return Message.new_method_return(message)

    def _start_scan(self, message: Message) -> Message:
        self._scanning = True
        self._begin(self._advertise())
        return Message.new_method_return(message)

    def _stop_scan(self, message: Message) -> Message:
        self._scanning = False
        return Message.new_method_return(message)

    async def _advertise(self) -> None:
        while self._scanning:
            for path, lock in self.locks.items():
                told = {COMPANY: Variant("ay", lock.advertised())}
                self._change(path, DEVICE_1, RSSI=Variant("n", -60), ManufacturerData=Variant("a{qv}", told))
            await asyncio.sleep(ADVERT_SECONDS)

    def _connect(self, message: Message) -> Message | bool:
        path = message.path or ""
        if not self.answers_connect:
            return True
        self.locks[path].greeting()
        self._change(path, DEVICE_1, Connected=Variant("b", True))
        if self.resolves:
            for at, interfaces in _gatt(path).items():
                self.objects[at] = interfaces
                self._signal("/", OBJECTS, "InterfacesAdded", "oa{sa{sv}}", [at, interfaces])
            self._change(path, DEVICE_1, ServicesResolved=Variant("b", True))
        return Message.new_method_return(message)

    def _disconnect(self, message: Message) -> Message:
        self.drop(message.path or "")
        return Message.new_method_return(message)

    def _write(self, message: Message) -> Message:
        path, data = message.path or "", bytes(message.body[0])
        device = path[: path.index("/service")]
        self._begin(self._carry(device, data))
        return Message.new_method_return(message)

    async def _carry(self, device: str, data: bytes) -> None:
        lock = self.locks[device]
        await self._packet()
        answers = lock.receive(data)
        if lock.dropped:
            self.drop(device)
            return
        for answer in answers:
            await self._packet()
            self._change(f"{device}/service0010/char0013", CHARACTERISTIC_1, Value=Variant("ay", answer.data))

    async def _packet(self) -> None:
        self.packets += 1
        if self._interval:
            await asyncio.sleep(self._interval)

    def _begin(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _change(self, path: str, interface: str, **changed: Variant) -> None:
        if path in self.objects:
            self.objects[path][interface].update(changed)
            self._signal(path, PROPERTIES, "PropertiesChanged", "sa{sv}as", [interface, changed, []])

    def _signal(self, path: str, interface: str, name: str, signature: str, body: list[Any]) -> None:
        self._bus.send(Message.new_signal(path, interface, name, signature, body))

    _methods: Methods = {  # noqa: RUF012 - a table of the class, never changed
        (OBJECTS, "GetManagedObjects"): _all,
        (PROPERTIES, "Get"): _get,
        (PROPERTIES, "GetAll"): _get_all,
        (ADAPTER_1, "SetDiscoveryFilter"): _nothing,
        (ADAPTER_1, "StartDiscovery"): _start_scan,
        (ADAPTER_1, "StopDiscovery"): _stop_scan,
        (DEVICE_1, "Connect"): _connect,
        (DEVICE_1, "Disconnect"): _disconnect,
        (CHARACTERISTIC_1, "StartNotify"): _nothing,
        (CHARACTERISTIC_1, "StopNotify"): _nothing,
        (CHARACTERISTIC_1, "WriteValue"): _write,
    }


def _path(lock: BleLock) -> str:
    return f"{ADAPTER}/dev_{lock.mac.replace(':', '_')}"


def _adapter(powered: bool) -> dict[str, Variant]:
    return {
        "Address": Variant("s", "00:11:22:33:44:55"),
        "Name": Variant("s", "desk"),
        "Powered": Variant("b", powered),
        "Discovering": Variant("b", False),
        "Roles": Variant("as", ["central"]),
    }


def _device(lock: BleLock) -> dict[str, Variant]:
    return {
        "Address": Variant("s", lock.mac),
        "AddressType": Variant("s", "public"),
        "Alias": Variant("s", "S202_332211"),
        "Name": Variant("s", "S202_332211"),
        "Adapter": Variant("o", ADAPTER),
        "Connected": Variant("b", False),
        "Paired": Variant("b", False),
        "ServicesResolved": Variant("b", False),
        "UUIDs": Variant("as", [UUID.format("1910")]),
    }


def _gatt(path: str) -> dict[str, dict[str, dict[str, Variant]]]:
    service = f"{path}/service0010"
    return {
        service: {
            SERVICE_1: {
                "UUID": Variant("s", UUID.format("1910")),
                "Device": Variant("o", path),
                "Primary": Variant("b", True),
            }
        },
        f"{service}/char0011": {CHARACTERISTIC_1: _characteristic(service, "fff2", "write-without-response")},
        f"{service}/char0013": {CHARACTERISTIC_1: _characteristic(service, "fff4", "notify")},
    }


def _characteristic(service: str, uuid: str, flag: str) -> dict[str, Variant]:
    return {
        "UUID": Variant("s", UUID.format(uuid)),
        "Service": Variant("o", service),
        "Flags": Variant("as", [flag]),
        "MTU": Variant("q", 23),
        "Value": Variant("ay", b""),
        "Notifying": Variant("b", False),
    }


def _forgiving(bus: MessageBus) -> None:
    """Let a full socket be tried again: the library takes EAGAIN for the end of the connection."""
    writer = bus._writer  # noqa: SLF001 - the library has no setting for it
    writer.sock = _PatientSocket(writer.sock)


class _PatientSocket:
    """A socket that sends nothing, rather than raise, while it is full."""

    def __init__(self, sock: Any) -> None:
        self._sock = sock

    def send(self, data: Any) -> int:
        """Send what goes, perhaps nothing."""
        try:
            return int(self._sock.send(data))
        except BlockingIOError:
            return 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sock, name)
