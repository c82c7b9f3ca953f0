import { TOKEN_2022_PROGRAM_ID as TOKEN, unpackAccount } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { assetMintOf } from "#server/domain/token-accounts/asset-accounts.ts"
import { tokenAccountOf } from "#server/solana/addresses.ts"
import type { MintExtension } from "#shared/mint-extensions.ts"
import type { TransferMode } from "#shared/transfer-modes.ts"
import { newWallet, startTestApp, type TestApp, type TestKey, waitFor } from "#test/fixtures/app.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { type TestList, testList, waitForEntries } from "#test/fixtures/screening.ts"
import { type TokenFixture, tokenFixture } from "#test/fixtures/tokens.ts"

let list: TestList
const listed: string[] = [newWallet()]
let app: TestApp
let key: TestKey
let tokens: TokenFixture

beforeAll(async () => {
  list = await testList("ofac.txt", listed)
  app = await startTestApp({ VOUCH_SANCTIONS_LIST: list.path })
  key = await app.key()
  tokens = tokenFixture(app, key)
})
afterAll(async () => {
  await app.stop()
  await list.remove()
})

const audit = () => auditLedger({ account: null, progress: () => {} })

const burn = (mint_config: string, user_pubkey: string, amount: string, more: object = {}) =>
  tokens.post("/token/burn", { user_pubkey, mint_config, amount, ...grounds, holder_consent: true, ...more })
const force = (mint_config: string, from_pubkey: string, to_pubkey: string, amount: string, more: object = {}) =>
  tokens.post("/token/force-transfer", {
    ...{ from_pubkey, to_pubkey, mint_config, amount, ...grounds, document_sha256 },
    ...more,
  })

/** A wallet's account, as a reader of the chain sees it. */
async function accountOf(config: string, wallet: string) {
  const address = tokenAccountOf(assetMintOf(key.workspaceId, config), new PublicKey(wallet))
  const { amount, isFrozen } = unpackAccount(address, await app.connection.getAccountInfo(address), TOKEN)
  return { amount, isFrozen }
}

type Holder = { wallet: string; attestationId: string }

/** What can happen to holders, so that they can no longer move their tokens. */
const losses: Record<string, (holder: Holder) => Promise<unknown>> = {
  revoked: ({ attestationId }) => tokens.post(`/attestation/${attestationId}/revoke`, { reason: "Left the country" }),
  expired: ({ attestationId }) => sql`
    update attestations set expires_at = now() - interval '1 day' where id = ${attestationId}`,
  async listed({ wallet }) {
    listed.push(wallet)
    await list.write(listed)
    await waitForEntries(app, listed.length)
    await waitFor(async () => (await sql`select from screening_hits where wallet = ${wallet}`).length > 0, "the hit")
  },
  erased: ({ wallet }) => tokens.post(`/wallets/${wallet}/erase`, {}),
}

const mints: [name: string, mode: TransferMode, older: readonly MintExtension[] | null][] = [
  ["a token in agent mode", "agent", null],
  ["a token in holder mode", "holder", null],
  ["a token in agent mode of version 0.1.0", "agent", []],
  ["a token in holder mode of version 0.1.0", "holder", ["pausable"]],
]

describe.each(mints)("of %s", (_name, transfer_mode, older) => {
  let config: string
  beforeAll(async () => {
    config = await (older ? tokens.olderConfig(older, { transfer_mode }) : tokens.config({}, { transfer_mode }))
  })

  /** A verified wallet with 10 tokens. */
  async function holder(): Promise<Holder> {
    const { wallet, status } = await app.verifiedWallet(key)
    expect((await tokens.mint(config, wallet, "10")).status).toBe(200)
    return { wallet, attestationId: status.attestation_id }
  }

  test.each(Object.keys(losses))("a wallet that was %s is emptied by a burn and by a forced transfer", async (loss) => {
    const [burned, taken, receiver] = [await holder(), await holder(), await holder()]
    for (const one of [burned, taken]) await losses[loss]!(one)
    const supply = await tokens.supply(config)
    const refused = await tokens.transfer(config, taken.wallet, receiver.wallet, "1")
    expect(refused.status).toBe(403)

    const burning = await burn(config, burned.wallet, "10")
    expect(burning.status, burning.text).toBe(200)
    expect(burning.json).toMatchObject({ kind: "burn", status: "confirmed", user_pubkey: burned.wallet, ...grounds })
    const taking = await force(config, taken.wallet, receiver.wallet, "10")
    expect(taking.status, taking.text).toBe(200)
    const between = { from_pubkey: taken.wallet, to_pubkey: receiver.wallet }
    expect(taking.json).toMatchObject({ kind: "force_transfer", ...between, document_sha256 })

    expect(await tokens.supply(config)).toBe(supply - 10n)
    // In holder mode, a match on a list freezes an account only if the list's policy says so.
    const isFrozen = transfer_mode === "agent" || loss !== "listed"
    for (const { wallet } of [burned, taken]) {
      await expect.poll(() => accountOf(config, wallet)).toEqual({ amount: 0n, isFrozen })
    }
    expect(await accountOf(config, receiver.wallet)).toEqual({ amount: 20n, isFrozen: transfer_mode === "agent" })
  })

  test("the books and the chain agree about all of it", async () => {
    await waitFor(async () => (await audit()).differences.length === 0, "the audit to be clean")
  })
})
