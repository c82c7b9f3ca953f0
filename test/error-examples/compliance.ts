import bs58 from "bs58"
import { sql } from "#db/client.ts"
import { credentialAccounts } from "#server/domain/attestations/credential-accounts.ts"
import { clock, periodOf } from "#server/lib/time.ts"
import { document_sha256, grounds } from "#test/fixtures/grounds.ts"
import { createPaymentMint } from "#test/fixtures/payment-mint.ts"
import { allowMints, paymentFixture } from "#test/fixtures/payments.ts"
import { readySnapshot } from "#test/fixtures/snapshots.ts"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { newWallet, type TestApp, type TestKey, waitFor } from "../fixtures/app.ts"
import { ask, done, FUND, get, SCHEMA, type Scenario, type Scenarios } from "./example.ts"

/** A wallet on the sanctions list of these examples. */
export const listed = newWallet()

const mint = ({ apiKey: key }: TestKey, user_pubkey: string, amount: string) =>
  ({ method: "POST", path: "/token/mint", key, json: { user_pubkey, mint_config: FUND, amount } }) as const

const minted = (app: TestApp, key: TestKey, wallet: string, amount: string) => done(app, mint(key, wallet, amount))

const transfer = ({ apiKey: key }: TestKey, from_pubkey: string, to_pubkey: string, amount: string) => ({
  method: "POST",
  path: "/token/transfer",
  key,
  json: { from_pubkey, to_pubkey, mint_config: FUND, amount },
})

/** Holds part of a wallet's balance, and returns the hold's id. */
async function hold(app: TestApp, { apiKey: key }: TestKey, user_pubkey: string, amount: string): Promise<string> {
  const json = { user_pubkey, mint_config: FUND, amount, ...grounds }
  return (await done(app, { method: "POST", path: "/token/holds", key, json })).hold_id
}

/** A request that bars a wallet of its investor, and perhaps names another one. */
async function recovery(app: TestApp, { apiKey: key }: TestKey, lost_wallet: string, more: object = {}) {
  const { data } = await done(app, { method: "GET", path: `/investors?wallet=${lost_wallet}`, key })
  const json = { lost_wallet, reason_code: "lost_wallet", reference: "Case 2026-118", ...more }
  return { method: "POST", path: `/investor/${data[0].investor_id}/recoveries`, key, json } as const
}

/** A request for a distribution to the holders of a fund, who have this supply. */
async function distribution(app: TestApp, key: TestKey, supply: number, about: object) {
  const snapshot_id = await readySnapshot(tokenFixture(app, key), FUND, supply)
  const json = { snapshot_id, reference: "Q3 2026", ...about }
  return { method: "POST", path: "/distributions", key: key.apiKey, json } as const
}

/** A distribution to the one holder of a fund, as a draft. */
async function drafted(app: TestApp, key: TestKey, about: object = { settlement: "external", total: "1250" }) {
  await minted(app, key, await verified(app, key), "100")
  return (await done(app, await distribution(app, key, 100, about))).distribution_id as string
}

const distributionAct = ({ apiKey: key }: TestKey, id: string, act: string) =>
  ({ method: "POST", path: `/distribution/${id}/${act}`, key, json: {} }) as const

/** A request that a rule refuses: the last step in a workspace whose fund has these rules. */
const refused =
  (rules: object, last: (app: TestApp, key: TestKey) => Promise<Parameters<TestApp["request"]>[0]>): Scenario =>
  async (app) => {
    const key = await app.key()
    await done(app, { method: "PATCH", path: `/mint-config/${FUND}`, key: key.apiKey, json: { rules } })
    return ask(app, await last(app, key))
  }

const verified = async (app: TestApp, key: TestKey, claims: object = { country: "US" }) =>
  (await app.verifiedWallet(key, undefined, { ...claims })).wallet

