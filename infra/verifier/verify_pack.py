"""Checks an audit pack with nothing but this file, Python and PyNaCl: offline, trusting nobody who made it.

    python verify_pack.py PACK POLICY

POLICY lists the keys you trust (c2sp.org/tlog-policy). Get it by another way than the pack: keys that come
with a pack show only that it is of one piece. It exits with 0 if all holds, 1 if not, 2 if it cannot read.

1. seal: no byte was changed since the pack was made.
2. anchors: each day's checkpoint is signed by its log and stands in the cell's log, whose checkpoint is
   signed and cosigned by enough witnesses; each continues the one before, so that no day was rewritten.
3. entries: each stands in the last anchor's tree where it says (RFC 9162), with the body it answers for.
4. days: each action is dated on the day whose end stands behind it, and before witnesses had seen it.
5. completeness: every index of a span, every row of a stream, but for what the log itself says is wrong.
"""

import base64
import hashlib
import json
import re
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from nacl.exceptions import BadSignatureError
from nacl.exceptions import ValueError as NotASignature
from nacl.signing import VerifyKey

NOTE, COSIGNATURE, EMPTY, SKEW_SECONDS = 1, 4, hashlib.sha256(b"").digest(), 300
KINDS = {"action", "finding", "day", "key", "expiry"}
FIELDS = {
    "pack": {"kind", "v", "made", "scope", "origin", "cell", "anchors", "entries"},
    "anchor": {"kind", "note", "place", "proof", "cell", "continues", "cellContinues"},
    "entry": {"kind", "index", "entry", "proof"},
    "seal": {"kind", "note"},
}
UNREADABLE = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
Root = tuple[int, bytes]
"""How large a log is, and the root over it."""


class Broken(Exception):
    """What does not hold, in a sentence."""


class Key(NamedTuple):
    """A key that signs notes (type 1) or cosigns them (type 4)."""

    name: str
    id: str
    type: int
    public: bytes


def require(holds: object, sentence: str) -> None:
    """Raise the sentence, unless it holds."""
    if not holds:
        raise Broken(sentence)


def unbase64(text: str, length: int | None = None) -> bytes:
    """The bytes of base64, without the stray bits that Python forgives."""
    value = base64.b64decode(text, validate=True)
    require(base64.b64encode(value).decode() == text, "base64 has stray bits: it was altered")
    require(length in {None, len(value)}, f"a value is not {length} bytes long")
    return value


def number(text: str) -> int:
    """The number of a plain decimal."""
    require(re.fullmatch(r"0|[1-9][0-9]{0,18}", text), "what should be a number is none")
    return int(text)


def canonical(text: bytes) -> dict[str, Any]:
    """The object of JSON in canonical form."""
    value: dict[str, Any] = json.loads(text)
    again = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    require(type(value) is dict and again.encode() == text, "it is no JSON object in canonical form")
    return value


def good(key: Key, message: str, signature: bytes) -> bool:
    """Whether a signature is good."""
    try:
        VerifyKey(key.public).verify(message.encode(), signature)
    except (BadSignatureError, NotASignature):
        return False
    return True


def key_of(vkey: str) -> Key:
    """The key written as a vkey."""
    name, _, rest = vkey.partition("+")
    key_id, _, encoded = rest.partition("+")
    typed = unbase64(encoded, 33)
    right = hashlib.sha256(name.encode() + b"\n" + typed).hexdigest()[:8]
    require(key_id == right, f"the id of the key of {name} is not its own")
    return Key(name, key_id, typed[0], typed[1:])


