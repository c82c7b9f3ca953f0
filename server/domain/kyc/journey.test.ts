import { hash } from "node:crypto"
import { AccountLayout, getMint, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import canonicalize from "canonicalize"
import { expect, test } from "vitest"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

usesCustomer()

test("an approved wallet is verified, and anyone can see it on chain", async () => {
  const { wallet, status } = await app.verifiedWallet(key)
  expect(Object.keys(status)).toEqual(["status", "attestation_id", "schema", "expires_at", "onchain_tx"])

  const { json: record } = await app.request({
    method: "GET",
    path: `/attestation/${status.attestation_id}`,
    key: key.apiKey,
  })
  expect(record).toMatchObject({ status: "verified", user_pubkey: wallet, onchain_tx: status.onchain_tx })
  const { attestation_id, schema, user_pubkey, issued_at, expires_at } = record
  const { commitment, salt, mint, token_account, authority } = record.onchain
  const committed = canonicalize({ attestation_id, schema, user_pubkey, issued_at, expires_at, salt })!
  expect(hash("sha256", committed, "base64url")).toBe(commitment)

  const transaction = await app.connection.getTransaction(status.onchain_tx, {
    maxSupportedTransactionVersion: 0,
  })
  const keys = transaction!.transaction.message.getAccountKeys()
  const memos = transaction!.transaction.message.compiledInstructions
    .filter(({ programIdIndex }) => keys.get(programIdIndex)!.toBase58().startsWith("Memo"))
    .map(({ data }) => Buffer.from(data).toString("utf8"))
  expect(memos).toEqual([`vouch:1:${attestation_id}:${commitment}:${Date.parse(expires_at) / 1000}`])

  const account = await app.connection.getAccountInfo(new PublicKey(token_account))
  const token = unpackAccount(new PublicKey(token_account), account, TOKEN_2022_PROGRAM_ID)
  expect(token).toMatchObject({ amount: 1n, isFrozen: true })
  expect(token.owner.toBase58()).toBe(wallet)
  expect(AccountLayout.span).toBeLessThan(account!.data.length)
  const onchainMint = await getMint(app.connection, new PublicKey(mint), "confirmed", TOKEN_2022_PROGRAM_ID)
  expect(onchainMint.mintAuthority?.toBase58()).toBe(authority)
  expect(onchainMint.freezeAuthority?.toBase58()).toBe(authority)
})
