"""Uses the Python client to verify, mint, transfer, revoke and read every event. Also checks that the samples of the
reference fit the generated functions. Arguments: origin, API key, a file with the samples as a JSON array."""

import base64
import hashlib
import hmac
import json
import secrets
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

import httpx

from vouch_client import VouchError, WebhookError, connect, follow_events, list_events, unwrap_event, wait_for, wait_for_status
from vouch_client.generated import AuthenticatedClient
from vouch_client.generated.api.approvals import create_approval_policy, list_approval_policies, list_approvals
from vouch_client.generated.api.attestation import revoke_attestation
from vouch_client.generated.api.kyc import decide_test_session, get_wallet_status, start_verification
from vouch_client.generated.api.token import get_balance, mint_tokens, transfer_tokens
from vouch_client.generated.api.usage import get_key, get_usage
from vouch_client.generated.models import (
    CreateApprovalPolicyRequest,
    DecideTestSessionRequest,
    MintTokensRequest,
    Operation,
    RevokeAttestationRequest,
    StartVerificationRequest,
    TransferTokensRequest,
)

origin, api_key, samples = sys.argv[1:]
SCHEMA, FUND = "kyc_individual_v1", "us_real_estate_fund_v1"
DIGITS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

KEY = "vouch_test_4MpXbW9sYt2KcQvLhRz7JdK8vPq3mNbR5tYw2L0"


def new_wallet() -> str:
    number, text = int.from_bytes(b"\x7f" + secrets.token_bytes(31)), ""
    while number:
        number, digit = divmod(number, 58)
        text = DIGITS[digit] + text
    return text


def samples_fit() -> None:
    """Runs each sample without sending its request: names, arguments and bodies must match the client."""
    sent = []

    def refuse(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        body = {"error": "internal_error", "detail": "Not sent.", "request_id": "req_none"}
        return httpx.Response(500, json=body)

    transport = httpx.MockTransport(refuse)
    vouch = AuthenticatedClient(base_url=origin, token=api_key, httpx_args={"transport": transport})
    with open(samples) as file:
        codes = json.load(file)
    for code in codes:
        exec(compile(code, "sample", "exec"), {"vouch": vouch, "print": lambda answer: None})
    assert len(sent) == len(codes) > 30


def refusal(call) -> VouchError:
    try:
        call()
    except VouchError as error:
        return error
    raise AssertionError("the request was not refused")


def journey() -> None:
    vouch = connect(origin, api_key)
    assert get_key.sync(client=vouch).mode == "test"
    known = list(list_events(vouch))
    last = known[-1].sequence if known else 0

    alice, bob = new_wallet(), new_wallet()
    for wallet in (alice, bob):
        session = start_verification.sync(client=vouch, body=StartVerificationRequest(wallet, SCHEMA))
        decision = DecideTestSessionRequest.from_dict({"decision": "approved", "claims": {"country": "US", "accredited": True}})
        decide_test_session.sync(session.session_id, client=vouch, body=decision)
        assert wait_for_status(vouch, wallet).status == "verified"

    mint, key = MintTokensRequest(alice, FUND, "1000"), secrets.token_hex()
    minted = mint_tokens.sync(client=vouch, body=mint, idempotency_key=key)
    assert minted.operation_id == mint_tokens.sync(client=vouch, body=mint, idempotency_key=key).operation_id
    move = TransferTokensRequest(alice, bob, FUND, "250.5")
    moved = wait_for(vouch, transfer_tokens.sync(client=vouch, body=move, prefer="respond-async"))
    assert moved.status == "confirmed"
    balances = [get_balance.sync(one, client=vouch, mint_config=FUND).amount for one in (alice, bob)]
    assert balances == ["749.5", "250.5"], balances

    approvals(vouch, minted)

    attestation_id = get_wallet_status.sync(bob, client=vouch).attestation_id
    revoke_attestation.sync(attestation_id, client=vouch, body=RevokeAttestationRequest("A match"))
    refused = refusal(lambda: transfer_tokens.sync(client=vouch, body=move))
    assert (refused.code, refused.status) == ("wallet_not_verified", 403), refused
    assert refused.request_id.startswith("req_")

    events, end = [], time.monotonic() + 20
    while not any(event.type_ == "attestation.rejected" for event in events):
        assert time.monotonic() < end, [event.type_ for event in events]
        events += list_events(vouch, events[-1].sequence if events else last)
    assert [event.sequence for event in events] == list(range(last + 1, last + 1 + len(events)))
    assert sum(event.type_ == "operation.confirmed" for event in events) == 2
    assert next(follow_events(vouch)).sequence == (known + events)[0].sequence

    refused = "VouchTestUnreadab1eDocument1111111111111116"
    start_verification.sync(client=vouch, body=StartVerificationRequest(refused, SCHEMA))
    assert wait_for_status(vouch, refused).status == "rejected"


def approvals(vouch: AuthenticatedClient, minted: Operation) -> None:
    """`wait_for` does not wait for members, but reads an operation again that they may have approved."""
    waiting = {**minted.to_dict(), "status": "awaiting_approval", "approval_id": "apr_4MpXbW9sYt2KcQvLhRz7Jd"}
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json=waiting))
    asking = AuthenticatedClient(base_url=origin, token=api_key, httpx_args={"transport": transport})
    begun = Operation.from_dict(waiting)
    refused = refusal(lambda: wait_for(asking, begun))
    assert (refused.code, refused.approval_id) == ("awaiting_approval", waiting["approval_id"]), refused
    assert wait_for(vouch, begun).status == "confirmed"

    # The account of a new server has no other member.
    policy = CreateApprovalPolicyRequest.from_dict({"actions": ["mint"], "approvals": 1})
    refused = refusal(lambda: create_approval_policy.sync(client=vouch, body=policy))
    assert refused.code == "approver_missing", refused
    assert list_approvals.sync(client=vouch, state="pending").data == []
    assert list_approval_policies.sync(client=vouch).data == []