class Policy:
    """The keys that are trusted, and which witnesses it takes."""

    def __init__(self, text: str) -> None:
        self.logs = list[Key]()
        self.ends = dict[str, int]()
        self.groups: dict[str, Key | tuple[int, list[str]]] = {}
        quorums = list[str]()
        takes: dict[str, Callable[..., None]] = {
            "log": lambda vkey, _url="": self.logs.append(key_of(vkey)),
            "witness": lambda name, vkey, _url="": self._add(name, key_of(vkey)),
            "group": self._group,
            "quorum": quorums.append,
            "#until": lambda key, size: self.ends.update({key: number(size)}),
        }
        for words in filter(None, map(str.split, text.splitlines())):
            if words[0] in takes or not words[0].startswith("#"):
                takes[words[0]](*words[1:])
        self.quorum = "".join(quorums)
        whole = self.logs and len(quorums) == 1 and self.quorum in {"none", *self.groups}
        require(whole, "it names no log, or not one quorum that it defines")
        kinds = {key.type for key in self.logs}, {key.type for key in self.witnesses}
        require(kinds[0] == {NOTE} and kinds[1] <= {COSIGNATURE}, "a key is of the wrong type for its line")

    @property
    def witnesses(self) -> list[Key]:
        """The keys of all witnesses."""
        return [each for each in self.groups.values() if isinstance(each, Key)]

    def met(self, name: str, cosigned: set[Key]) -> bool:
        """Whether those who cosigned are enough."""
        member = self.groups.get(name)
        if member is None or isinstance(member, Key):
            return member is None or member in cosigned
        return sum(self.met(each, cosigned) for each in member[1]) >= member[0]

    def _add(self, name: str, member: Key | tuple[int, list[str]]) -> None:
        require(name not in {"none", *self.groups}, f"{name} is named twice")
        self.groups[name] = member

    def _group(self, name: str, least: str, *members: str) -> None:
        count = number({"any": "1", "all": str(len(members))}.get(least, least))
        taken = {each for group in self.groups.values() if not isinstance(group, Key) for each in group[1]}
        fresh = len(set(members)) == len(members) and not taken & set(members)
        require(fresh and set(members) <= set(self.groups), f"group {name} has unknown members, or one twice")
        require(0 < count <= len(members), f"group {name} asks for more than it has")
        self._add(name, (count, list(members)))


def note_of(text: str) -> tuple[str, list[tuple[str, str, bytes]]]:
    """The text of a note, and its signatures: name, id of the key, bytes."""
    body, parted, lines = text.rpartition("\n\n")
    require(parted and lines.endswith("\n"), "a note is not whole")
    matches = [re.fullmatch("\u2014 ([^ ]+) ([^ ]+)", line) for line in lines[:-1].split("\n")]
    require(all(matches), "a signature line is not written as one")
    blobs = [(match[1], unbase64(match[2])) for match in matches if match]
    return body + "\n", [(name, blob[:4].hex(), blob[4:]) for name, blob in blobs]


def signed(text: str, name: str, policy: Policy, size: int) -> str:
    """The text of a note that a key of this name signed, one that is trusted up to this size of the log."""
    body, signatures = note_of(text)
    found = False
    for key in (each for each in policy.logs if each.name == name):
        for blob in (each[2] for each in signatures if each[:2] == key[:2]):
            require(good(key, body, blob), f"the signature of {name} is wrong: altered or forged")
            found = found or size <= policy.ends.get(f"{key.name}+{key.id}", size)
    require(found, f"no key that the policy trusts for {name} signed it")
    return body


def checkpoint(text: str, name: str, policy: Policy) -> Root:
    """The size and root that a log signed."""
    lines = note_of(text)[0].split("\n")
    require(len(lines) > 3 and lines[0] == name, f"it is no checkpoint of {name}")
    root = (number(lines[1]), unbase64(lines[2], 32))
    require(root[0] or root[1] == EMPTY, "an empty log has another root")
    signed(text, name, policy, root[0])
    return root


def cosigned_at(text: str, policy: Policy) -> int | None:
    """When the first of enough witnesses cosigned."""
    body, signatures = note_of(text)
    times = dict[Key, int]()
    for key in policy.witnesses:
        for blob in (each[2] for each in signatures if each[:2] == key[:2]):
            times[key] = int.from_bytes(blob[:8], "big")
            right = good(key, f"cosignature/v1\ntime {times[key]}\n{body}", blob[8:])
            require(right, f"the cosignature of {key.name} is wrong: altered or forged")
    require(
        policy.met(policy.quorum, set(times)), f"too few witnesses cosigned it: {len(times)} that are known"
    )
    return min(times.values(), default=None)


def leaf(text: str) -> bytes:
    """The hash of an entry."""
    return hashlib.sha256(b"\x00" + text.encode()).digest()


