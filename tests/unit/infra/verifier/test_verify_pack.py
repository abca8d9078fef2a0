"""The verifier takes a whole pack, and finds whatever was done to it, by whoever did it."""

import ast
import base64
import hashlib
import json
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.verifier import verify_pack
from infra.verifier.verify_pack import Broken, continued, continues, included, verify
from shared.audit.errors import NotProven
from shared.audit.log import append
from shared.audit.notes import VerifierKey
from shared.audit.pack import SEAL_LINE, Anchor, Span, Streams
from shared.audit.proofs import consistency_path, inclusion_path, require_consistency, root_by_inclusion
from shared.audit.succession import LogKey, LogKeys
from shared.audit.trust import Trust
from tests.support import naive
from tests.support.audit_pack import BUCKET, CELL, DAYS, DESK, LOG, POLICY, rows_of, three_days
from tests.support.audited import row
from tests.support.notaries import flipped, log, witness

SOURCE = Path(verify_pack.__file__)
BOOK = three_days()
WHOLE = BOOK.whole()
OF_A = BOOK.of_streams(key_a=2)
OF_B = BOOK.of_streams(key_b=4)
SMALL = BOOK.pack(Streams({"key_a": 2}), (0, 2, 4, 8), anchors=BOOK.anchors[-1:])


def resealed(lines):
    """Return lines under a new seal of the log's own key: what its keeper could do."""
    content = b"".join(line + b"\n" for line in lines)
    digest = base64.b64encode(hashlib.sha256(content).digest()).decode()
    note = LOG.note(f"{SEAL_LINE}\n{LOG.name}\n{digest}\n")
    return content + as_line({"kind": "seal", "note": str(note)}) + b"\n"


def as_line(document):
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def unsealed(pack):
    return pack.splitlines()[:-1]


def edited(pack, edit):
    """Return a pack whose documents were edited, under a new seal and with counts that fit."""
    lines = [json.loads(line) for line in unsealed(pack)]
    edit(lines)
    for kind in ("anchor", "entry"):
        plural = {"anchor": "anchors", "entry": "entries"}[kind]
        lines[0][plural] = sum(line["kind"] == kind for line in lines)
    return resealed(map(as_line, lines))


def entries(lines):
    return [line for line in lines if line["kind"] == "entry"]


@pytest.mark.parametrize(
    ("pack", "anchors"), [(WHOLE, 3), (OF_A, 3), (OF_B, 3), (SMALL, 1)], ids=["whole", "a", "b", "small"]
)
def test_a_pack_verifies(pack, anchors):
    report = verify(pack, POLICY)
    assert report.failures == []
    assert report.checked["anchors"] == anchors
    assert report.checked["bodies"] >= 2


def test_what_the_log_itself_found_wrong_is_told():
    assert verify(WHOLE, POLICY).remarks == ["stream key_b: the log itself found a row gap, 4"]
    assert verify(OF_A, POLICY).remarks == []


def test_a_pack_with_its_bodies_withheld_verifies():
    def withhold(lines):
        for line in entries(lines):
            line.pop("body", None), line.pop("salt", None)

    report = verify(edited(WHOLE, withhold), POLICY)
    assert (report.failures, report.checked["bodies"]) == ([], 0)


def test_no_byte_of_a_pack_can_change():
    """One bit of each byte here; every bit of larger packs under tests/soak."""
    places = range(len(SMALL))
    missed = [place for place in places if not verify(flipped(SMALL, place * 8 + place % 8), POLICY).failures]
    assert missed == []


def test_no_byte_of_a_pack_can_change_even_if_its_keeper_seals_it_anew():
    """Only when the pack was made is the keeper's word alone."""
    content = b"".join(line + b"\n" for line in unsealed(SMALL))
    made = content.index(b'"made":"') + len(b'"made":"')
    changed = (
        (place, flipped(content, place * 8 + place % 7).removesuffix(b"\n")) for place in range(len(content))
    )
    missed = {place for place, pack in changed if not verify(resealed(pack.split(b"\n")), POLICY).failures}
    assert missed <= set(range(made, made + len("2026-11-19T08:00:00Z")))


