// Uses a chain from Go, with solana-go: `go run . <rpc> <websocket>`.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/gagliardetto/solana-go"
	"github.com/gagliardetto/solana-go/programs/system"
	"github.com/gagliardetto/solana-go/rpc"
	"github.com/gagliardetto/solana-go/rpc/ws"
)

const sol = solana.LAMPORTS_PER_SOL

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func check(holds bool, what string) {
	if !holds {
		panic(what)
	}
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	client := rpc.New(os.Args[1])
	payer, to := solana.NewWallet(), solana.NewWallet().PublicKey()
	confirmed, max := rpc.CommitmentConfirmed, uint64(0)

	check(must(client.GetHealth(ctx)) == "ok", "health")
	must(client.GetVersion(ctx))
	must(client.GetGenesisHash(ctx))
	must(client.GetSlot(ctx, confirmed))
	must(client.GetBlockHeight(ctx, confirmed))
	must(client.GetEpochInfo(ctx, confirmed))
	must(client.GetEpochSchedule(ctx))
	must(client.GetIdentity(ctx))
	must(client.GetInflationGovernor(ctx, confirmed))
	must(client.GetInflationRate(ctx))
	must(client.GetSlotLeader(ctx, confirmed))
	must(client.GetFirstAvailableBlock(ctx))
	must(client.MinimumLedgerSlot(ctx))
	must(client.GetTransactionCount(ctx, confirmed))
	check(len(must(client.GetClusterNodes(ctx))) == 1, "cluster nodes")
	check(len(must(client.GetVoteAccounts(ctx, nil)).Current) == 1, "vote accounts")
	check(must(client.GetSupply(ctx, confirmed)).Value.Total > 0, "supply")
	must(client.GetLargestAccounts(ctx, confirmed, ""))
	must(client.GetRecentPrioritizationFees(ctx, nil))
	must(client.GetMinimumBalanceForRentExemption(ctx, 165, confirmed))
	must(client.GetProgramAccountsWithOpts(ctx, solana.Token2022ProgramID, &rpc.GetProgramAccountsOpts{Encoding: solana.EncodingBase64}))

	landed := func(signature solana.Signature, want rpc.ConfirmationStatusType) {
		for {
			status := must(client.GetSignatureStatuses(ctx, true, signature)).Value[0]
			if status != nil && (status.ConfirmationStatus == want || status.ConfirmationStatus == rpc.ConfirmationStatusFinalized) {
				return
			}
			check(ctx.Err() == nil, "the transaction did not land")
			time.Sleep(20 * time.Millisecond)
		}
	}
	landed(must(client.RequestAirdrop(ctx, payer.PublicKey(), 10*sol, confirmed)), rpc.ConfirmationStatusConfirmed)
	check(must(client.GetBalance(ctx, payer.PublicKey(), confirmed)).Value == 10*sol, "balance")
	for _, encoding := range []solana.EncodingType{solana.EncodingBase58, solana.EncodingBase64, solana.EncodingBase64Zstd} {
		account := must(client.GetAccountInfoWithOpts(ctx, payer.PublicKey(), &rpc.GetAccountInfoOpts{Encoding: encoding, Commitment: confirmed}))
		check(account.Value.Lamports == 10*sol && account.Value.RentEpoch.String() == "18446744073709551615", "account in "+string(encoding))
	}
	check(len(must(client.GetMultipleAccounts(ctx, payer.PublicKey(), to)).Value) == 2, "accounts")

	wsClient := must(ws.Connect(ctx, os.Args[2]))
	defer wsClient.Close()
	account := must(wsClient.AccountSubscribe(to, confirmed))
	program := must(wsClient.ProgramSubscribeWithOpts(solana.SystemProgramID, confirmed, solana.EncodingBase64, nil))
	logs := must(wsClient.LogsSubscribe(ws.LogsSubscribeFilterAll, confirmed))
	slots := must(wsClient.SlotSubscribe())
	roots := must(wsClient.RootSubscribe())

	transfer := func(lamports uint64) *solana.Transaction {
		blockhash := must(client.GetLatestBlockhash(ctx, confirmed)).Value.Blockhash
		instruction := system.NewTransferInstruction(lamports, payer.PublicKey(), to).Build()
		transaction := must(solana.NewTransaction([]solana.Instruction{instruction}, blockhash, solana.TransactionPayer(payer.PublicKey())))
		must(transaction.Sign(func(solana.PublicKey) *solana.PrivateKey { return &payer.PrivateKey }))
		return transaction
	}
	sent := transfer(sol)
	simulated := must(client.SimulateTransactionWithOpts(ctx, sent, &rpc.SimulateTransactionOpts{Commitment: confirmed}))
	check(simulated.Value.Err == nil && *simulated.Value.UnitsConsumed > 0, "simulation")
	options := rpc.TransactionOpts{PreflightCommitment: confirmed}
	signature := must(client.SendTransactionWithOpts(ctx, sent, options))
	notice := must(wsClient.SignatureSubscribe(signature, confirmed))
	check(must(notice.Recv(ctx)).Value.Err == nil, "signature's notice")
	check(must(account.Recv(ctx)).Value.Lamports == sol, "account's notice")
	check(must(program.Recv(ctx)).Value.Account.Owner == solana.SystemProgramID, "program's notice")
	check(must(logs.Recv(ctx)).Value.Err == nil, "logs' notice")
	must(slots.Recv(ctx))
	must(roots.Recv(ctx))
	_, err := client.SendTransactionWithOpts(ctx, transfer(1_000_000*sol), options)
	check(err != nil, "a transfer of too much was accepted")

	landed(signature, rpc.ConfirmationStatusFinalized)
	for _, encoding := range []solana.EncodingType{solana.EncodingBase64, solana.EncodingBase58} {
		found := must(client.GetTransaction(ctx, signature, &rpc.GetTransactionOpts{Encoding: encoding, MaxSupportedTransactionVersion: &max}))
		check(found.Meta.Err == nil && found.Meta.Fee == 5_000, "transaction in "+string(encoding))
		must(client.GetBlockTime(ctx, found.Slot))
		must(client.GetBlockWithOpts(ctx, found.Slot, &rpc.GetBlockOpts{MaxSupportedTransactionVersion: &max}))
	}
	parsed := must(client.GetParsedTransaction(ctx, signature, &rpc.GetParsedTransactionOpts{MaxSupportedTransactionVersion: &max}))
	check(parsed.Transaction.Message.Instructions[0].Parsed != nil, "parsed transaction")
	listed := must(client.GetSignaturesForAddress(ctx, to))
	check(len(listed) == 1 && listed[0].Signature == signature, "history")
	fmt.Println("solana-go: every call succeeded")
}
