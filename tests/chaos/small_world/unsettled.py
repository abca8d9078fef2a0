"""What is still asked for each hour when a schedule is over: so long a judge waits."""

from shared.domain.grant import name_at_vendor
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


def told_to_people(scene: Scene) -> set[str]:
    """Return what may be said of keys that cannot be what they are to be: another's PIN is at a lock.

    People must know it of each such key: its own id, what is said of its stay's rooms for want of it, and of
    those of its doors that open as they are to, while it is not awake as a whole.
    """
    keys, rows = set(changing(scene)), scene.rows("grants").values()
    taken = {
        row["credential_id"]
        for row in rows
        if row["credential_id"] in keys and row["calls"] and row["calls"][-1]["answer"] == "pin_taken"
    }
    alarms = [line for line in scene.words.splitlines() if "can have no other key" in line]
    known = {key for key in taken if any(key in line for line in alarms)}
    cores = [scene.rows("credentials")[key]["credential"]["core"] for key in known]
    cores = [core for core in cores if "reservation_id" in core["holder"]]
    rooms = {f"{core['holder']['reservation_id']}: its keys are for" for core in cores}
    return known | rooms | {f"{_place(row)} is at the lock" for row in rows if _opens(row, known)}


def _opens(row, keys):
    placed = row["grant"]["state"]["type"] == "placed" and row.get("wish", "open") == "open"
    return row["credential_id"] in keys and placed


def _place(row):
    return row["grant"]["device_id"], name_at_vendor(row["grant"]["vendor_key"])