@pytest.mark.parametrize("number", range(9))
def test_an_entry_left_out_of_a_span_is_missed(number):
    pack = edited(WHOLE, lambda lines: lines.remove(entries(lines)[number]))
    assert any("missing" in each for each in verify(pack, POLICY).failures)


@pytest.mark.parametrize("line", range(1, 13))
def test_a_line_left_out_is_missed(line):
    assert verify(resealed([each for n, each in enumerate(unsealed(WHOLE)) if n != line]), POLICY).failures


def test_an_anchor_left_out_is_missed_where_another_continues_it():
    pack = edited(WHOLE, lambda lines: lines.pop(2))
    assert any("anchor" in each for each in verify(pack, POLICY).failures)


def test_a_row_left_out_of_a_stream_is_missed():
    first = edited(OF_A, lambda lines: lines.remove(entries(lines)[0]))
    assert "stream key_a: row 1 is missing" in verify(first, POLICY).failures
    last = edited(OF_A, lambda lines: lines.remove(entries(lines)[-2]))
    assert any("row 2 is missing" in each for each in verify(last, POLICY).failures)


def test_that_a_stream_ends_is_the_keepers_word():
    """A limit, said in decision 0056: a span leaves no room for it, a pack of streams does."""

    def end_sooner(lines):
        lines.remove(entries(lines)[-2])
        lines[0]["scope"]["streams"]["key_a"] = 1

    assert verify(edited(OF_A, end_sooner), POLICY).failures == []


def test_lines_that_were_swapped_are_found():
    lines = unsealed(WHOLE)
    for first in range(1, len(lines) - 1):
        swapped = [*lines[:first], lines[first + 1], lines[first], *lines[first + 2 :]]
        assert verify(resealed(swapped), POLICY).failures, first


@pytest.mark.parametrize("field", ["index", "entry", "proof", "body", "salt"])
def test_what_two_entries_exchange_is_found(field):
    def exchange(lines):
        one, two = entries(lines)[0], entries(lines)[1]
        one[field], two[field] = two[field], one[field]

    assert verify(edited(WHOLE, exchange), POLICY).failures


@pytest.mark.parametrize("field", ["at", "operator", "reason", "seq", "stream", "action", "day"])
def test_no_word_of_an_entry_can_change(field):
    def change(lines):
        line = next(each for each in entries(lines) if f'"{field}":' in each["entry"])
        said = json.loads(line["entry"])
        said[field] = {"seq": 9, "at": "2026-11-16T09:00:01Z"}.get(field, "other")
        line["entry"] = as_line(said).decode()

    assert any("altered, moved or made up" in each for each in verify(edited(WHOLE, change), POLICY).failures)


def rewritten(dates, change, witnesses=(DESK, BUCKET)):
    """Return the book that a keeper with all of their own keys writes anew, some rows changed."""
    book = type(BOOK)()
    for date in dates:
        book.anchor(date, change(date, rows_of(date)))
    honest = {witness.name for witness in witnesses}
    book.anchors = [
        Anchor(each.note, each.place, without(each.cell, {DESK.name, BUCKET.name} - honest))
        for each in book.anchors
    ]
    return book


def without(note, names):
    return type(note)(note.text, tuple(each for each in note.signatures if each.name not in names))


def redated(date, rows):
    return [row("key_a", 1, f"{date}T09:59:00Z"), *rows[1:]] if date == DAYS[0] else rows


def test_a_history_written_anew_lacks_its_witnesses():
    pack = rewritten(DAYS, redated, witnesses=(DESK,)).whole()
    assert any("too few witnesses" in each for each in verify(pack, POLICY).failures)


def test_a_history_written_anew_is_not_what_was_witnessed():
    forged = rewritten(DAYS, redated)
    kept = [
        Anchor(new.note, new.place, old.cell) for new, old in zip(forged.anchors, BOOK.anchors, strict=True)
    ]
    pack = edited(forged.whole(), lambda lines: anchored_as(lines, kept))
    assert any("another was anchored" in each for each in verify(pack, POLICY).failures)


