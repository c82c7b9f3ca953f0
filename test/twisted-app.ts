import { setTimeout as sleep } from "node:timers/promises"
import { TOKEN_2022_PROGRAM_ID, unpackAccount } from "@solana/spl-token"
import type { PublicKey } from "@solana/web3.js"
import { sql } from "#db/client.ts"
import { credentialMintKey } from "#server/domain/attestations/credential-accounts.ts"
import { assetMintOf } from "#server/domain/tokens/asset-accounts.ts"
import { publicKeyOf, tokenAccountOf } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"
import { startTestApp, waitFor } from "./app.ts"
import { type RpcProxy, rpcProxy } from "./rpc-proxy.ts"
import { tokenFixture } from "./tokens.ts"
import { startTwistedChain } from "./twisted-chain.ts"

export type TwistedApp = Awaited<ReturnType<typeof startTwistedApp>>

type Options = {
  slotMs?: number
  environment?: Record<string, string>
  /** Nodes that are asked after the first one. */
  others?: number
  /** Of the customer's configuration. */
  config?: object
}

/** Longer than the server keeps a blockhash, which is a second. */
const BLOCKHASH_MS = 1000

/** The server behind nodes that can be told to lie, a customer of it with a token, and what the chain itself says. */
export async function startTwistedApp({
  slotMs = 20,
  environment = {},
  others = 0,
  config: more,
}: Options = {}) {
  const cluster = await startTwistedChain({ slotMs })
  const { node } = cluster
  const beside = await Promise.all(Array.from({ length: others }, () => rpcProxy(cluster.url)))
  const nodes: RpcProxy[] = [node, ...beside]
  const app = await startTestApp({ SOLANA_RPC_URL: nodes.map(({ url }) => url).join(" "), ...environment })
  await cluster.fundFeePayers()
  const key = await app.key({ plan: "growth" })
  const tokens = tokenFixture(app, key)
  const config = await tokens.config({}, more)

  const accountOf = (wallet: Address, of = config): PublicKey =>
    tokenAccountOf(assetMintOf(key.workspaceId, of), publicKeyOf(wallet))
  const read = async (account: PublicKey) => {
    const info = await cluster.connection.getAccountInfo(account)
    return info && unpackAccount(account, info, TOKEN_2022_PROGRAM_ID)
  }
  const operation = async (id: string) => {
    const [row] = await sql<
      { status: string; signature: string | null; finalized_at: Date | null; doubt: string | null }[]
    >`
      select o.status, o.signature, t.finalized_at, t.doubt
      from operations o left join transactions t on t.signature = o.signature where o.id = ${id}`
    return row!
  }

  return {
    cluster,
    node,
    nodes,
    app,
    key,
    tokens,
    config,

    /** A wallet that is verified. */
    wallet: async (): Promise<Address> => (await tokens.wallets(1))[0],

    /** Its account of the token. */
    accountOf,
    credentialOf: (wallet: Address): PublicKey =>
      tokenAccountOf(credentialMintKey(key.workspaceId, "kyc_individual_v1").publicKey, publicKeyOf(wallet)),

    /** A token account as the chain itself has it. */
    read,
    /** Base units of the token in a wallet's account, as the chain itself has it. */
    held: async (wallet: Address): Promise<bigint> => (await read(accountOf(wallet)))?.amount ?? 0n,

    /** Mints one base unit, and waits for nothing. Returns the operation's id. */
    async mintLater(wallet: Address): Promise<string> {
      const { status, json, text } = await tokens.mint(config, wallet, "1", {
        headers: { Prefer: "respond-async" },
      })
      if (status !== 202) throw new Error(`token/mint answered ${status}: ${text}`)
      return json.operation_id
    },

    /** An operation, and its transaction. */
    operation,
    becomes: (id: string, status: string) =>
      waitFor(async () => (await operation(id)).status === status, `${id} to be ${status}`),

    /** How many transactions have been saved for an operation. */
    async savedFor(id: string): Promise<number> {
      const saved = await sql`
        select from transactions where layout @> jsonb_build_array(jsonb_build_array(${id}::text))`
      return saved.length
    },

    /** Revokes what a wallet was attested. */
    async revoke(wallet: Address): Promise<void> {
      const { json } = await tokens.get(`/attestations?pubkey=${wallet}`)
      const { status, text } = await tokens.post(`/attestation/${json.data[0].attestation_id}/revoke`, {
        reason: "test",
      })
      if (status !== 200) throw new Error(`revoke answered ${status}: ${text}`)
    },

    /** Far ahead, until nothing is signed any more with a blockhash from before. */
    async warp(): Promise<void> {
      await cluster.pass(400)
      await sleep(BLOCKHASH_MS)
    },

    /** All nodes tell the truth again, and what is sent lands. */
    async behave(): Promise<void> {
      for (const one of nodes) one.twist = null
      await cluster.hold(false)
    },

    async stop(): Promise<void> {
      await app.stop()
      for (const one of beside) await one.close()
      await cluster.close()
    },
  }
}
