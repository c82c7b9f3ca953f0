class VouchError(Exception):
    """Why a request failed, after all retries.

    `code` is one of the API's error codes, or `connection_failed`, `timeout` or `unexpected_response`. `status` is None
    without a response, and for an operation that failed later.

    With `awaiting_approval`, nothing is wrong: a policy of the workspace requires other members, and nothing has happened
    yet. Poll the approval with the id `approval_id`.
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
        approval_id: str | None = None,
    ) -> None:
        super().__init__(f"{code}: {detail}" + (f" ({request_id})" if request_id else ""))
        self.code = code
        self.detail = detail
        self.status = status
        self.request_id = request_id
        self.retry_after = retry_after
        """Seconds to wait before a retry, if the server says so."""
        self.resume_cursor = resume_cursor
        """With `events_rewound`: the cursor to continue from."""
        self.approval_id = approval_id
        """With `awaiting_approval`: the approval to poll."""


class WebhookError(Exception):
    """A webhook that Vouch did not send, or that is too old. Respond with 401 and ignore its content."""
