"""A desk's releases: proved, newer, whole, tried, and taken back when they do not stay up."""

import threading
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from nacl.signing import SigningKey

from edge_agent.release.manifest import Archive, Release, ReleaseRefused
from edge_agent.release.shelf import ReleaseShelf
from edge_agent.release.update import ReleaseSource, this_kind, update
from infra.desk.keyfleet_edge import offered, packed
from shared.domain.errors import InvalidInput
from shared.offline.signing import SignedRefused

NOW = datetime(2026, 11, 19, 12, tzinfo=UTC)
MAKER, OTHER = SigningKey(b"\x01" * 32), SigningKey(b"\x02" * 32)


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that keeps no log."""

    def log_message(self, *_):
        """Say nothing."""


class Offer:
    """Releases at an address of this machine, and a desk that looks there."""

    def __init__(self, folder, port):
        self.site, self.shelf = folder / "site", ReleaseShelf(folder / "releases")
        self.folder, self.port = folder, port
        self.site.mkdir(exist_ok=True)

    def release(self, number, script=None, maker=MAKER, **changes):
        """Offer a release, of a program that says its version unless it is given another."""
        version = f"1.{number}.0"
        folder = self.folder / f"built-{number}"
        folder.mkdir(exist_ok=True)
        program = folder / "keyfleet-edge"
        program.write_text(script or f"#!/bin/sh\necho {version}\n")
        program.chmod(0o755)
        made = Release(
            number=number,
            version=version,
            issued=NOW,
            until=NOW + timedelta(days=30),
            archives={this_kind(): packed(folder, self.site, version)},
        )
        offered(replace(made, **changes), self.site, maker)

    def update(self, now=NOW):
        """Look for a release, as the hour strikes."""
        key = bytes(MAKER.verify_key).hex()
        return update(ReleaseSource.at(f"http://127.0.0.1:{self.port}", [key]), self.shelf, now)

    @property
    def says(self):
        """What the current program says."""
        return (self.shelf.folder / "current" / "keyfleet-edge").read_text().split()[-1]


@contextmanager
def served(folder):
    """Serve a folder on a free port of this machine."""
    handler = partial(Quiet, directory=str(folder / "site"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield Offer(folder, server.server_address[1])
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def offer(tmp_path):
    """A place where releases are offered."""
    with served(tmp_path) as offer:
        yield offer


def left(offer):
    """Return what lies on the shelf."""
    return sorted(each.name for each in offer.shelf.folder.iterdir())


def test_newer_release_is_put_in_place_once_and_the_one_before_is_kept(offer):
    for number in (1, 2, 3):
        offer.release(number)
        assert offer.update().version == f"1.{number}.0"
    assert offer.update() is None
    assert (offer.shelf.current, offer.says) == (3, "1.3.0")
    assert left(offer) == ["2", "3", "changed", "current", "previous", "seen.json"]
    assert (offer.shelf.folder / "changed").read_text() == "3"


def test_older_release_is_refused_whoever_offers_it_also_after_one_was_taken_back(offer):
    offer.release(1)
    offer.update()
    offer.release(2)
    offer.update()
    assert offer.shelf.back() == 1
    assert offer.says == "1.1.0"
    with pytest.raises(ReleaseRefused, match="taken back"):
        offer.update()
    offer.release(3)
    offer.update()
    offer.release(2)
    with pytest.raises(ReleaseRefused, match="older than 3"):
        offer.update()
    assert offer.says == "1.3.0"


def test_release_that_was_proved_and_never_fetched_still_bars_what_is_older(offer):
    offer.release(5)
    (offer.site / f"keyfleet-edge-1.5.0-{this_kind()}.tar.gz").unlink()
    with pytest.raises(OSError):
        offer.update()
    offer.release(4)
    with pytest.raises(ReleaseRefused, match="older than 5"):
        offer.update()
    offer.release(5)
    assert offer.update().number == 5


def test_first_release_has_none_before_it(offer):
    offer.release(1)
    offer.update()
    with pytest.raises(ReleaseRefused, match="no release before"):
        offer.shelf.back()


def test_manifest_of_somebody_else_or_past_its_time_is_refused(offer):
    offer.release(1, maker=OTHER)
    with pytest.raises(SignedRefused, match="signer"):
        offer.update()
    offer.release(1)
    with pytest.raises(ReleaseRefused, match="too old"):
        offer.update(NOW + timedelta(days=31))
    offer.release(1, archives={"plan9-vax": Archive("x.tar.gz", "0" * 64, 1)})
    with pytest.raises(ReleaseRefused, match="not made for"):
        offer.update()
    assert offer.shelf.current == 0


@pytest.mark.parametrize("change", ["longer", "shorter", "altered"])
def test_archive_that_is_another_is_refused_and_the_current_release_stays(offer, change):
    offer.release(1)
    offer.update()
    offer.release(2)
    (path,) = offer.site.glob("*1.2.0*")
    content = path.read_bytes()
    other = {"longer": content + b"x", "shorter": content[:-1], "altered": content[:-1] + b"x"}[change]
    path.write_bytes(other)
    with pytest.raises(ReleaseRefused, match="not the one"):
        offer.update()
    assert (offer.shelf.current, offer.says) == (1, "1.1.0")


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 1\n", "#!/bin/sh\necho 9.9.9\n", "no program at all"])
def test_release_that_does_not_start_as_itself_is_not_made_current(offer, script):
    offer.release(1)
    offer.update()
    offer.release(2, script)
    with pytest.raises(ReleaseRefused):
        offer.update()
    assert offer.says == "1.1.0"
    offer.release(3)
    offer.update()
    assert left(offer) == ["1", "3", "changed", "current", "previous", "seen.json"]


def test_service_is_told_of_a_release_once_it_is_current_and_not_before(offer, monkeypatch):
    told, real = [], offer.shelf.folder.__class__.write_text

    def noted(path, words):
        if path.name == "changed":
            told.append((words, offer.shelf.current))
        return real(path, words)

    for number in (1, 2):
        offer.release(number)
        with monkeypatch.context() as patched:
            patched.setattr(offer.shelf.folder.__class__, "write_text", noted)
            offer.update()
    assert told == [("1", 1), ("2", 2)]


class PowerCut(BaseException):
    """The machine stops here."""


@pytest.mark.parametrize("step", range(1, 5))
def test_power_cut_leaves_a_release_that_is_whole_and_the_next_hour_mends_the_rest(offer, step, monkeypatch):
    offer.release(1)
    offer.update()
    offer.release(2)
    steps = iter(range(1, 9))
    real = offer.shelf.folder.__class__.replace

    def cut(path, target):
        if next(steps) == step:
            raise PowerCut
        return real(path, target)

    with monkeypatch.context() as patched:
        patched.setattr(offer.shelf.folder.__class__, "replace", cut)
        if step <= 3:
            with pytest.raises(PowerCut):
                offer.update()
            assert offer.says == "1.1.0"
    offer.update()
    assert (offer.shelf.current, offer.says) == (2, "1.2.0")
    assert offer.shelf.back() == 1


@pytest.mark.parametrize(
    "url", ["ftp://updates.example/desk", "http://updates.example", "https://u:p@x.example/"]
)
def test_address_that_anybody_could_answer_at_is_refused(url):
    with pytest.raises(InvalidInput):
        ReleaseSource.at(url, [])


@pytest.mark.parametrize(
    "archive",
    [("../x", "0" * 64, 1), ("x", "0" * 63, 1), ("x", "0" * 64, 0), ("x", "0" * 64, 2**40)],
)
def test_archive_that_leads_elsewhere_or_has_no_end_is_no_content(archive):
    with pytest.raises(SignedRefused, match="content"):
        Archive(*archive)
