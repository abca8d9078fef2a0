"""What a demo is made of: scenes, each a title, a sentence, and the acts that prove something."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from rich.text import Text

from infra.cli.answer import line, plain
from infra.cli.demo.claim import Claim, Proof
from infra.cli.demo.stage import Stage
from infra.cli.polling import OutOfPatience
from infra.cli.problems import Problem


@dataclass(frozen=True, slots=True)
class Act:
    """Something that is done, and what must then be so."""

    name: str
    claim: str
    play: Callable[[Stage], Proof]


@dataclass(frozen=True, slots=True)
class Scene:
    """Acts that belong together, and what is going on in them."""

    title: str
    tells: str
    acts: tuple[Act, ...]

    def said(self) -> Text:
        """Return the scene's heading."""
        return line("\n", plain(self.title, "bold"), f"\n{self.tells}")


def played(scenes: Sequence[Scene], stage: Stage) -> Iterator[Scene | Claim]:
    """Play scene after scene; each act leaves a claim, and the first that does not hold is the last."""
    for scene in scenes:
        yield scene
        for act in scene.acts:
            claim = _played(act, stage)
            yield claim
            if not claim.held:
                return


def _played(act: Act, stage: Stage) -> Claim:
    """Play one act; what fails or does not come in time did not hold."""
    began = stage.patience.seconds()
    try:
        proof = act.play(stage)
    except OutOfPatience as late:
        proof = Proof(False, {"happened": str(late)})
    except Problem as problem:
        proof = Proof(False, {"happened": problem.message, "remedy": problem.remedy})
    seconds = round(stage.patience.seconds() - began, 3)
    return Claim(act.name, act.claim, proof.held, seconds, proof.seen, proof.detail)
