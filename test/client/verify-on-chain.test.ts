import * as kit from "@solana/kit"
import { AccountState } from "@solana/spl-token"
import { Keypair, PublicKey, SystemProgram } from "@solana/web3.js"
import { beforeAll, describe, expect, test } from "vitest"
import { type OnChainQuestion, verifyOnChain, type Web3Connection } from "#client/index.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { newWallet } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import {
  type AttestationRecord,
  credential,
  forge,
  memoOf,
  recordOf,
  refused,
  renew,
  strangerWithSol,
} from "./on-chain.ts"

const CLOCK = "SysvarC1ock11111111111111111111111111111111"
const schema = "kyc_individual_v1"

/** A verified wallet and its API record. */
let wallet: Address
let record: AttestationRecord
let question: OnChainQuestion

usesCustomer()
beforeAll(async () => {
  wallet = (await app.verifiedWallet(key)).wallet
  record = await recordOf(app, key, wallet)
  question = { issuer: record.onchain.authority, schema, wallet }
})

/** Names the mint, so that a refusal is about the mint and not about an empty search result. */
const withMint = () => ({ ...question, mint: record.onchain.mint })

describe("a verified wallet", () => {
  const ways = {
    "web3.js": () => app.connection,
    "@solana/kit": () => kit.createSolanaRpc(kit.devnet(app.chain.url)),
    "an address": () => app.chain.url,
  }

  test.each(Object.entries(ways))(
    "is recognized over %s, with the mint, with the transaction, and without either",
    async (_, connect) => {
      expect(await verifyOnChain(connect(), question)).toEqual(credential(record))
      expect(await verifyOnChain(connect(), withMint())).toEqual(credential(record))
      const withTransaction = { ...question, transaction: record.onchain_tx }
      expect(await verifyOnChain(connect(), withTransaction)).toEqual(credential(record))
    },
  )

  test("is recognized with any of several issuers, which exist after a key was replaced", async () => {
    const issuer = [newWallet(), record.onchain.authority]
    expect(await verifyOnChain(app.connection, { ...question, issuer })).toEqual(credential(record))
  })

  test("is recognized by the new attestation after a renewal", async () => {
    const renewed = (await app.verifiedWallet(key)).wallet
    const old = await recordOf(app, key, renewed)
    expect((await renew(app, key, renewed)).attestation_id).not.toBe(old.attestation_id)
    const answer = await verifyOnChain(app.connection, { ...question, wallet: renewed })
    expect(answer).toEqual(credential(await recordOf(app, key, renewed)))
  })
})

describe("an unverified wallet", () => {
  test("has no credential", async () => {
    const other = { ...withMint(), wallet: newWallet() }
    expect(await verifyOnChain(app.connection, other)).toEqual(refused("no_credential"))
    expect(await verifyOnChain(app.connection, { ...other, mint: undefined })).toEqual(refused("no_credential"))
  })

  test("is refused for another issuer or another schema", async () => {
    const other = { ...withMint(), issuer: newWallet() }
    expect(await verifyOnChain(app.connection, other)).toEqual(refused("wrong_issuer"))
    expect(await verifyOnChain(app.connection, { ...other, mint: undefined })).toEqual(refused("no_credential"))
    const accredited = { ...withMint(), schema: "kyc_accredited_v1" }
    expect(await verifyOnChain(app.connection, accredited)).toEqual(refused("wrong_schema"))
  })

  test("is refused after its attestation is revoked", async () => {
    const revoked = (await app.verifiedWallet(key)).wallet
    const { attestation_id, onchain } = await recordOf(app, key, revoked)
    const asked = { ...question, wallet: revoked }
    expect((await verifyOnChain(app.connection, asked)).verified).toBe(true)
    const path = `/attestation/${attestation_id}/revoke`
    await app.request({ method: "POST", path, key: key.apiKey, json: { reason: "A match" } })
    await expect.poll(() => verifyOnChain(app.connection, asked)).toEqual(refused("revoked"))
    expect(await verifyOnChain(app.connection, { ...asked, mint: onchain.mint })).toEqual(refused("revoked"))
  })

  test("is refused for a mint that a stranger created and then gave to the issuer", async () => {
    const stranger = await strangerWithSol(app)
    const forgery = await forge(app, stranger, { to: stranger.publicKey, memoText: memoOf(record) })
    const forged = { ...question, wallet: addressOf(stranger.publicKey) }
    const asItself = { ...forged, issuer: addressOf(stranger.publicKey) }
    expect((await verifyOnChain(app.connection, asItself)).verified).toBe(true)
    expect(await verifyOnChain(app.connection, forged)).toEqual(refused("no_credential"))

    await forgery.handTo(new PublicKey(record.onchain.authority))
    // Both accounts now equal a credential's, byte for byte. Only the history differs.
    expect(await verifyOnChain(app.connection, forged)).toEqual(refused("not_issued"))
  })
})

