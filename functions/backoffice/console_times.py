"""Times on a hotel's page are its wall clock's, with how far that is from UTC; what UTC has is the tooltip.

Whoever writes a screen writes an instant; which hotel is looked at, the page knows.
"""

import re
from datetime import datetime
from typing import Final

from shared.domain.window import zone_named

_TIME: Final = re.compile(r'<time dir="ltr" datetime="([^"<>]+)">([^<]+ UTC)</time>')
"""As the paper writes an instant; a stranger's text is escaped, and looks like none."""


def on_the_wall(page: str, zone: str) -> str:
    """Return markup with its instants as a hotel's clock shows them; without a zone, as they were."""
    if not zone:
        return page
    clock = zone_named(zone)

    def told(found: re.Match[str]) -> str:
        at = datetime.fromisoformat(found[1]).astimezone(clock)
        offset = f"{at:%z}"
        said = f"{at:%Y-%m-%d %H:%M:%S} {offset[:3]}:{offset[3:]}"
        return f'<time dir="ltr" datetime="{found[1]}" title="{found[2]}">{said}</time>'

    return _TIME.sub(told, page)
