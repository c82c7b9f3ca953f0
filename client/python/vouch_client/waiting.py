import time
from collections.abc import Callable
from typing import TypeVar

from .errors import VouchError
from .generated import AuthenticatedClient
from .generated.api.kyc import get_wallet_status
from .generated.api.mint_configurations import get_mint_config
from .generated.api.token import get_operation
from .generated.models import MintConfig, Operation, WalletStatus
from .generated.types import UNSET

WAIT_SECONDS = 120.0
FIRST_POLL_SECONDS = 0.5
SLOWEST_POLL_SECONDS = 5.0

T = TypeVar("T")
R = TypeVar("R", Operation, MintConfig)


def wait_for(client: AuthenticatedClient, record: R, timeout: float = WAIT_SECONDS) -> R:
    """Waits until the chain has confirmed an operation, or the mint of a configuration, and returns its record.

    A failed operation raises `VouchError` with its code. When the time is over, the code is `timeout`. It does not wait for
    members who must approve the operation first: the code is `awaiting_approval`.
    """
    if isinstance(record, MintConfig):
        config_id = record.id
        return _poll(
            record,
            lambda: get_mint_config.sync(config_id, client=client),
            lambda one: one.mint is not None,
            timeout,
            f"The mint of {config_id} does not exist",
            "Wait again, or read it later with get_mint_config.",
        )
    operation_id = record.operation_id
    read = lambda: get_operation.sync(operation_id, client=client)  # noqa: E731
    ended = _poll(
        # It may have been approved since.
        read() if record.status == "awaiting_approval" else record,
        read,
        lambda one: one.status in ("confirmed", "failed", "awaiting_approval"),
        timeout,
        f"Operation {operation_id} is not confirmed",
        "Wait again, or read it later with get_operation.",
    )
    if ended.status == "awaiting_approval":
        raise VouchError(
            "awaiting_approval",
            f"Operation {operation_id} waits for other members ({ended.approval_id}). "
            "Wait again once they have approved it: see the event approval.decided, or get_approval.",
            approval_id=ended.approval_id,
        )
    if ended.error is not None:
        raise VouchError(ended.error.error, ended.error.detail)
    return ended


def wait_for_status(
    client: AuthenticatedClient, wallet: str, schema: str | None = None, timeout: float = WAIT_SECONDS
) -> WalletStatus:
    """Waits until a wallet's verification is decided: its status is `verified`, `rejected` or `expired`."""

    def read() -> WalletStatus:
        return get_wallet_status.sync(wallet, client=client, schema=UNSET if schema is None else schema)

    return _poll(
        read(),
        read,
        lambda one: one.status != "pending",
        timeout,
        f"The verification of wallet {wallet} is still pending",
        "Have the investor finish at session_url, then wait again or call get_wallet_status.",
    )


def _poll(
    record: T, read: Callable[[], T], is_done: Callable[[T], bool], timeout: float, not_done: str, next_step: str
) -> T:
    end = time.monotonic() + timeout
    pause = FIRST_POLL_SECONDS
    while not is_done(record):
        left = end - time.monotonic()
        if left <= 0:
            raise VouchError("timeout", f"{not_done} after {timeout:g} seconds. {next_step}")
        time.sleep(min(pause, left))
        pause = min(pause * 1.5, SLOWEST_POLL_SECONDS)
        record = read()
    return record
