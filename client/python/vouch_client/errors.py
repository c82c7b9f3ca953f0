class VouchError(Exception):
    """Why a request failed, once it is not retried any more.

    `code` is one of the API's error codes, or `connection_failed`, `timeout` or `unexpected_response`. `status` is None
    without a response, and for an operation that failed later.
    """

    def __init__(
        self,
        code: str,
        detail: str,
        *,
        status: int | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
        resume_cursor: str | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}" + (f" ({request_id})" if request_id else ""))
        self.code = code
        self.detail = detail
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        """Seconds after which the server would have the request again."""
        self.resume_cursor = resume_cursor
        """With `events_rewound`: the cursor to read on from."""


class WebhookError(Exception):
    """A webhook that was not sent by Vouch, or too long ago: respond 401, and act on nothing in it."""
