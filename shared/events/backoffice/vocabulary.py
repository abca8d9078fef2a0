"""The words of telemetry: every text is an id, a code, a hash or a version, so that no name fits in."""

from typing import Annotated, Final, Literal

from pydantic import Field, StrictInt, StringConstraints

from shared.events.wire import foreign_id, own_id

OperatorId = Annotated[str, foreign_id("opr")]
SessionId = Annotated[str, own_id("bos")]
PropId = Annotated[str, foreign_id("prop")]
RequestId = Annotated[str, foreign_id("req")]
SuggestionId = Annotated[str, foreign_id("sg")]
SuggestionEntryId = Annotated[str, foreign_id("aim")]
AlertId = Annotated[str, foreign_id("alt")]
AlertEntryId = Annotated[str, foreign_id("ali")]
Cursor = Annotated[str, StringConstraints(pattern="^ck_v[1-9][0-9]?_[0-9A-Za-z_-]{1,128}$")]
ResourceId = Annotated[str, StringConstraints(pattern="^[a-z]{2,12}_[0-9A-Za-z_-]{1,64}$")]
"""An id with the prefix of its kind: a telephone number or a name is none."""

Role = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9_]{0,63}$")]
Locale = Annotated[str, StringConstraints(pattern="^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$")]
AppVersion = Annotated[
    str, StringConstraints(pattern="^[0-9]{1,4}(\\.[0-9]{1,4}){1,3}(-[a-z]{1,8}(\\.[0-9]{1,4})?)?$")
]
Platform = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9]{1,15}$")]
Instance = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9]*(-[a-z0-9]+){1,9}$", max_length=128)]
Cause = Annotated[str, StringConstraints(pattern="^[a-z]{2,12}_[0-9A-Za-z_-]{1,64}$")]
"""What made an event, or what it belongs to: an event's or a request's id."""
Capability = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9]*(-[a-z0-9]+){0,5}$", max_length=40)]
ErrorCode = Annotated[str, StringConstraints(pattern="^MELMASTOON(\\.[A-Z][A-Z0-9_]*){1,5}$", max_length=96)]
PepperId = Annotated[str, StringConstraints(pattern="^p[1-9][0-9]{0,5}$")]
ModelName = Annotated[str, StringConstraints(pattern="^[a-z][a-z0-9]*([.-][a-z0-9]+){0,8}$", max_length=64)]
Rate = Annotated[float, Field(ge=0, le=1)]
Load = Annotated[float, Field(ge=0, le=6400)]
Milliseconds = Annotated[StrictInt, Field(ge=0, le=2**53 - 1)]

RenderMode = Literal["composed", "cached"]
View = Literal["arrivals", "departures", "in_house", "today", "housekeeping_board", "maintenance_board"]
CloseReason = Literal["sign_out", "expired", "revoked", "device_replaced", "version_upgrade"]
Outcome = Literal["success", "failure", "partial"]
MOST: Final = 200
"""The longest list in a payload."""
