"""What is still asked for each hour when a schedule is over: so long a judge waits."""

from tests.chaos.small_world.scene import Scene


def residues(scene: Scene) -> list[str]:
    """Return which keys still open somewhere although they should not, as the ledger owns."""
    grants = (row["grant"] for row in scene.rows("grants").values())
    residual = (grant for grant in grants if grant["state"]["type"] == "residual")
    return [f"{grant['credential_id']} still opens {grant['device_id']}" for grant in residual]


def changing(scene: Scene) -> list[str]:
    """Return which keys are still to become what they were changed to, or to wake."""
    entries = scene.rows("credentials").values()
    amended = [each["credential"]["core"]["id"] for each in entries if each.get("amends")]
    asleep = [
        each["credential"]["core"]["id"]
        for each in entries
        if each["credential"]["state"]["type"] == "suspended" and not each.get("holds")
    ]
    return [*amended, *asleep]


def unsettled(scene: Scene) -> list[str]:
    """Return which keys are asked for each hour."""
    return [*residues(scene), *changing(scene)]


def told_to_people(scene: Scene) -> bool:
    """Say whether a key cannot be what it is to be, its PIN being another's at a lock, and people know it."""
    keys = set(changing(scene))
    last = [
        row["calls"][-1]["answer"]
        for row in scene.rows("grants").values()
        if row["credential_id"] in keys and row["calls"]
    ]
    return "pin_taken" in last and "will not open as they are to" in scene.words