def node(left: bytes, right: bytes) -> bytes:
    """The hash of two neighbours."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def hashes(lines: Sequence[str]) -> list[bytes]:
    """The hashes of a proof."""
    require(isinstance(lines, list) and len(lines) <= 63, "a proof has too many hashes")
    return [unbase64(line, 32) for line in lines]


def included(entry: bytes, index: int, size: int, path: list[bytes]) -> bytes:
    """The root that a proof of inclusion leads to."""
    require(0 <= index < size and bool(path) == (size > 1), "a proof is not as long as its log wants it")
    if size == 1:
        return entry
    middle = 1 << (size - 1).bit_length() - 1
    if index < middle:
        return node(included(entry, index, middle, path[:-1]), path[-1])
    return node(path[-1], included(entry, index - middle, size - middle, path[:-1]))


def continued(old: int, new: int, path: list[bytes], root: bytes | None) -> tuple[bytes, bytes]:
    """Both roots that a proof of consistency leads to; `root` is the old one while its tree is whole."""
    if old == new:
        require(len(path) == (root is None), "a proof of consistency has the wrong length")
        return (root, root) if root is not None else (path[0], path[0])
    require(path, "a proof of consistency is too short")
    middle = 1 << (new - 1).bit_length() - 1
    if old <= middle:
        before, after = continued(old, middle, path[:-1], root)
        return before, node(after, path[-1])
    before, after = continued(old - middle, new - middle, path[:-1], None)
    return node(path[-1], before), node(path[-1], after)


def continues(before: Root, after: Root, path: list[bytes]) -> None:
    """Require that one log is the beginning of the other."""
    require(before[0] <= after[0], "the log became smaller: it was rolled back")
    if before[0]:
        roots = continued(before[0], after[0], path, before[1])
        require(roots == (before[1], after[1]), "it does not continue the anchor before: the log was forked")
    require(before[0] or not path, "what continues an empty log needs no proof")


class Pack:
    """A pack as it was read, and what of it was shown so far."""

    def __init__(self, content: bytes, policy: Policy) -> None:
        require(content.endswith(b"\n"), "its last line has no end: it was cut off")
        self.raw = content[:-1].split(b"\n")
        self.lines = [canonical(line) for line in self.raw]
        self.head, self.policy, self.remarks = self.lines[0], policy, list[str]()
        self.anchors, self.seen = list[tuple[Root, Root]](), list[tuple[int, int]]()
        self.entries, self.days, self.streams = dict[int, Any](), dict[int, Any](), dict[str, list[Any]]()
        counts = self.head["anchors"], self.head["entries"]
        require(sum(counts) + 2 == len(self.lines), "lines are missing or added")
        order = ["pack", *["anchor"] * counts[0], *["entry"] * counts[1], "seal"]
        require([line["kind"] for line in self.lines] == order, "its lines are out of order")
        for line in self.lines:
            opened = {"body", "salt"} if "body" in line else set()
            require(set(line) == FIELDS[line["kind"]] | opened, "a line has missing or unknown fields")
        require(self.head["v"] == 1, "it is of a version that this verifier does not know")

    def seal(self) -> None:
        """Check that no byte was changed since the pack was made."""
        note, origin = self.lines[-1]["note"], self.head["origin"]
        digest = base64.b64encode(hashlib.sha256(b"".join(line + b"\n" for line in self.raw[:-1])).digest())
        body = signed(note, origin, self.policy, self.anchors[-1][0][0] if self.anchors else 0)
        require(len(note_of(note)[1]) == 1, "it has another signature beside its own")
        whole = body == f"keyfleet audit pack v1\n{origin}\n{digest.decode()}\n"
        require(whole, "the pack was changed after it was made")

    def anchor(self, line: dict[str, Any]) -> None:
        """Check one day's checkpoint and its place in the cell's log, and that both continue those before."""
        tenant = checkpoint(line["note"], self.head["origin"], self.policy)
        cell = checkpoint(line["cell"], self.head["cell"], self.policy)
        root = included(leaf(note_of(line["note"])[0]), line["place"], cell[0], hashes(line["proof"]))
        require(root == cell[1], "the cell's log does not hold this checkpoint: another was anchored")
        before = self.anchors[-1] if self.anchors else ((0, EMPTY), (0, EMPTY))
        continues(before[0], tenant, hashes(line["continues"]))
        continues(before[1], cell, hashes(line["cellContinues"]))
        at = cosigned_at(line["cell"], self.policy)
        self.seen += [] if at is None else [(tenant[0], at)]
        self.anchors.append((tenant, cell))

    def entry(self, line: dict[str, Any]) -> None:
        """Check that an entry stands in the last anchor's tree, and that its body is its own."""
        require(self.anchors, "there is no anchor to hold it against")
        index, (size, root) = line["index"], self.anchors[-1][0]
        require(index > next(reversed(self.entries), -1), "it is out of order")
        found = included(leaf(line["entry"]), index, size, hashes(line["proof"]))
        require(found == root, "the log does not hold it there: it was altered, moved or made up")
        said = canonical(line["entry"].encode())
        require(said["v"] == 1 and said["kind"] in KINDS, "it is of a kind that this verifier does not know")
        if "body" in line:
            digest = hashlib.sha256(unbase64(line["salt"], 32) + line["body"].encode()).digest()
            require(digest == unbase64(said["body"]), "its body is not the one that was logged")
        self.entries[index] = said
        if said["kind"] == "day":
            self.days[index] = said
        if "stream" in said:
            self.streams.setdefault(said["stream"], []).append(said)

    def day(self, index: int) -> None:
        """Check that an action is dated on the day whose end stands behind it, and before it was seen."""
        ends = [at for at, each in self.days.items() if each["first"] <= index < at]
        require(ends, "the end of its day is not in the pack, so that its date cannot be checked")
        told, day = self.entries[index]["at"], self.days[min(ends)]["day"]
        at = datetime.fromisoformat(told).astimezone(UTC)
        require(at.date().isoformat() == day, f"it is dated {told}, and was logged on {day}")
        seen = min((seen for size, seen in self.seen if size > index), default=None)
        before = seen is None or at.timestamp() <= seen + SKEW_SECONDS
        require(before, f"it is dated {told}, after it was witnessed")

    def scope(self) -> None:
        """Check that the pack holds all that it says it is complete for, and nothing else."""
        scope = self.head["scope"]
        if set(scope) == {"first", "end"}:
            end = min(scope["end"], self.anchors[-1][0][0] + 1)
            missing = set(range(scope["first"], end)) - set(self.entries)
            require(not missing, f"entry {min(missing, default='')} is missing from its span")
            require(len(self.entries) == scope["end"] - scope["first"], "it holds more than its span")
        else:
            named = set(scope) == {"streams"} and set(self.streams) == set(scope["streams"])
            require(named, "its streams are not those it names")

    def stream(self, name: str) -> None:
        """Check that every row of a stream is there, in order, but for what the log itself found wrong."""
        actions = [each for each in self.streams[name] if each["kind"] == "action"]
        told = [each["seq"] for each in actions]
        times = [datetime.fromisoformat(each["at"]) for each in actions]
        require(told == sorted(set(told)) and times == sorted(times), "its rows are out of order")
        known = set(told)
        for each in (each for each in self.streams[name] if each["kind"] == "finding"):
            known |= set(range(each["expected"], each["seq"])) if each["finding"] == "gap" else {each["seq"]}
            self.remarks.append(f"stream {name}: the log itself found a row {each['finding']}, {each['seq']}")
        first = 1 if "streams" in self.head["scope"] else min(known)
        last = self.head["scope"].get("streams", {}).get(name, max(known))
        missing = set(range(first, last + 1)) - known
        require(not missing, f"row {min(missing, default=0)} is missing")
        require(max(known) == last, "it goes on beyond what the pack says it ends with")


