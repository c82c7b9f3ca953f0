import time
from collections.abc import Iterator
from typing import Any

from .errors import VouchError
from .generated import AuthenticatedClient
from .generated.api.events import list_events as endpoint
from .generated.models import EventList
from .generated.types import UNSET

FOLLOW_SECONDS = 2.0


def list_events(client: AuthenticatedClient, after: int | None = None) -> Iterator[Any]:
    """Every event after a sequence number, up to the latest one, in sequence and without a gap.

    Without a number, from the first event that is kept. Raises `VouchError` where one is missing.
    """
    while True:
        page = endpoint.sync(client=client, after=UNSET if after is None else after, limit=1000)
        assert isinstance(page, EventList)  # whatever fails has raised
        for event in page.data:
            if after is not None and event.sequence != after + 1:
                detail = f"Event {event.sequence} came after event {after}: one is missing."
                raise VouchError("unexpected_response", detail)
            after = event.sequence
            yield event
        if not page.data or page.data[-1].sequence >= page.last_sequence:
            return


def follow_events(client: AuthenticatedClient, after: int | None = None) -> Iterator[Any]:
    """Every event after a sequence number, and those to come. Keep the last `sequence`, and go on after it.

    Without a number, from the first event that is kept. Raises `VouchError` with the code `events_expired` where events
    after the number are no longer kept.
    """
    while True:
        for event in list_events(client, after):
            after = event.sequence
            yield event
        time.sleep(FOLLOW_SECONDS)