def anchored_as(lines, anchors):
    for line, anchor in zip([each for each in lines if each["kind"] == "anchor"], anchors, strict=True):
        line["cell"] = str(anchor.cell)


def test_a_forked_log_is_found_where_its_branches_meet():
    fork = rewritten(DAYS, redated)
    whole, other = [json.loads(line) for line in unsealed(WHOLE)], unsealed(fork.whole())
    mixed = [*map(as_line, whole[:2]), *other[2:]]
    failures = verify(resealed(mixed), POLICY).failures
    assert any("forked" in each for each in failures)


def test_a_rolled_back_log_is_found():
    with pytest.raises(Broken, match="rolled back"):
        continues((5, b"r" * 32), (4, b"r" * 32), [])

    def roll_back(lines):
        lines[2], lines[3] = lines[3], lines[2]

    assert verify(edited(WHOLE, roll_back), POLICY).failures


def test_an_action_dated_after_witnesses_had_seen_it_is_found():
    book = three_days()
    early = [Anchor(each.note, each.place, seen_at(each.cell, 1_700_000_000)) for each in book.anchors]
    failures = verify(book.whole(anchors=early), POLICY).failures
    assert any("after it was witnessed" in each for each in failures)


def seen_at(cell, time):
    plain = without(cell, {DESK.name, BUCKET.name})
    return BUCKET.cosigned(DESK.cosigned(plain, time), time)


def test_a_row_that_slipped_into_another_day_is_found():
    """The keeper's intake refuses it; a keeper without that rule is found out by the verifier."""
    book = three_days()
    header = json.loads(book.tenant.kept[0].header) | {"at": "2026-11-01T09:00:00Z", "seq": 3}
    day = json.loads(book.tenant.kept[-1].header) | {"day": "2026-11-19", "first": 9}
    slipped = [type(book.tenant.kept[0])(as_line(each)) for each in (header, day)]
    note = book.tenant.add(slipped)
    cell = book.cell.add([type(book.cell.kept[0])(note.text.encode())])
    book.anchors.append(Anchor(note, 3, BUCKET.cosigned(DESK.cosigned(cell, 1_800_000_000), 1_800_000_000)))
    failures = verify(book.whole(), POLICY).failures
    assert any("was logged on 2026-11-19" in each for each in failures)


def test_an_action_without_the_end_of_its_day_is_not_dated():
    pack = BOOK.pack(Span(0, 2), range(2))
    assert any("the end of its day" in each for each in verify(pack, POLICY).failures)


def policy(*keys, cell=CELL, witnesses=(DESK.key, BUCKET.key), quorum=2):
    logs = [LogKeys((LogKey(cell.key),)), LogKeys(keys)]
    return str(Trust(logs, witnesses, quorum))


NEW = log(LOG.name, seed="new")


@pytest.mark.parametrize(
    ("trusted", "said"),
    [
        (policy(LogKey(NEW.key)), "no key that the policy trusts"),
        (policy(LogKey(LOG.key), cell=log(CELL.name, seed="other")), "no key that the policy trusts"),
        (policy(LogKey(LOG.key, 4), LogKey(NEW.key)), "no key that the policy trusts"),
        (policy(LogKey(LOG.key), witnesses=(DESK.key, witness("a.example").key)), "too few witnesses"),
        ("quorum none\n", "names no log"),
        ("", "names no log"),
        (POLICY + "quorum none\n", "names no log, or not one quorum"),
        (POLICY.replace("group witnesses 2", "group witnesses 3"), "asks for more than it has"),
        (POLICY.replace("2 w1 w2", "1 w1 w1"), "one twice"),
        (POLICY.replace("2 w1 w2", "2 w1 w3"), "unknown members"),
        (POLICY.replace("witness w2", "witness w1"), "named twice"),
        (POLICY.replace("log ", "log x"), "policy"),
        ("nonsense line\n" + POLICY, "policy"),
    ],
)
def test_a_policy_that_does_not_trust_it_or_is_none_is_said(trusted, said):
    failures = verify(WHOLE, trusted).failures
    assert any(said in each for each in failures), failures