def retries() -> None:
    """A write that gets no response is sent again with the same key; an error that a retry cannot fix is not."""
    seen: list[str | None] = []
    answers = [None, (503, "server_busy"), (429, "rate_limited"), (503, "chain_not_configured")]

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            seen.append(self.headers["idempotency-key"])
            answer = answers[len(seen) - 1]
            if answer is None:
                return self.close_connection_at_once()
            body = json.dumps({"error": answer[1], "detail": "Wait.", "request_id": "req_1"}).encode()
            self.send_response(answer[0])
            self.send_header("Retry-After", "0")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def close_connection_at_once(self) -> None:
            self.close_connection = True

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    vouch = connect(f"http://127.0.0.1:{server.server_port}/v1/", KEY)
    body = MintTokensRequest("w", FUND, "1")
    refused = refusal(lambda: mint_tokens.sync(client=vouch, body=body))
    assert refused.code == "chain_not_configured", refused
    assert len(seen) == 4 and len(set(seen)) == 1 and seen[0], seen
    assert KEY not in repr(refused)
    server.shutdown()
    server.server_close()
    gone = connect(f"http://127.0.0.1:{server.server_port}", KEY, max_retries=0)
    failed = refusal(lambda: get_usage.sync(client=gone))
    assert failed.code == "connection_failed", failed
    assert f"http://127.0.0.1:{server.server_port} failed: " in failed.detail, failed
    for base_url, api_key in [("http://localhost", "vouch_test_…"), ("http://localhost", ""), ("localhost", KEY), ("", KEY)]:
        try:
            connect(base_url, api_key)
        except ValueError as wrong:
            assert str(wrong).startswith(("api_key: must be", "base_url: must be")), wrong
        else:
            raise AssertionError(f"accepted {base_url!r} with {api_key!r}")


def webhooks() -> None:
    key, body, now = secrets.token_bytes(32), '{"id":"evt_1","type":"webhook.test"}', 1_800_000_000
    secret, other = ("whsec_" + base64.b64encode(one).decode() for one in (key, secrets.token_bytes(32)))
    mac = base64.b64encode(hmac.digest(key, f"evt_1.{now}.{body}".encode(), hashlib.sha256)).decode()
    headers = {"Webhook-Id": "evt_1", "Webhook-Timestamp": str(now), "Webhook-Signature": f"v1,abc v1,{mac}"}
    assert unwrap_event(body, headers, [other, secret], now=now + 300)["type"] == "webhook.test"
    wrong = [
        (body + " ", headers, secret, now),
        (body, headers, other, now),
        (body, headers, secret, now + 301),
        (body, headers, secret, now - 301),
        (body, {**headers, "Webhook-Id": "evt_2"}, secret, now),
        (body, {**headers, "Webhook-Timestamp": "now"}, secret, now),
        (body, {**headers, "Webhook-Signature": mac}, secret, now),
        (body, {"Webhook-Id": "evt_1"}, secret, now),
    ]
    for text, sent, by, at in wrong:
        try:
            unwrap_event(text, sent, by, now=at)
        except WebhookError:
            continue
        raise AssertionError(f"taken: {text} {sent} {at}")


samples_fit()
webhooks()
retries()
journey()
