"""Client of Vouch. `vouch_client.generated.api` has a function for each endpoint. This module has what they need.

    from vouch_client import connect
    from vouch_client.generated.api.token import mint_tokens
    from vouch_client.generated.models import MintTokensRequest

    vouch = connect("https://vouch.example.com/v1", api_key)
    operation = mint_tokens.sync(client=vouch, body=MintTokensRequest("<wallet>", "<token>", "1000"))
"""

from .client import connect
from .errors import VouchError, WebhookError
from .events import follow_events, list_events
from .waiting import wait_for, wait_for_status
from .webhooks import unwrap_event

__all__ = [
    "VouchError",
    "WebhookError",
    "connect",
    "follow_events",
    "list_events",
    "unwrap_event",
    "wait_for",
    "wait_for_status",
]