@pytest.mark.parametrize(
    "trusted",
    [
        policy(LogKey(LOG.key), quorum=1),
        policy(LogKey(LOG.key), quorum=0),
        policy(LogKey(LOG.key, 9), LogKey(NEW.key)),
        policy(LogKey(LOG.key), witnesses=(DESK.key, BUCKET.key, witness("a.example").key)),
        "# a comment\n\n" + POLICY,
        POLICY.replace("group witnesses 2 w1 w2", "group g any w1 w2\ngroup witnesses all g"),
    ],
)
def test_a_policy_that_asks_less_or_otherwise_is_met(trusted):
    assert verify(WHOLE, trusted).failures == []


def test_the_end_of_an_old_key_is_a_comment_to_strangers():
    text = policy(LogKey(LOG.key, 4), LogKey(NEW.key))
    assert f"#until {LOG.name}+{LOG.key.id.hex()} 4\n" in text
    assert VerifierKey.parse(text.splitlines()[2].removeprefix("log ")) == LOG.key


@given(st.binary(max_size=200) | st.binary(max_size=60).map(lambda noise: WHOLE[:500] + noise + WHOLE[500:]))
def test_noise_is_never_an_error_and_never_a_pack(noise):
    if noise != WHOLE:
        assert verify(noise, POLICY).failures


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
)


@given(st.data())
def test_any_value_in_any_field_is_a_failure_and_no_error(data):
    lines = [json.loads(line) for line in unsealed(WHOLE)]
    line = data.draw(st.sampled_from(lines))
    field = data.draw(st.sampled_from(sorted(set(line) - {"made"})))
    value = data.draw(JSON)
    if value != line[field]:
        line[field] = value
        assert verify(resealed(map(as_line, lines)), POLICY).failures


@given(st.integers(1, 70), st.data())
def test_two_implementations_agree_on_proofs(size, data):
    leaves = [b"%d" % n for n in range(size)]
    index, old = data.draw(st.integers(0, size - 1)), data.draw(st.integers(1, size))
    roots = naive.root(leaves[:old]), naive.root(leaves)

    def subtrees(level, at):
        return naive.root(leaves[at << level : (at + 1) << level])

    path = list(inclusion_path(index, size, subtrees))
    assert included(naive.root([leaves[index]]), index, size, path) == roots[1]
    way = list(consistency_path(old, size, subtrees))
    assert continued(old, size, way, roots[0]) == roots
    wrong = data.draw(st.lists(st.sampled_from([*path, *way, *roots]), max_size=8))
    assert told(included, naive.root([leaves[index]]), index, size, wrong) == told(
        root_by_inclusion, naive.root([leaves[index]]), index, size, wrong
    )
    assert (told(continued, old, size, wrong, roots[0]) == roots) == holds(old, size, wrong, *roots)


def told(work, *arguments):
    try:
        return work(*arguments)
    except (Broken, NotProven):
        return None


def holds(*arguments):
    try:
        require_consistency(*arguments)
    except NotProven:
        return False
    return True


ROOT = base64.b64encode(b"r" * 32).decode()
TRUST = verify_pack.Policy(POLICY)


