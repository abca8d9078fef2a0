"""A program that stands in for a provider, of the name it is given: its schema, and no cloud behind it.

Terraform starts it as any provider. It refuses words that an enumeration does not have, tells in a plan what
the real one would tell, leaves what only an apply can tell unknown, and at an apply makes something up.
"""

import json
import os
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from infra.terraform.schema import schema_of
from tests.terraform.packed import UNKNOWN, Unknown, packed, unpacked

NUMBER = "123456789012"
# Message, then its fields: type, name and number; a star is a list. What we do not read is left out.
MESSAGES = """
Value: bytes packed 1, bytes json 2
Step: string attribute 1
Path: Step* steps 1
Fault: int32 severity 1, string summary 2, string detail 3, Path path 4
Raw: bytes json 1
Argument: string name 1, bytes type 2, string description 3, bool required 4, bool optional 5, bool computed 6
Nested: string name 1, Body body 2, int32 held 3, int64 least 4, int64 most 5
Body: Argument* arguments 2, Nested* blocks 3
Schema: int64 version 1, Body body 2
Entry: string key 1, Schema value 2
Able: bool plan_destroy 1, bool schema_is_optional 2
Schemas: Schema provider 1, Entry* resources 2, Entry* data 3, Able able 6
Configured: string type 1, Value config 2
Upgraded: string type 1, int64 version 2, Raw raw 3
Read: string type 1, Value state 2
Planned: string type 1, Value prior 2, Value proposed 3
Faults: Fault* faults 1
State: Value state 1, Fault* faults 2
Plan: Value state 1, bool legacy 5
Applied: Value state 1, bool legacy 4
Nothing:
"""


def _typed(kind, field):
    if kind in ("string", "bytes", "bool", "int32", "int64"):
        return {"type": getattr(field, f"TYPE_{kind.upper()}")}
    return {"type": field.TYPE_MESSAGE, "type_name": f".stand_in.{kind}"}


def _messages():
    field = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="stand_in.proto", package="stand_in")
    for line in MESSAGES.strip().splitlines():
        name, _, fields = line.partition(":")
        message = file.message_type.add(name=name)
        for kind, called, number in (each.split() for each in fields.split(",") if each.strip()):
            label = field.LABEL_REPEATED if kind.endswith("*") else field.LABEL_OPTIONAL
            typed = _typed(kind.rstrip("*"), field)
            message.field.add(name=called, number=int(number), label=label, **typed)
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    named = (each.name for each in file.message_type)
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"stand_in.{name}"))
        for name in named
    }


M = _messages()
SCHEMA = schema_of(sys.argv[1])
SETTINGS = {}


def body(form):
    made = M["Body"]()
    for name, each in form.arguments.items():
        flags = {"required": "r" in each.flags, "optional": "o" in each.flags, "computed": "c" in each.flags}
        made.arguments.add(name=name, type=json.dumps(each.type).encode(), **flags)
    for name, each in form.blocks.items():
        made.blocks.add(name=name, body=body(each.form), held=each.held, least=each.least, most=each.most)
    return made


def schemas():
    made = M["Schemas"](able=M["Able"](schema_is_optional=True))
    made.provider.body.CopyFrom(body(SCHEMA.provider))
    for entries, forms in ((made.resources, SCHEMA.resources), (made.data, SCHEMA.data)):
        for name, form in forms.items():
            entries.add(key=name, value=M["Schema"](body=body(form)))
    return made


def read(value):
    return unpacked(value.packed) if value.packed else json.loads(value.json or b"null")


def written(value):
    return M["Value"](packed=packed(value))


def inside(form, value):
    """Yield the form and the value of each block that is there."""
    for name, nested in form.blocks.items():
        there = value.get(name)
        for one in there if isinstance(there, list) else [there]:
            if isinstance(one, dict):
                yield nested.form, one


def misworded(form, value):
    """Yield a fault for each word that its enumeration does not have."""
    for name, each in form.arguments.items():
        given = value.get(name)
        for word in given if isinstance(given, list) else [given]:
            if each.words and isinstance(word, str) and word not in each.words:
                path = M["Path"](steps=[M["Step"](attribute=name)])
                yield M["Fault"](
                    severity=1, summary=f"{name} must be one of {', '.join(each.words)}", path=path
                )
    for inner, one in inside(form, value):
        yield from misworded(inner, one)


