import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from .errors import VouchError
from .generated import AuthenticatedClient
from .generated.api.events import list_events as endpoint
from .generated.models import EventList
from .generated.types import UNSET

FOLLOW_SECONDS = 2.0
# The number of event ids to remember, to skip repeated events.
REMEMBERED = 10_000

OnRewound = Callable[[VouchError], None]


def list_events(
    client: AuthenticatedClient,
    after: int | None = None,
    *,
    cursor: str | None = None,
    on_rewound: OnRewound | None = None,
) -> Iterator[Any]:
    """Every event after the cursor, up to the latest one, in sequence and without a gap.

    Without a cursor, it starts at the oldest event that Vouch still has. Raises `VouchError` if one is missing. If a
    failover of Vouch's database lost the event of the cursor, it continues from before it and calls `on_rewound` with
    the error. Without `on_rewound` it warns. `after` is only a number and cannot detect a loss.
    """
    return _Reader(client, after, cursor, on_rewound).events()


def follow_events(
    client: AuthenticatedClient,
    after: int | None = None,
    *,
    cursor: str | None = None,
    on_rewound: OnRewound | None = None,
) -> Iterator[Any]:
    """Like `list_events`, then waits for new events. Save the `cursor` of the last event and continue from it.

    Raises `VouchError` with the code `events_expired` if events after the cursor are no longer kept.
    """
    reader = _Reader(client, after, cursor, on_rewound)
    while True:
        yield from reader.events()
        time.sleep(FOLLOW_SECONDS)


class _Reader:
    def __init__(
        self, client: AuthenticatedClient, after: int | None, cursor: str | None, on_rewound: OnRewound | None
    ) -> None:
        self._client = client
        self._cursor = cursor
        self._sequence = after if cursor is None else int(cursor.split("-")[0])
        self._on_rewound = on_rewound or (lambda error: warnings.warn(error.detail, stacklevel=2))
        self._seen: dict[str, None] = {}

    def events(self) -> Iterator[Any]:
        while True:
            try:
                page = self._page()
            except VouchError as error:
                if error.resume_cursor is None or error.resume_cursor == self._cursor:
                    raise
                self._cursor = error.resume_cursor
                self._sequence = int(self._cursor.split("-")[0])
                self._on_rewound(error)
                continue
            for event in page.data:
                if self._sequence is not None and event.sequence != self._sequence + 1:
                    detail = f"Event {event.sequence} came after event {self._sequence}: one is missing."
                    raise VouchError("unexpected_response", detail)
                self._sequence, self._cursor = event.sequence, event.cursor
                if self._is_new(event.id):
                    yield event
            if not page.data or page.data[-1].sequence >= page.last_sequence:
                return

    def _page(self) -> EventList:
        if self._cursor is not None:
            page = endpoint.sync(client=self._client, cursor=self._cursor, limit=1000)
        else:
            after = UNSET if self._sequence is None else self._sequence
            page = endpoint.sync(client=self._client, after=after, limit=1000)
        assert isinstance(page, EventList)  # a failure would have raised
        return page

    def _is_new(self, event_id: str) -> bool:
        if event_id in self._seen:
            return False
        self._seen[event_id] = None
        if len(self._seen) > REMEMBERED:
            del self._seen[next(iter(self._seen))]
        return True
