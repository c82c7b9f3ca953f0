import json
import random
import re
import time
import uuid
from email.utils import parsedate_to_datetime

import httpx

from .errors import VouchError
from .generated import AuthenticatedClient

MAX_RETRIES = 4
TIMEOUT_SECONDS = 60.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 8.0
# A longer Retry-After raises the error instead of waiting.
LONGEST_RETRY_AFTER_SECONDS = 60.0
# Server errors that no retry can fix, and other errors that may be temporary.
PERMANENT = {"provider_not_configured", "chain_not_configured"}
PASSING = {"rate_limited", "idempotency_in_progress"}

API_KEY = re.compile(r"vouch_(live|test)_[0-9A-Za-z]{30,}")
BASE_URL = re.compile(r"https?://[^\s/?#][^\s?#]*")


def connect(
    base_url: str,
    api_key: str,
    *,
    timeout: float = TIMEOUT_SECONDS,
    max_retries: int = MAX_RETRIES,
) -> AuthenticatedClient:
    """A connection for the synchronous functions of `vouch_client.generated.api`.

    Requests that may succeed later are retried. All attempts of a write share an Idempotency-Key: yours, or a random one.
    An invalid API key or address raises `ValueError`. A request that fails raises `VouchError`. `timeout` applies to one
    attempt, in seconds.
    """
    if not API_KEY.fullmatch(api_key or ""):
        raise ValueError(
            "api_key: must be a whole key, vouch_live_ or vouch_test_ and its secret, without spaces. "
            "Keys are shown once, when they are created."
        )
    base_url = (base_url or "").rstrip("/")
    if not BASE_URL.fullmatch(base_url):
        raise ValueError("base_url: must be an address such as https://vouch.example.com/v1")
    return AuthenticatedClient(
        base_url=base_url if base_url.endswith("/v1") else f"{base_url}/v1",
        token=api_key,
        timeout=httpx.Timeout(timeout),
        httpx_args={"transport": _Retrying(httpx.HTTPTransport(), max_retries)},
    )


class _Retrying(httpx.BaseTransport):
    def __init__(self, transport: httpx.BaseTransport, max_retries: int) -> None:
        self._transport = transport
        self._max_retries = max_retries

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        # All attempts share one key, so that the server runs the request once.
        if request.method != "GET" and "idempotency-key" not in request.headers:
            request.headers["Idempotency-Key"] = str(uuid.uuid4())
        attempt = 0
        while True:
            try:
                return self._once(request)
            except VouchError as error:
                if attempt >= self._max_retries or not _may_pass(error):
                    raise
                time.sleep(_pause(attempt, error.retry_after))
                attempt += 1

    def _once(self, request: httpx.Request) -> httpx.Response:
        try:
            response = self._transport.handle_request(request)
            response.read()
        except httpx.TimeoutException as cause:
            raise VouchError("timeout", f"No response from {_origin(request)} in time.") from cause
        except httpx.TransportError as cause:
            detail = f"The connection to {_origin(request)} failed: {cause}. Check base_url, and that Vouch is running."
            raise VouchError("connection_failed", detail) from cause
        if not response.is_success:
            raise _error_of(response)
        if response.status_code == 202:
            _refuse_awaiting(response)
        return response

    def close(self) -> None:
        self._transport.close()


def _origin(request: httpx.Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc.decode()}"


def _refuse_awaiting(response: httpx.Response) -> None:
    """Raises for an approval in place of the record that the function returns."""
    body = json.loads(response.content)
    if "approval_id" in body and "digest" in body:
        detail = "This needs the approval of other members. Nothing has happened yet. Poll the approval."
        raise VouchError("awaiting_approval", detail, status=202, approval_id=body["approval_id"])


def _error_of(response: httpx.Response) -> VouchError:
    retry_after = _seconds(response.headers.get("retry-after"))
    try:
        body = json.loads(response.content)
        code, detail, request_id = body["error"], body["detail"], body["request_id"]
    except (ValueError, TypeError, KeyError):
        code, request_id = "unexpected_response", response.headers.get("x-request-id")
        detail = f"The response with status {response.status_code} is not the API's."
    return VouchError(
        code,
        detail,
        status=response.status_code,
        request_id=request_id,
        retry_after=retry_after,
        resume_cursor=response.headers.get("resume-cursor"),
    )


def _seconds(header: str | None) -> float | None:
    if not header:
        return None
    if header.isdigit():
        return float(header)
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except ValueError:
        return None


def _may_pass(error: VouchError) -> bool:
    """Whether a retry may succeed. Retrying is always safe: a request only reads, or has an idempotency key."""
    if error.retry_after is not None and error.retry_after > LONGEST_RETRY_AFTER_SECONDS:
        return False
    if error.status is None:
        return True
    return error.code not in PERMANENT if error.status >= 500 else error.code in PASSING


def _pause(attempt: int, retry_after: float | None) -> float:
    """Never earlier than the server says. Otherwise longer each time, with a random part to spread clients."""
    pause = min(FIRST_PAUSE_SECONDS * 2**attempt, LONGEST_PAUSE_SECONDS)
    if retry_after is not None:
        return retry_after + random.random() * pause / 4
    return pause * (0.5 + random.random() / 2)