def filled(form, value, make):
    """Set what was left out and is told: unknown in a plan, made up in a state."""
    for name, each in form.arguments.items():
        if "c" in each.flags and value.get(name) is None:
            value[name] = make(name, each.type)
    for inner, one in inside(form, value):
        filled(inner, one, make)
    return value


def settled(value):
    """Return the value with nothing in place of what is unknown."""
    match value:
        case dict():
            return {key: settled(each) for key, each in value.items()}
        case list():
            return [settled(each) for each in value]
        case Unknown():
            return None
        case _:
            return value


def made_up(name, kind):
    match kind:
        case "string":
            return f"made-up-{name}"
        case "number":
            return 0
        case "bool":
            return False
        case ["list" | "set", _]:
            return []
        case ["map", _]:
            return {}
        case ["object", fields]:
            return {each: made_up(each, inner) for each, inner in fields.items()}


def foretold(type_, value):
    """Set what the real provider tells in a plan already."""
    if "project" in value and value["project"] is None:
        value["project"] = SETTINGS.get("project")
    if type_ == "google_service_account" and all(
        isinstance(value[name], str) for name in ("account_id", "project")
    ):
        email = f"{value['account_id']}@{value['project']}.iam.gserviceaccount.com"
        name = f"projects/{value['project']}/serviceAccounts/{email}"
        value.update(email=email, member=f"serviceAccount:{email}", name=name, id=name)


def configure(request):
    SETTINGS.update(settled(read(request.config)) or {})
    return M["Faults"]()


def validate(forms):
    return lambda request: M["Faults"](faults=list(misworded(forms[request.type], read(request.config))))


def plan(request):
    value = read(request.proposed)
    if value is not None:
        foretold(request.type, value)
        filled(SCHEMA.resources[request.type], value, lambda *_: UNKNOWN)
    return M["Plan"](state=written(value), legacy=True)


def apply(request):
    value = settled(read(request.proposed))
    if value is not None:
        filled(SCHEMA.resources[request.type], value, made_up)
    return M["Applied"](state=written(value), legacy=True)


def look_up(request):
    value = read(request.config)
    if request.type == "google_project":
        value.update(number=NUMBER, id=f"projects/{value['project_id']}", name=value["project_id"])
    return M["State"](state=written(filled(SCHEMA.data[request.type], value, made_up)))


def end(_request):
    threading.Timer(0.01, os._exit, [0]).start()
    return M["Nothing"]()


METHODS = {
    "tfplugin6.Provider": {
        "GetProviderSchema": ("Nothing", lambda _: schemas()),
        "ValidateProviderConfig": ("Nothing", lambda _: M["Nothing"]()),
        "ConfigureProvider": ("Configured", configure),
        "ValidateResourceConfig": ("Configured", validate(SCHEMA.resources)),
        "ValidateDataResourceConfig": ("Configured", validate(SCHEMA.data)),
        "UpgradeResourceState": ("Upgraded", lambda it: M["State"](state=M["Value"](json=it.raw.json))),
        "ReadResource": ("Read", lambda it: M["State"](state=it.state)),
        "PlanResourceChange": ("Planned", plan),
        "ApplyResourceChange": ("Planned", apply),
        "ReadDataSource": ("Configured", look_up),
        "StopProvider": ("Nothing", lambda _: M["Nothing"]()),
    },
    "plugin.GRPCController": {"Shutdown": ("Nothing", end)},
}


def serve():
    unlimited = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
    server = grpc.server(ThreadPoolExecutor(8), options=unlimited)
    for service, methods in METHODS.items():
        handlers = {
            name: grpc.unary_unary_rpc_method_handler(
                lambda request, _, answer=answer: answer(request),
                request_deserializer=M[takes].FromString,
                response_serializer=lambda reply: reply.SerializeToString(),
            )
            for name, (takes, answer) in methods.items()
        }
        server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(service, handlers)])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"1|6|tcp|127.0.0.1:{port}|grpc\n")  # the line that Terraform waits for
    sys.stdout.flush()
    parent = os.getppid()
    while os.getppid() == parent:  # never outlives Terraform
        time.sleep(0.5)


if __name__ == "__main__":
    serve()
