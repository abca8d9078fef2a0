"""What changed nothing, and why: where a guest may be shut out or let in by that, it is an alarm."""

from shared.domain.instants import instant_to_text
from shared.domain.reactions import Action
from shared.ledger.booking_notes import BookingEventNote, in_order
from shared.ledger.course import OVER, Course
from shared.ledger.reservation import Reservation, Status
from shared.usecases.stays.booking import Hearing


def why_ignored(note: BookingEventNote, record: Reservation, course: Course) -> str:
    """Say why an event changes nothing."""
    if course.status in OVER or record.status in OVER:
        status = f"the stay is {record.status.value.replace('_', ' ')}"
        return f"{status}{_not_reopened(note, record, course)}"
    return _older(note, record) or "the stay is as it says already"


def _not_reopened(note: BookingEventNote, record: Reservation, course: Course) -> str:
    """Say what else keeps a confirmation that is newer than the ending from making it a stay again."""
    ended, order = course.ended, in_order(record.told)
    newer = {each.event_id for each in order[order.index(ended) :]} if ended in order else set[str]()
    if note.action is not Action.ISSUE or ended is None or note.event_id not in newer:
        return ""
    if note.ahead and not ended.ahead:
        return ", and a date that is ahead of the clock does not reopen it"
    return " since before this was heard, and only a higher version reopens it"


def _older(note: BookingEventNote, record: Reservation) -> str | None:
    order = in_order(record.told)
    names = [each.event_id for each in order]
    newer = order[names.index(note.event_id) + 1 :] if note.event_id in names else order
    if not newer:
        return None
    versions = [each.standing.version for each in newer if each.standing.version is not None]
    mine = note.standing.version
    if mine is not None and versions and max(versions) > mine:
        return f"older than version {max(versions)}"
    last = newer[-1]
    if last.standing.time == note.standing.time:
        return f"of the same moment as {last.event_id}, which counts"
    return f"older than what was heard of {instant_to_text(last.standing.time)}"


def alarm_of_ignored(it: Hearing, record: Reservation, course: Course, because: str) -> None:
    """Alarm of an ending that ended nothing while there are keys, and of a confirmation that made none."""
    if it.note.action is Action.REVOKE and course.status is Status.CONFIRMED and record.credentials:
        it.services.log.alert(
            "an ending changed nothing: the stay goes on, and so do its keys",
            runbook="lock/ignored-event",
            **_about(it, because),
            remedy="if the stay is over, publish its ending again, with a higher version or the present time",
        )
    if it.note.action is Action.ISSUE and (course.status in OVER or not record.credentials):
        it.services.log.alert(
            "a confirmation made no key, and the stay has none",
            runbook="lock/ignored-event",
            **_about(it, because),
            remedy="if the guest is to come, publish the confirmation again, with a higher version",
        )


def alarm_of_reuse(it: Hearing) -> None:
    """Alarm of two events with one id: only the first was heeded."""
    it.services.log.alert(
        "an event bears the id of another: it was not heeded",
        runbook="lock/ignored-event",
        **_about(it, "its id was heard before, with other content"),
        remedy="mend the producer, and publish the event again under an id of its own",
    )


def _about(it: Hearing, because: str) -> dict[str, str]:
    return {
        "tenantId": it.booking.tenant,
        "reservationId": it.booking.reservation,
        "eventId": it.booking.id,
        "subject": it.booking.subject,
        "because": because,
    }
