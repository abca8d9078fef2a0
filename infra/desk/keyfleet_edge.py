"""How a release of the agent is made: built as one folder, packed, and offered under a signature.

    python -m infra.desk.keyfleet_edge build --into out
    python -m infra.desk.keyfleet_edge offer out/keyfleet-edge --into out --number 12 --version 1.4.0 --key K

What lies in `out` afterwards, the archive and `release.json`, goes to where desks look for it.
"""

import hashlib
import subprocess
import sys
import tarfile
from datetime import datetime, timedelta
from pathlib import Path
from typing import Annotated, Final

import typer
from nacl.signing import SigningKey

from edge_agent.release.manifest import Archive, Release
from edge_agent.release.update import MANIFEST, this_kind
from shared.kernel.ambient import SystemClock

SPEC: Final = Path(__file__).with_name("keyfleet-edge.spec")
GOOD_FOR: Final = timedelta(days=30)
"""A manifest is signed anew within this time, for a desk believes no older one to be news."""
app = typer.Typer(no_args_is_help=True, pretty_exceptions_enable=False)


def built(into: Path) -> Path:
    """Build the agent's folder for this kind of machine, and return it."""
    command = [sys.executable, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN"]
    command += ["--distpath", str(into), "--workpath", str(into / "work"), str(SPEC)]
    subprocess.run(command, check=True)  # noqa: S603 - our own spec
    return into / "keyfleet-edge"


def packed(folder: Path, into: Path, version: str) -> Archive:
    """Pack a folder as a desk unpacks it, and return what the manifest says of it."""
    path = into / f"keyfleet-edge-{version}-{this_kind()}.tar.gz"
    with tarfile.open(path, "w:gz") as out:
        for each in sorted(folder.iterdir()):
            out.add(each, each.name)
    content = path.read_bytes()
    return Archive(path.name, hashlib.sha256(content).hexdigest(), len(content))


def offered(release: Release, into: Path, maker: SigningKey) -> Path:
    """Write a release's manifest beside its archives, whole, and return where it is."""
    half, whole = into / f"{MANIFEST}.half", into / MANIFEST
    half.write_bytes(release.sign(maker))
    return half.replace(whole)


@app.command("build")
def build_folder(into: Annotated[Path, typer.Option(help="Where the folder is made.")]) -> None:
    """Build the agent as one folder."""
    typer.echo(built(into))


@app.command("offer")
def offer_release(
    folder: Annotated[Path, typer.Argument(help="What was built.")],
    into: Annotated[Path, typer.Option(help="Where archive and manifest are written.")],
    number: Annotated[int, typer.Option(help="Higher than that of every release before.")],
    version: Annotated[str, typer.Option(help="What the release says of itself.")],
    key: Annotated[Path, typer.Option(help="The maker's secret key: 32 bytes in hex.")],
) -> None:
    """Pack a folder and sign its manifest."""
    now: datetime = SystemClock().now()
    archives = {this_kind(): packed(folder, into, version)}
    release = Release(number=number, version=version, issued=now, until=now + GOOD_FOR, archives=archives)
    maker = SigningKey(bytes.fromhex(key.read_text().strip()))
    typer.echo(offered(release, into, maker))
    typer.echo(f"Desks take it by --maker {bytes(maker.verify_key).hex()}")


if __name__ == "__main__":
    app()