type Change = { program?: string; bytes?: (data: Buffer) => Buffer | undefined }

/** The chain, with some accounts in a state that never occurs. */
function withAccounts(changes: Record<string, Change | null>): Web3Connection {
  const { connection } = app
  return {
    rpcEndpoint: connection.rpcEndpoint,
    async getMultipleAccountsInfo(keys, commitment) {
      const addresses = keys.map((one) => new PublicKey(one.toBase58()))
      const accounts = await connection.getMultipleAccountsInfo(addresses, commitment)
      return accounts.map((account, at) => {
        const change = changes[addresses[at]!.toBase58()]
        if (change === undefined || account === null) return account
        if (change === null) return null
        const data = Buffer.from(account.data)
        const owner = change.program === undefined ? account.owner : new PublicKey(change.program)
        return { owner, data: change.bytes?.(data) ?? data }
      })
    },
    getTokenAccountsByOwner: (...given) => (connection as Web3Connection).getTokenAccountsByOwner(...given),
    getSignaturesForAddress: (...given) => (connection as Web3Connection).getSignaturesForAddress(...given),
    getTransaction: (...given) => (connection as Web3Connection).getTransaction(...given),
  }
}

const bytes = (change: (data: Buffer) => unknown): Change => ({
  bytes: (data) => {
    change(data)
    return data
  },
})
const without = (text: string | Buffer) =>
  bytes((data) => data.fill(0xff, data.indexOf(text), data.indexOf(text) + text.length))
/** Replaces an extension's type with one that does not exist. */
const withoutExtension = (type: number) =>
  bytes((data) => {
    let at = 166
    while (data.readUInt16LE(at) !== type) at += 4 + data.readUInt16LE(at + 2)
    data.writeUInt16LE(999, at)
  })
const stranger = Keypair.generate().publicKey.toBuffer()
const spl = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"