class Report(NamedTuple):
    """What was found: what does not hold, what to know besides, and how much was checked."""

    failures: list[str]
    remarks: list[str]
    checked: dict[str, int]


def verify(content: bytes, policy_text: str) -> Report:
    """The report on a pack by a policy; whatever is in it, nothing is raised."""
    failures = list[str]()

    def attempt(where: str, work: Callable[..., Any], *arguments: Any) -> Any:
        try:
            return work(*arguments)
        except Broken as broken:
            failures.append(f"{where}: {broken}")
        except UNREADABLE:
            failures.append(f"{where}: it is not written as its format has it")
        return None

    policy = attempt("policy", Policy, policy_text)
    pack = attempt("pack", Pack, content, policy) if policy else None
    if pack is None:
        return Report(failures, [], {})
    for row, line in enumerate(pack.lines[1:-1], 2):
        attempt(f"line {row}, {line['kind']}", getattr(pack, line["kind"]), line)
    attempt("seal", pack.seal)
    for index in (at for at, each in pack.entries.items() if each["kind"] == "action"):
        attempt(f"entry {index}", pack.day, index)
    attempt("scope", pack.scope)
    for name in sorted(pack.streams):
        attempt(f"stream {name}", pack.stream, name)
    checked = {"anchors": len(pack.anchors), "entries": len(pack.entries)}
    return Report(failures, pack.remarks, {**checked, "bodies": sum("body" in line for line in pack.lines)})


def main(arguments: list[str]) -> int:
    """Verify, say what was found, and return the exit status."""
    try:
        content, policy = (Path(each).read_bytes() for each in arguments)
        report = verify(content, policy.decode())
    except (OSError, ValueError) as error:
        sys.stderr.write(f"usage: python verify_pack.py PACK POLICY ({error})\n")
        return 2
    lines = [f"remark: {each}" for each in report.remarks] + [f"FAILED: {each}" for each in report.failures]
    verdict = f"the pack {'does NOT verify' if report.failures else 'verifies'}: {report.checked}"
    sys.stdout.write("\n".join([*lines, verdict]) + "\n")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
