import { createTransferCheckedInstruction, getMint, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { describe, expect, test } from "vitest"
import { type Operation, verifyForced } from "#client/index.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { addressOf, tokenAccountOf } from "#server/solana/addresses.ts"
import { memo } from "#server/solana/memo.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { sendOwn } from "#test/fixtures/own-transaction.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { strangerWithSol } from "./on-chain.ts"

usesCustomer()

/** A token, its issuer's key, and two verified wallets, of which the first has 10 tokens. */
async function holders(transfer_mode: "agent" | "holder") {
  const config = await tokens.config({}, { transfer_mode, decimals: 6 })
  const mint = assetMintOf(key.workspaceId, config)
  const { mintAuthority } = await getMint(app.connection, mint, "confirmed", TOKEN_2022_PROGRAM_ID)
  const [from, to] = await tokens.wallets(2)
  await tokens.mint(config, from, "10")
  return { config, issuer: mintAuthority!.toBase58(), from, to }
}

type Holders = Awaited<ReturnType<typeof holders>>

const burn = async ({ config, from }: Holders, holder_consent: boolean): Promise<Operation> => {
  const about = { user_pubkey: from, mint_config: config, amount: "2.5", ...grounds }
  return (await tokens.post("/token/burn", { ...about, holder_consent, document_sha256 })).json
}
const force = async ({ config, from, to }: Holders): Promise<Operation> => {
  const about = { from_pubkey: from, to_pubkey: to, mint_config: config, amount: "4", ...grounds }
  return (await tokens.post("/token/force-transfer", { ...about, document_sha256 })).json
}

describe.each(["agent", "holder"] as const)("in %s mode", (mode) => {
  test("burns and forced transfers are found on chain, with who signed them and whether they were forced", async () => {
    const all = await holders(mode)
    const { issuer } = all
    for (const [operation, isForced] of [
      [await burn(all, true), false],
      [await burn(all, false), true],
      [await force(all), true],
    ] as const) {
      for (const connection of [app.connection, app.chain.url]) {
        const answer = await verifyForced(connection, { issuer: [newWallet(), issuer], operation })
        const { mint, amount, onchain_tx: transaction } = operation
        expect(answer).toEqual({ verified: true, isForced, mint, amount, authority: issuer, transaction })
      }
    }
  })
})

test("a record that says something else than the chain is refused", async () => {
  const all = await holders("agent")
  const { issuer, config, from, to } = all
  const operation = await force(all)
  const burned = await burn(all, true)
  const transferred: Operation = (await tokens.transfer(config, from, to, "1")).json
  const check = async (changes: Partial<Operation>, by = issuer) => {
    const answer = await verifyForced(app.connection, { issuer: by, operation: { ...operation, ...changes } })
    return answer.verified ? null : answer.reason
  }
  expect(await check({})).toBeNull()
  expect(await check({}, newWallet())).toBe("wrong_issuer")
  expect(await check({ amount: "40" })).toBe("wrong_amount")
  expect(await check({ from_pubkey: newWallet() })).toBe("wrong_wallet")
  expect(await check({ to_pubkey: newWallet() })).toBe("wrong_wallet")
  expect(await check({ from_pubkey: to, to_pubkey: from })).toBe("wrong_wallet")
  expect(await check({ kind: "burn", user_pubkey: from })).toBe("wrong_wallet")
  expect(await check({ mint: newWallet() })).toBe("wrong_mint")
  expect(await check({ operation_id: burned.operation_id })).toBe("wrong_operation")
  expect(await check({ onchain_tx: burned.onchain_tx })).toBe("wrong_operation")
  expect(await check({ onchain_tx: null })).toBe("not_on_chain")
  expect(await check({ onchain_tx: "5".repeat(87) })).toBe("not_on_chain")
  // An ordinary transfer has no mark.
  expect(await check({ ...transferred, kind: "force_transfer" })).toBe("not_forced")
  await expect(check({ kind: "mint" })).rejects.toThrow("operation.kind: must be burn or force_transfer")
  await expect(check({}, "no one")).rejects.toThrow("issuer: must be an address")
})

test("a holder who copies the memo of a forced transfer does not sign for the issuer", async () => {
  const all = await holders("holder")
  const { issuer, config, to } = all
  const operation = await force(all)
  const holder = await strangerWithSol(app)
  const from = addressOf(holder.publicKey)
  await app.verifiedWallet(key, from)
  await tokens.mint(config, from, "4")
  const mint = assetMintOf(key.workspaceId, config)
  const accounts = [holder.publicKey, new PublicKey(to)].map((owner) => tokenAccountOf(mint, owner)) as [
    PublicKey,
    PublicKey,
  ]
  const onchain_tx = await sendOwn(
    app.connection,
    [holder],
    memo(`vouch:1:${operation.operation_id}:forced`),
    createTransferCheckedInstruction(
      accounts[0],
      mint,
      accounts[1],
      holder.publicKey,
      4_000_000n,
      6,
      [],
      TOKEN_2022_PROGRAM_ID,
    ),
  )
  const copied = { ...operation, from_pubkey: from, onchain_tx }
  expect(await verifyForced(app.connection, { issuer, operation: copied })).toEqual({
    verified: false,
    reason: "wrong_issuer",
  })
})