describe("accounts that cannot be a credential", () => {
  const accounts: [string, Change | null, string][] = [
    ["no account", null, "no_credential"],
    ["an account of another program than Token-2022", { program: spl }, "wrong_account"],
    ["an account of the system program", { program: SystemProgram.programId.toBase58() }, "wrong_account"],
    ["an account of another mint", bytes((data) => stranger.copy(data, 0)), "wrong_account"],
    ["an account that was given to another wallet", bytes((data) => stranger.copy(data, 32)), "wrong_holder"],
    ["no unit", bytes((data) => data.writeBigUInt64LE(0n, 64)), "revoked"],
    ["more than one unit", bytes((data) => data.writeBigUInt64LE(2n, 64)), "wrong_account"],
    ["an account that is open", bytes((data) => data.writeUInt8(AccountState.Initialized, 108)), "not_frozen"],
    ["a mint in the account's place", bytes((data) => data.writeUInt8(1, 165)), "wrong_account"],
    ["a truncated account", { bytes: (data) => data.subarray(0, 100) }, "wrong_account"],
    ["an empty account", { bytes: () => Buffer.alloc(0) }, "wrong_account"],
  ]
  test.each(accounts)("%s", async (_, change, reason) => {
    const connection = withAccounts({ [record.onchain.token_account]: change })
    expect(await verifyOnChain(connection, withMint())).toEqual(refused(reason))
    const searched = await verifyOnChain(connection, question)
    expect(searched.verified).toBe(false)
  })

  const mints: [string, Change | null, string][] = [
    ["no mint", null, "wrong_mint"],
    ["a mint of another program than Token-2022", { program: spl }, "wrong_mint"],
    ["a mint with another authority", bytes((data) => stranger.copy(data, 4)), "wrong_issuer"],
    ["a mint without an authority", bytes((data) => data.writeUInt32LE(0, 0)), "wrong_mint"],
    ["a mint with decimals", bytes((data) => data.writeUInt8(6, 44)), "wrong_mint"],
    ["a mint that was never initialized", bytes((data) => data.writeUInt8(0, 45)), "wrong_mint"],
    ["a mint that another key can thaw", bytes((data) => stranger.copy(data, 50)), "wrong_issuer"],
    ["a mint whose units can be moved", withoutExtension(9), "wrong_mint"],
    ["a mint whose accounts start thawed", withoutExtension(6), "wrong_mint"],
    ["a mint without a delegate", withoutExtension(12), "wrong_issuer"],
    ["a mint whose metadata is elsewhere", withoutExtension(18), "wrong_mint"],
    ["a mint without metadata", withoutExtension(19), "wrong_mint"],
    ["a mint that names no schema", without(schema), "wrong_schema"],
    ["a token account in the mint's place", bytes((data) => data.writeUInt8(2, 165)), "wrong_mint"],
    ["a mint that lacks its last bytes", { bytes: (data) => data.subarray(0, data.length - 3) }, "wrong_mint"],
    ["a truncated mint", { bytes: (data) => data.subarray(0, 60) }, "wrong_mint"],
    ["a mint of the old layout, without extensions", { bytes: (data) => data.subarray(0, 82) }, "wrong_mint"],
  ]
  test.each(mints)("%s", async (_, change, reason) => {
    const connection = withAccounts({ [record.onchain.mint]: change })
    expect(await verifyOnChain(connection, withMint())).toEqual(refused(reason))
    expect(await verifyOnChain(connection, question)).toEqual(refused("no_credential"))
  })

  test("an attestation expires by the chain's clock", async () => {
    const expiry = BigInt(Date.parse(record.expires_at) / 1000)
    const at = (time: bigint) => withAccounts({ [CLOCK]: bytes((data) => data.writeBigInt64LE(time, 32)) })
    expect(await verifyOnChain(at(expiry), question)).toEqual(refused("expired"))
    expect(await verifyOnChain(at(expiry - 1n), question)).toEqual(credential(record))
    await expect(verifyOnChain(withAccounts({ [CLOCK]: null }), question)).rejects.toThrow("clock")
  })

  test("a transaction that failed, has another signer, or has its memo elsewhere, proves nothing", async () => {
    const honest = app.connection as Web3Connection
    type Found = NonNullable<Awaited<ReturnType<Web3Connection["getTransaction"]>>>
    const withChange = (change: (found: Found) => void): Web3Connection => ({
      ...withAccounts({}),
      async getTransaction(...given) {
        const found = structuredCloneOf((await honest.getTransaction(...given))!)
        change(found)
        return found
      },
    })
    const ask = (change: (found: Found) => void) => verifyOnChain(withChange(change), question)
    expect(await ask(() => {})).toEqual(credential(record))
    const changes: ((found: Found) => void)[] = [
      (found) => {
        found.meta = { err: { InstructionError: [0, "Custom"] } }
      },
      ({ transaction: { message } }) => {
        message.header.numRequiredSignatures = 0
      },
      ({ transaction: { message } }) => message.compiledInstructions.reverse(),
      ({ transaction: { message } }) => {
        message.compiledInstructions = message.compiledInstructions.filter(({ data }) => data[0] !== 7)
      },
      ({ transaction: { message } }) => {
        for (const { data } of message.compiledInstructions) if (data[0] === 7) data[1] = 2
      },
    ]
    for (const change of changes) expect(await ask(change)).toEqual(refused("not_issued"))
  })
})

/** A transaction with plain fields, which a test can change. */
function structuredCloneOf({
  meta,
  transaction: { message },
}: NonNullable<Awaited<ReturnType<Web3Connection["getTransaction"]>>>) {
  const { header, staticAccountKeys, compiledInstructions } = message
  return {
    meta,
    transaction: {
      message: {
        header: { ...header },
        staticAccountKeys,
        compiledInstructions: compiledInstructions.map(({ programIdIndex, accountKeyIndexes, data }) => ({
          programIdIndex,
          accountKeyIndexes,
          data: Uint8Array.from(data),
        })),
      },
    },
  }
}

test.each([
  ["issuer", { issuer: "unknown" }],
  ["issuer", { issuer: [] }],
  ["wallet", { wallet: "0".repeat(44) }],
  ["transaction", { transaction: "z".repeat(44) }],
  ["mint", { mint: "z".repeat(44) }],
])("an invalid argument is refused by name: %s", async (name, change) => {
  await expect(verifyOnChain(app.connection, { ...question, ...change })).rejects.toThrow(`${name}: must be`)
})

test("an unreachable node is an error, not a result", async () => {
  await expect(verifyOnChain("http://127.0.0.1:9", question)).rejects.toThrow()
})
