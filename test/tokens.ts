import { getMint, TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { sql } from "#db/client.ts"
import { assetMintOf } from "#server/domain/tokens/asset-accounts.ts"
import { tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import type { TestApp, TestKey } from "./app.ts"
import type { Response, Sent } from "./http.ts"

/** A request without what this fixture fills in. */
type More = Partial<Sent>

let configs = 0

/** A customer who works with tokens: the requests of `key`, and what the chain and the database say of them. */
export function tokenFixture(app: TestApp, key: TestKey) {
  const post = (path: string, json: unknown, more: More = {}): Promise<Response> =>
    app.request({ method: "POST", path, key: key.apiKey, json, ...more })
  const get = (path: string) => app.request({ method: "GET", path, key: key.apiKey })

  return {
    post,
    get,

    /** A configuration with these rules, its mint on chain. Returns its id. */
    async config(rules: object = {}, more: object = {}): Promise<string> {
      const id = `fund_${++configs}`
      const { status, json } = await post("/mint-configs", { ...fund(id), rules, ...more })
      if (status !== 200) throw new Error(`mint-configs answered ${status}: ${JSON.stringify(json)}`)
      return id
    },

    mint: (mint_config: string, user_pubkey: string, amount: unknown, more?: More) =>
      post("/token/mint", { user_pubkey, mint_config, amount }, more),

    transfer: (mint_config: string, from_pubkey: string, to_pubkey: string, amount: unknown, more?: More) =>
      post("/token/transfer", { from_pubkey, to_pubkey, mint_config, amount }, more),

    /** Verified wallets, made at once. */
    wallets: async <N extends number>(count: N, claims?: Record<string, unknown>) => {
      const made = Array.from({ length: count }, () => app.verifiedWallet(key, undefined, claims))
      return (await Promise.all(made)).map(({ wallet }) => wallet) as Wallets<N>
    },

    /** Base units in a wallet's account, 0 without one. */
    async onChain(config: string, wallet: string): Promise<bigint> {
      const address = tokenAccountOf(assetMintOf(key.workspaceId, config), new PublicKey(wallet))
      const info = await app.connection.getAccountInfo(address)
      return info ? unpackAccount(address, info, TOKEN_2022_PROGRAM_ID).amount : 0n
    },

    /** Base units that there are on chain. */
    async supply(config: string): Promise<bigint> {
      const mint = assetMintOf(key.workspaceId, config)
      return (await getMint(app.connection, mint, "confirmed", TOKEN_2022_PROGRAM_ID)).supply
    },

    /** All that a mint or transfer leaves behind: operations, what is counted and reserved, the supply on chain. */
    async trace(config: string) {
      const [counters] = await sql`
        select issued, supply, holders from mint_configs
        where workspace_id = ${key.workspaceId} and id = ${config}`
      const holdings = await sql`
        select wallet, balance, incoming, outgoing, counted from holdings
        where workspace_id = ${key.workspaceId} and mint_config = ${config}
          and (balance <> 0 or incoming <> 0 or outgoing <> 0 or counted)
        order by wallet`
      const operations = await sql`
        select id, status from operations
        where workspace_id = ${key.workspaceId} and mint_config = ${config} and kind in ('mint', 'transfer')
        order by seq`
      const minted = await sql`
        select from mint_configs
        where workspace_id = ${key.workspaceId} and id = ${config} and minted_at is not null`
      return {
        counters: { ...counters },
        holdings: holdings.map((row) => ({ ...row })),
        operations: operations.map((row) => ({ ...row })),
        onChain: minted.length > 0 ? await this.supply(config) : null,
      }
    },
  }
}

/** As many wallets as were asked for. */
type Wallets<N extends number, Made extends Address[] = []> = number extends N
  ? Address[]
  : Made["length"] extends N
    ? Made
    : Wallets<N, [...Made, Address]>

export type TokenFixture = ReturnType<typeof tokenFixture>

/** What a configuration needs at least, whole tokens only. */
export const fund = (id: string) => ({
  id,
  name: "Fund",
  symbol: "FUND",
  decimals: 0,
  required_schema: "kyc_individual_v1",
})