@pytest.mark.parametrize(
    ("work", "arguments", "said"),
    [
        (verify_pack.unbase64, ("AB==",), "stray bits"),
        (verify_pack.unbase64, ("AAAA", 32), "not 32 bytes"),
        (verify_pack.number, ("+1",), "should be a number"),
        (verify_pack.number, ("01",), "should be a number"),
        (verify_pack.number, ("1" * 20,), "should be a number"),
        (verify_pack.canonical, (b'{"a": 1}',), "canonical"),
        (verify_pack.canonical, (b'{"a":1,"a":1}',), "canonical"),
        (verify_pack.canonical, (b"[]",), "canonical"),
        (verify_pack.key_of, (str(LOG.key).replace("f436e3ab", "f436e3ac"),), "not its own"),
        (verify_pack.Policy, (POLICY.replace(str(CELL.key), str(DESK.key)),), "wrong type"),
        (verify_pack.Policy, (POLICY.replace(str(DESK.key), str(CELL.key)),), "wrong type"),
        (verify_pack.note_of, ("text without signatures\n",), "not whole"),
        (verify_pack.note_of, ("text\n\n\u2014 name AAAA",), "not whole"),
        (verify_pack.note_of, ("text\n\n- name AAAA\n",), "signature line"),
        (verify_pack.checkpoint, (str(LOG.note(f"other\n1\n{ROOT}\n")), LOG.name, TRUST), "no checkpoint of"),
        (verify_pack.checkpoint, (str(LOG.note(f"{LOG.name}\n1\n")), LOG.name, TRUST), "no checkpoint of"),
        (verify_pack.checkpoint, (str(LOG.note(f"{LOG.name}\n0\n{ROOT}\n")), LOG.name, TRUST), "empty log"),
        (verify_pack.hashes, ([ROOT] * 64,), "too many"),
        (verify_pack.hashes, (ROOT,), "too many"),
        (continues, ((0, verify_pack.EMPTY), (3, b"r" * 32), [b"r" * 32]), "needs no proof"),
        (continues, ((3, b"r" * 32), (2, b"r" * 32), []), "rolled back"),
        (continues, ((3, b"r" * 32), (3, b"s" * 32), []), "forked"),
        (included, (b"r" * 32, 3, 3, []), "not as long"),
        (included, (b"r" * 32, 0, 1, [b"r" * 32]), "not as long"),
        (continued, (3, 5, [], b"r" * 32), "too short"),
        (continued, (4, 4, [b"r" * 32], b"r" * 32), "wrong length"),
    ],
)
def test_each_rule_of_the_formats_is_held(work, arguments, said):
    with pytest.raises(Broken, match=said):
        work(*arguments)


def spaced(lines):
    return [lines[0].replace(b",", b", ", 1), *lines[1:]]


def doubled(lines):
    return [*lines[:-1], lines[-1], lines[-1]]


def unknown_field(lines):
    return [*lines[:-1], as_line(json.loads(lines[-1]) | {"note": "x"})]


def other_version(lines):
    return [as_line(json.loads(lines[0]) | {"v": 2}), *lines[1:]]


def exchanged(lines):
    return [lines[0], lines[-1], *lines[2:-1], lines[1]]


def strange_entry(lines):
    """Return a pack whose last entry is of another index than all."""
    return [*lines[:-1], as_line(json.loads(lines[-1]) | {"index": 3})]


@pytest.mark.parametrize(
    ("alter", "said"),
    [
        (spaced, "canonical"),
        (doubled, "missing or added"),
        (exchanged, "its lines are out of order"),
        (unknown_field, "unknown fields"),
        (other_version, "of a version"),
        (strange_entry, "it is out of order"),
    ],
)
def test_each_rule_of_the_pack_is_held_whoever_seals_it(alter, said):
    failures = verify(resealed(alter(unsealed(WHOLE))), POLICY).failures
    assert any(said in each for each in failures), failures


def sealed_as(text, *more):
    """Return the whole pack under another seal."""
    content = b"".join(line + b"\n" for line in unsealed(WHOLE))
    note = LOG.note(text.format(base64.b64encode(hashlib.sha256(content).digest()).decode()))
    note = type(note)(note.text, (*note.signatures, *more))
    return content + as_line({"kind": "seal", "note": str(note)}) + b"\n"


def test_a_seal_is_of_this_log_of_these_bytes_and_alone():
    right = f"{SEAL_LINE}\n{LOG.name}\n{{}}\n"
    assert verify(sealed_as(right), POLICY).failures == []
    for wrong in (
        right.replace("v1", "v2"),
        right.replace(LOG.name, CELL.name),
        f"{SEAL_LINE}\n{LOG.name}\nAA==\n",
    ):
        assert any("changed after it was made" in each for each in verify(sealed_as(wrong), POLICY).failures)
    stranger = log("stranger.example").note("x\n").signatures
    assert any("another signature" in each for each in verify(sealed_as(right, *stranger), POLICY).failures)


