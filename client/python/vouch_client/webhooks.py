import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any

from .errors import WebhookError

TOLERANCE_SECONDS = 300


def unwrap_event(
    body: bytes | str,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE_SECONDS,
    now: float | None = None,
) -> dict[str, Any]:
    """Checks that a webhook comes from Vouch (Standard Webhooks), and returns its event. Raises `WebhookError` otherwise.

    `body` is the raw body, byte for byte. `secret` is the endpoint's (`whsec_…`), or several during a rotation.
    An event can arrive more than once: remember each `id`. A test event has the type `webhook.test`.
    """
    lower = {name.lower(): value for name, value in headers.items()}
    values = []
    for name in ("webhook-id", "webhook-timestamp", "webhook-signature"):
        if not lower.get(name):
            raise WebhookError(f"{name}: this header is missing")
        values.append(lower[name])
    message_id, timestamp, signatures = values
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise WebhookError("webhook-timestamp: must be seconds since 1970")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        raise WebhookError("webhook-timestamp: too old, or too far in the future")
    content = body.encode() if isinstance(body, str) else body
    signed = f"{message_id}.{timestamp}.".encode() + content
    given = [one[3:].encode() for one in signatures.split(" ") if one.startswith("v1,")]
    secrets = [secret] if isinstance(secret, str) else secret
    expected = [base64.b64encode(hmac.digest(_bytes(one), signed, hashlib.sha256)) for one in secrets]
    if not any(hmac.compare_digest(one, signature) for one in expected for signature in given):
        raise WebhookError("webhook-signature: no signature matches this body and secret")
    try:
        return json.loads(content.decode())
    except ValueError as cause:
        raise WebhookError("The body is not JSON.") from cause


def _bytes(secret: str) -> bytes:
    try:
        decoded = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
    except binascii.Error:
        decoded = b""
    if not decoded:
        raise ValueError("secret: must be whsec_ and base64")
    return decoded
