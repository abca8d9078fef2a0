"""Card encoder sessions at a front desk: B §2.13."""

from shared.events.wire import Code, DesktopId, EncoderSessionId, Instant, Maybe, PropertyId, Published


class EncoderSessionOpenedV1(Published):
    """A desk took hold of its encoder."""

    encoder_session_id: EncoderSessionId
    property_id: PropertyId
    desktop_device_id: DesktopId
    encoder_model: Code
    transport: Code
    opened_at: Instant


class EncoderSessionClosedV1(Published):
    """A desk let go of its encoder, or lost it."""

    encoder_session_id: EncoderSessionId
    closed_at: Instant
    close_reason: Code
    property_id: Maybe[PropertyId] = None