/** Errors from rules about the wallet and the token, and from screening. */
export const compliance: Scenarios = {
  wallet_sanctioned: async (app) => {
    const { apiKey: key } = await app.key({ mode: "live" })
    const json = { userPubkey: listed, schemaId: SCHEMA }
    return ask(app, { method: "POST", path: "/kyc/start", key, json })
  },
  wallet_cannot_sign: async (app) => {
    const { apiKey: key } = await app.key()
    await done(app, { method: "PATCH", path: `/schema/${SCHEMA}`, key, json: { wallet_proof: true } })
    // A point of small order: with it, the empty signature verifies for every message.
    const userPubkey = bs58.encode(Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]))
    return ask(app, { method: "POST", path: "/kyc/start", key, json: { userPubkey, schemaId: SCHEMA } })
  },
  wallet_frozen: refused({}, async (app, key) => {
    const wallet = await verified(app, key)
    const json = { user_pubkey: wallet, ...grounds }
    await done(app, { method: "POST", path: "/token/freeze", key: key.apiKey, json })
    return mint(key, wallet, "25")
  }),
  wallet_barred: refused({}, async (app, key) => {
    const wallet = await verified(app, key)
    await done(app, await recovery(app, key, wallet))
    return mint(key, wallet, "25")
  }),
  recovery_not_possible: refused({}, async (app, key) => {
    const [lost, other] = [await verified(app, key), await verified(app, key)]
    return recovery(app, key, lost, { new_wallet: other })
  }),
  recovery_ended: refused({}, async (app, key) => {
    const sent = await recovery(app, key, await verified(app, key))
    const { recovery_id } = await done(app, sent)
    const cancel = { method: "POST", path: `/recovery/${recovery_id}/cancel`, key: key.apiKey, json: {} } as const
    await done(app, cancel)
    return cancel
  }),
  treasury_shared: async (app) => {
    const [{ apiKey: key, workspaceId }, other] = [await app.key(), await app.key()]
    await sql`
      insert into workspace_authorities (workspace_id, address, uri, created_at)
      select ${other.workspaceId}, authority, 'derived:', ${clock.now()} from workspaces where id = ${workspaceId}`
    return ask(app, { method: "GET", path: "/treasury", key })
  },
  treasury_insufficient: refused({}, async (app, key) => {
    const coin = await createPaymentMint(app.connection)
    allowMints("test", coin)
    const about = { settlement: "stablecoin", payment_mint: coin.address, total: "1250" }
    return distributionAct(key, await drafted(app, key, about), "start")
  }),
  treasury_frozen: refused({}, async (app, key) => {
    const coin = await createPaymentMint(app.connection)
    allowMints("test", coin)
    const treasury = await paymentFixture(key.workspaceId, coin).treasury()
    await coin.fund(treasury, 1n)
    await coin.freeze(treasury)
    const about = { settlement: "stablecoin", payment_mint: coin.address, total: "1250" }
    return distributionAct(key, await drafted(app, key, about), "start")
  }),
  payment_mint_refused: refused({}, (app, key) =>
    distribution(app, key, 0, { settlement: "stablecoin", payment_mint: newWallet(), total: "1250" }),
  ),
  distribution_ended: refused({}, async (app, key) => {
    const cancel = distributionAct(key, await drafted(app, key), "cancel")
    await done(app, cancel)
    return cancel
  }),
  distribution_not_paying: refused({}, async (app, key) => distributionAct(key, await drafted(app, key), "pause")),
  payout_not_open: refused({}, async (app, key) => {
    const id = await drafted(app, key)
    const { data } = await done(app, { method: "GET", path: `/distribution/${id}/payouts`, key: key.apiKey })
    const path = `/payout/${data[0].payout_id}/release`
    return { method: "POST", path, key: key.apiKey, json: {} } as const
  }),
  amount_held: refused({}, async (app, key) => {
    const [from, to] = [await verified(app, key), await verified(app, key)]
    await minted(app, key, from, "100")
    await hold(app, key, from, "60")
    return transfer(key, from, to, "50")
  }),
  hold_ended: refused({}, async (app, key) => {
    const wallet = await verified(app, key)
    await minted(app, key, wallet, "100")
    const path = `/token/hold/${await hold(app, key, wallet, "60")}/release`
    const sent = { method: "POST", path, key: key.apiKey, json: {} } as const
    await done(app, sent)
    return sent
  }),
  wallet_not_verified: refused({}, async (_app, key) => mint(key, newWallet(), "25")),
  country_not_allowed: refused({ allowed_countries: ["US"] }, async (app, key) =>
    mint(key, await verified(app, key, { country: "DE" }), "25"),
  ),
  not_accredited: refused({ require_accredited: true }, async (app, key) => mint(key, await verified(app, key), "25")),
  holder_limit_reached: refused({ max_holders: 1, require_accredited: false }, async (app, key) => {
    await minted(app, key, await verified(app, key), "25")
    return mint(key, await verified(app, key), "25")
  }),
  investor_limit_reached: refused({ max_investors: 1 }, async (app, key) => {
    await minted(app, key, await verified(app, key), "25")
    return mint(key, await verified(app, key), "25")
  }),
  investor_balance_limit_exceeded: refused({ max_balance_per_investor: "100" }, async (app, key) =>
    mint(key, await verified(app, key), "125"),
  ),
  below_minimum: refused({ min_balance: "100" }, async (app, key) => mint(key, await verified(app, key), "25")),
  holding_period: refused({ holding_period_days: { us: 365, non_us: 40 } }, async (app, key) => {
    const [from, to] = [await verified(app, key), await verified(app, key)]
    await minted(app, key, from, "25")
    return transfer(key, from, to, "5")
  }),
  flowback_blocked: refused({ no_flowback_until: "2099-01-01T00:00:00Z" }, async (app, key) => {
    const [from, to] = [await verified(app, key, { country: "DE" }), await verified(app, key)]
    await minted(app, key, from, "25")
    return transfer(key, from, to, "5")
  }),
  balance_limit_exceeded: refused({ max_balance_per_wallet: "100" }, async (app, key) =>
    mint(key, await verified(app, key), "125"),
  ),
  supply_cap_exceeded: refused({ max_supply: "1000" }, async (app, key) => mint(key, await verified(app, key), "1025")),
  transfers_locked: refused({ transfers_locked_until: "2099-01-01T00:00:00Z" }, async (app, key) => {
    const [from, to] = [await verified(app, key), await verified(app, key)]
    await minted(app, key, from, "25")
    return transfer(key, from, to, "5")
  }),
  mint_paused: refused({}, async (app, key) => {
    const wallet = await verified(app, key)
    await done(app, { method: "POST", path: `/mint-config/${FUND}/pause`, key: key.apiKey })
    return mint(key, wallet, "25")
  }),
  insufficient_balance: refused({}, async (app, key) => {
    const [from, to] = [await verified(app, key), await verified(app, key)]
    await minted(app, key, from, "25")
    return transfer(key, from, to, "50")
  }),
  not_final_yet: get(`/token/register/${FUND}?at=2099-01-01T00:00:00Z`),
  same_wallet: async (app) => {
    const { apiKey: key } = await app.key()
    const from_pubkey = newWallet()
    const json = { from_pubkey, to_pubkey: from_pubkey, mint_config: FUND, amount: "5", ...grounds, document_sha256 }
    return ask(app, { method: "POST", path: "/token/force-transfer", key, json })
  },
  holder_consent_required: async (app) => {
    const { apiKey: key } = await app.key()
    const json = { user_pubkey: newWallet(), mint_config: FUND, amount: "5", ...grounds, holder_consent: false }
    return ask(app, { method: "POST", path: "/token/burn", key, json })
  },
  account_reopening_limit: async (app) => {
    const key = await app.key()
    const { wallet, status } = await app.verifiedWallet(key)
    const path = `/attestation/${status.attestation_id}/revoke`
    await done(app, { method: "POST", path, key: key.apiKey, json: { reason: "Requested by the investor" } })
    await waitFor(async () => {
      const ended = await sql`
        select from credentials where workspace_id = ${key.workspaceId} and attestation_id is null`
      return ended.length > 0
    }, "the credential to be destroyed")
    const { account } = credentialAccounts(key.workspaceId, SCHEMA, wallet)
    const period = periodOf(clock.now())
    await sql`
      insert into paid_accounts (workspace_id, account, times, period, reopened)
      values (${key.workspaceId}, ${String(account)}, 101, ${period}, 100)
      on conflict (workspace_id, account) do update set times = 101, period = ${period}, reopened = 100`
    const json = { userPubkey: wallet, schemaId: SCHEMA }
    return ask(app, { method: "POST", path: "/kyc/start", key: key.apiKey, json })
  },
}
