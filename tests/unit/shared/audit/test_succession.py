"""A log signs what continues what it signed before, with the key that is good for it, and nothing else."""

import pytest

from shared.audit.checkpoint import Checkpoint
from shared.audit.errors import Behind, Forked, Malformed, NotProven, Untrusted
from shared.audit.log import Edge, append
from shared.audit.proofs import require_consistency
from shared.audit.succession import LogKey, LogKeys, beginning, require_not_behind, succeed
from shared.audit.tree import EMPTY_ROOT
from tests.support import naive
from tests.support.notaries import check, log

LOG, NEW = log("audit.example/cell/tnt_1"), log("audit.example/cell/tnt_1", seed="new")
ENTRIES = [b"entry %d" % n for n in range(600)]


def files_of(*sizes, entries=ENTRIES):
    """Return the files of a log that was anchored at some sizes."""
    files, edge = {}, Edge()
    for size in sizes:
        growing = append(edge, entries[edge.size : size])
        try:
            while True:
                write = next(growing)
                files[write.path] = write.content
        except StopIteration as end:
            edge = end.value
    return files.__getitem__


def at(size, entries=ENTRIES):
    return Checkpoint(LOG.name, size, naive.root(entries[:size]))


@pytest.mark.parametrize(("old", "new"), [(0, 1), (0, 300), (1, 300), (256, 257), (299, 600), (300, 300)])
def test_what_continues_the_last_may_be_signed(old, new):
    following = succeed(at(old), new, files_of(old, new))
    assert following.next == at(new)
    require_consistency(old, new, following.path, at(old).root, at(new).root)


def test_a_log_begins_empty():
    assert beginning(LOG.name) == Checkpoint(LOG.name, 0, EMPTY_ROOT)
    assert succeed(beginning(LOG.name), 0, files_of()).next == beginning(LOG.name)


def test_a_smaller_log_is_not_signed():
    with pytest.raises(Behind, match="find the lost"):
        succeed(at(300), 299, files_of(299))


def test_files_that_tell_another_past_are_not_signed():
    other = [b"another", *ENTRIES[1:]]
    with pytest.raises(Forked, match="rewritten"):
        succeed(at(300), 600, files_of(300, 600, entries=other))
    with pytest.raises(Forked, match="forked"):
        succeed(at(300), 300, files_of(300, entries=other))


def test_files_that_do_not_fit_each_other_are_not_signed():
    files = {}
    for write in append(Edge(), ENTRIES[:300]):
        files[write.path] = write.content
    altered = files | {"tile/entries/001.p/44": files["tile/entries/001.p/44"].replace(b"290", b"291")}
    with pytest.raises(NotProven, match="altered"):
        succeed(at(256), 300, altered.__getitem__)


def test_a_restored_backup_meets_the_witness_first():
    require_not_behind(at(300), [at(300), at(299), at(0)])
    with pytest.raises(Behind, match="backup"):
        require_not_behind(at(300), [at(301)])
    with pytest.raises(Forked, match="another log"):
        require_not_behind(at(300), [Checkpoint(LOG.name, 300, b"r" * 32)])
    with pytest.raises(Malformed):
        require_not_behind(at(300), [Checkpoint("a.example", 1, b"r" * 32)])


def test_a_key_signs_up_to_its_end_and_the_next_one_after_it():
    keys = LogKeys((LogKey(LOG.key),)).replaced(300, NEW.key)
    assert [keys.good_for(size) for size in (0, 300, 301, 10**9)] == [LOG.key, LOG.key, NEW.key, NEW.key]
    assert keys.require(NEW.note(at(600).text), check) == at(600)
    assert keys.require(LOG.note(at(300).text), check) == at(300)


def test_an_old_key_signs_nothing_new_and_a_new_one_nothing_old():
    keys = LogKeys((LogKey(LOG.key),)).replaced(300, NEW.key)
    for note in (LOG.note(at(301).text), NEW.note(at(300).text)):
        with pytest.raises(Untrusted):
            keys.require(note, check)


def test_a_checkpoint_of_another_log_is_refused():
    other = log("audit.example/cell/tnt_2")
    with pytest.raises(Malformed, match="another log"):
        LogKeys((LogKey(LOG.key),)).require(other.note(Checkpoint(other.name, 1, b"r" * 32).text), check)


@pytest.mark.parametrize(
    "keys",
    [
        (),
        (LogKey(LOG.key, 3),),
        (LogKey(LOG.key), LogKey(NEW.key)),
        (LogKey(LOG.key, 5), LogKey(NEW.key, 5), LogKey(NEW.key)),
        (LogKey(LOG.key, 5), LogKey(NEW.key, 4), LogKey(NEW.key)),
    ],
)
def test_keys_follow_one_another(keys):
    with pytest.raises(Malformed, match="keys"):
        LogKeys(keys)