def test_an_entry_of_an_unknown_kind_is_said():
    book = three_days()
    odd = type(book.tenant.kept[0])(as_line({"v": 1, "kind": "rumour", "tenant": "tnt_1"}))
    note = book.tenant.add([odd])
    cell = book.cell.add([type(odd)(note.text.encode())])
    book.anchors.append(Anchor(note, 3, BUCKET.cosigned(DESK.cosigned(cell, 1_800_000_000), 1_800_000_000)))
    assert any("of a kind" in each for each in verify(book.whole(), POLICY).failures)


def test_a_stream_that_its_keeper_logged_out_of_order_is_said():
    """A keeper without the intake's rules, whose tree and witnesses are in order."""
    book = three_days()
    header = json.loads(book.tenant.kept[4].header)
    day = json.loads(book.tenant.kept[-1].header) | {"first": 9}
    again = [type(book.tenant.kept[0])(as_line(each)) for each in (header | {"seq": 2}, day)]
    note = book.tenant.add(again)
    cell = book.cell.add([type(book.cell.kept[0])(note.text.encode())])
    book.anchors.append(Anchor(note, 3, BUCKET.cosigned(DESK.cosigned(cell, 1_800_000_000), 1_800_000_000)))
    assert any("its rows are out of order" in each for each in verify(book.whole(), POLICY).failures)


def test_a_pack_of_streams_names_those_it_holds_and_a_span_no_more_than_it_says():
    def name_another(lines):
        lines[0]["scope"] = {"streams": {"key_z": 1}}

    def claim_less(lines):
        lines[0]["scope"] = {"first": 0, "end": 8}

    def claim_more(lines):
        lines[0]["scope"] = {"streams": {"key_a": 3}}

    assert any("not those it names" in each for each in verify(edited(OF_A, name_another), POLICY).failures)
    assert any("more than its span" in each for each in verify(edited(WHOLE, claim_less), POLICY).failures)
    assert "stream key_a: row 3 is missing" in verify(edited(OF_A, claim_more), POLICY).failures


def test_it_is_one_file_that_can_be_read_and_imports_nothing_of_ours():
    text = SOURCE.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 400
    imported = {
        name.split(".")[0]
        for each in ast.walk(ast.parse(text))
        if isinstance(each, ast.Import | ast.ImportFrom)
        for name in ([each.module] if isinstance(each, ast.ImportFrom) else [one.name for one in each.names])
    }
    assert imported - set(sys.stdlib_module_names) == {"nacl"}


def run(folder, *names):
    command = [sys.executable, "-I", str(folder / "verify.py"), *(str(folder / name) for name in names)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_the_file_alone_verifies_on_a_machine_without_us(tmp_path):
    (tmp_path / "verify.py").write_bytes(SOURCE.read_bytes())
    (tmp_path / "policy").write_text(POLICY, encoding="utf-8")
    (tmp_path / "pack").write_bytes(WHOLE)
    (tmp_path / "broken").write_bytes(flipped(WHOLE, 40_000))
    good = run(tmp_path, "pack", "policy")
    assert (good.returncode, good.stderr) == (0, "")
    assert good.stdout.endswith("the pack verifies: {'anchors': 3, 'entries': 9, 'bodies': 5}\n")
    bad = run(tmp_path, "broken", "policy")
    assert bad.returncode == 1
    assert "FAILED: " in bad.stdout
    assert "does NOT verify" in bad.stdout
    assert run(tmp_path, "absent", "policy").returncode == 2
    assert run(tmp_path, "pack").returncode == 2


def test_a_large_log_grows_the_same_in_both_readings():
    grown = append(BOOK.tenant.edge, [b"x"] * 3)
    assert [write.path for write in grown] == ["tile/entries/000.p/12", "tile/0/000.p/12"]
