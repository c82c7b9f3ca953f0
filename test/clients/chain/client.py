"""Uses a chain from Python, with solana-py and solders: `python client.py <rpc> <websocket>`."""
import asyncio
import sys

from solana.rpc.api import Client
from solana.rpc.commitment import Confirmed, Finalized
from solana.rpc.core import RPCException
from solana.rpc.types import TokenAccountOpts, TxOpts
from solana.rpc.websocket_api import connect
from solders.hash import Hash
from solders.keypair import Keypair
from solders.message import Message, MessageV0
from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import Transaction, VersionedTransaction

rpc, websocket = sys.argv[1:3]
client = Client(rpc, commitment=Confirmed)
payer, to = Keypair(), Keypair().pubkey()
MEMO = Pubkey.from_string("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
TOKEN_2022 = Pubkey.from_string("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")

assert client.is_connected()
assert client.get_version().value.solana_core
assert client.get_genesis_hash().value != Hash.default()
for read in (client.get_slot, client.get_block_height, client.get_epoch_info, client.get_transaction_count):
    assert read(Finalized).value is not None
assert client.get_epoch_schedule().value.slots_per_epoch > 0
assert client.get_cluster_nodes().value[0].pubkey == client.get_identity().value.identity
assert len(client.get_vote_accounts().value.current) == 1
assert client.get_supply().value.total > 0
assert client.get_inflation_rate().value.epoch == client.get_epoch_info().value.epoch
assert client.get_inflation_governor().value is not None
assert client.get_largest_accounts().value
assert client.get_first_available_block().value >= 0
assert client.get_minimum_ledger_slot().value >= 0
assert client.get_minimum_balance_for_rent_exemption(165).value > 0
assert client.get_slot_leader().value == client.get_identity().value.identity
assert client.get_fee_for_message(Message([], payer.pubkey())).value is None
assert client.get_recent_performance_samples(1) is not None

airdrop = client.request_airdrop(payer.pubkey(), 10_000_000_000).value
client.confirm_transaction(airdrop, Confirmed, sleep_seconds=0.05)
assert client.get_balance(payer.pubkey()).value == 10_000_000_000

account = client.get_account_info(payer.pubkey()).value
assert account.lamports == 10_000_000_000 and account.rent_epoch == 2**64 - 1
for encoding in ("base64", "base64+zstd", "jsonParsed"):
    assert client.get_account_info(payer.pubkey(), encoding=encoding).value.lamports == 10_000_000_000
assert client.get_account_info(to).value is None
assert client.get_account_info_json_parsed(payer.pubkey()).value is not None
assert len(client.get_multiple_accounts([payer.pubkey(), to]).value) == 2
client.get_program_accounts(TOKEN_2022)
assert client.get_token_accounts_by_owner(payer.pubkey(), TokenAccountOpts(program_id=TOKEN_2022)).value == []

blockhash = client.get_latest_blockhash().value.blockhash
assert client.is_blockhash_valid(blockhash).value if hasattr(client, "is_blockhash_valid") else True
legacy = Transaction([payer], Message([transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=to, lamports=1_000_000_000))], payer.pubkey()), blockhash)
first = client.send_transaction(legacy, TxOpts(preflight_commitment=Confirmed)).value
client.confirm_transaction(first, Confirmed, sleep_seconds=0.05)
v0 = VersionedTransaction(MessageV0.try_compile(payer.pubkey(), [transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=to, lamports=2_000_000))], [], blockhash), [payer])
simulated = client.simulate_transaction(v0).value
assert simulated.err is None and simulated.units_consumed > 0
second = client.send_transaction(v0, TxOpts(preflight_commitment=Confirmed)).value
client.confirm_transaction(second, Confirmed, sleep_seconds=0.05)
assert client.get_balance(to).value == 1_002_000_000

for encoding in ("json", "jsonParsed", "base64"):
    found = client.get_transaction(second, encoding=encoding, commitment=Confirmed, max_supported_transaction_version=0).value
    assert found.transaction.meta.err is None and found.transaction.meta.fee == 5_000
assert client.get_transaction(Signature.default()).value is None
listed = client.get_signatures_for_address(payer.pubkey(), commitment=Confirmed).value
assert [one.signature for one in listed] == [second, first, airdrop]
older = client.get_signatures_for_address(payer.pubkey(), before=second, commitment=Confirmed).value
assert [one.signature for one in older] == [first, airdrop]
statuses = client.get_signature_statuses([first, Signature.default()], search_transaction_history=True).value
assert statuses[0].err is None and statuses[1] is None
client.confirm_transaction(second, Finalized, sleep_seconds=0.05)
slot = client.get_transaction(second, max_supported_transaction_version=0).value.slot
assert client.get_block(slot, max_supported_transaction_version=0).value.transactions
assert client.get_block_time(slot).value > 0
assert slot in client.get_blocks(slot, slot).value

too_much = Transaction([payer], Message([transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=to, lamports=10**15))], payer.pubkey()), client.get_latest_blockhash().value.blockhash)
try:
    client.send_transaction(too_much, TxOpts(preflight_commitment=Confirmed))
    raise AssertionError("a transfer of too much was accepted")
except RPCException as error:
    assert error.args[0].data.err is not None and error.args[0].data.logs


async def subscriptions():
    async with connect(websocket) as socket:
        received = set()

        async def receive():
            received.update(type(one).__name__ for one in await socket.recv())

        async def subscribe(begin):
            # The node may read the transaction, which comes over another connection, before it reads this request.
            received.discard("SubscriptionResult")
            await begin
            while "SubscriptionResult" not in received:
                await receive()

        await subscribe(socket.account_subscribe(to, Confirmed, encoding="base64+zstd"))
        await subscribe(socket.program_subscribe(Pubkey.default(), Confirmed, encoding="base64"))
        await subscribe(socket.logs_subscribe(commitment=Confirmed))
        await subscribe(socket.slot_subscribe())
        await subscribe(socket.root_subscribe())
        message = transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=to, lamports=3_000_000))
        sent = Transaction([payer], Message([message], payer.pubkey()), client.get_latest_blockhash().value.blockhash)
        await subscribe(socket.signature_subscribe(sent.signatures[0], Confirmed))
        client.send_transaction(sent, TxOpts(skip_preflight=True))
        while not received >= {f"{one}Notification" for one in ("Account", "Program", "Logs", "Slot", "Root", "Signature")}:
            await receive()


# Slots arrive as long as the node runs, so a limit for each message would never end the wait for another kind.
asyncio.run(asyncio.wait_for(subscriptions(), 60))
print("solana-py: every call succeeded")
