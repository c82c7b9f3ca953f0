import type { PublicKey, TransactionInstruction } from "@solana/web3.js"
import { LRUCache } from "lru-cache"
import { type Queryable, background as sql } from "#db/client.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { addressOf } from "#server/solana/addresses.ts"
import type { Chain } from "#server/solana/chain.ts"
import { authorityPurpose, feePayerPurpose, type Signer } from "#server/solana/keys.ts"
import type { Address } from "#shared/address.ts"
import type { Lease } from "./lease.ts"

/** A workspace with its keys, as a plan sees it. It gives no access to the chain, which only `lookUp` reads. */
export type Issuer = {
  workspaceId: string
  /** The key that a mint obeys, by its address. Throws if it is not one of the workspace's keys. */
  authority(address: Address | null): Signer
  feePayer: Signer
  /** The account that transactions name if the workspace has its own fee payer. */
  marker: PublicKey | null
  rentOf: (bytes: number) => number
  /** The workspace's authorities that must sign the instructions. */
  signersOf(instructions: readonly TransactionInstruction[]): Signer[]
}

const authorityColumns = columns("workspace_authorities", "address, uri")
type Authority = RowOf<typeof authorityColumns>

const MOST_KNOWN = 10_000

type Known = { asOf: string; authorities: Authority[]; feePayer: Signer | null }

/** Keys by workspace, valid for one version of its lease: every change of a key voids plans and raises the version. */
const known = new LRUCache<string, Known>({ max: MOST_KNOWN })

export async function issuerOf(chain: Chain, { workspaceId, token, version }: Lease): Promise<Issuer> {
  const asOf = `${token}/${version}`
  let remembered = known.get(workspaceId)
  if (remembered?.asOf !== asOf) {
    const [authorities, payer] = await Promise.all([readAuthorities(sql, workspaceId), readFeePayer(sql, workspaceId)])
    const feePayer = payer && chain.signers.of(payer.uri, feePayerPurpose(workspaceId), payer.address)
    remembered = { asOf, authorities, feePayer }
    known.set(workspaceId, remembered)
  }
  const { authorities, feePayer } = remembered
  const authority = (address: Address | null): Signer => {
    const at = authorities.find((one) => one.address === address)
    if (!at) throw new Error(`${workspaceId} has no key ${address}`)
    return chain.signers.of(at.uri, authorityPurpose(workspaceId), at.address)
  }
  const signersOf = (instructions: readonly TransactionInstruction[]): Signer[] => {
    const keys = instructions.flatMap(({ keys }) => keys.filter(({ isSigner }) => isSigner))
    const asked = new Set(keys.map(({ pubkey }) => addressOf(pubkey)))
    return authorities.flatMap(({ address }) => (asked.has(address) ? authority(address) : []))
  }
  return {
    workspaceId,
    authority,
    feePayer: feePayer ?? chain.feePayer,
    marker: feePayer && chain.payerMarker,
    rentOf: chain.rent!.of,
    signersOf,
  }
}

/** The keys that issue for a workspace, or once did, oldest first. */
export const readAuthorities = (sql: Queryable, workspaceId: string) => sql<Authority[]>`
  select ${sql(authorityColumns)} from workspace_authorities where workspace_id = ${workspaceId}
  order by created_at, address`

/**
 * The authority of a mint that is about to be created, read in the statement that claims it. If another process
 * replaces the workspace's authority at the same time, it commits first, or it sees the new mint and moves it.
 */
export const authorityForNew = (sql: Queryable, workspaceId: string) =>
  sql`(select w.authority from workspaces w where w.id = ${workspaceId} for share)`

/** All keys that issue for a workspace, or once did. Their histories on chain are the workspace's. */
export const issuedBy = async (sql: Queryable, workspaceId: string): Promise<Address[]> =>
  (await readAuthorities(sql, workspaceId)).map(({ address }) => address)

export async function readFeePayer(sql: Queryable, workspaceId: string): Promise<Authority | null> {
  const [row] = await sql<Authority[]>`
    select p.address, p.uri from workspaces w
    join workspace_fee_payers p on p.workspace_id = w.id and p.address = w.fee_payer where w.id = ${workspaceId}`
  return row ?? null
}

/** Every transaction of a mode names one of these addresses: all keys that pay for it, or once did, and the marker. */
export async function namedByAll({ mode, feePayer, payerMarker }: Chain): Promise<Address[]> {
  const rows = await sql<{ address: Address }[]>`
    select address from fee_payers where mode = ${mode} order by created_at desc`
  const payers = [addressOf(feePayer.publicKey), ...rows.map(({ address }) => address)]
  return [...new Set([...payers, addressOf(payerMarker)])]
}

/** The addresses of all keys that pay in a mode, or once did: for all workspaces, or for one. */
export async function paidBy({ mode, feePayer }: Chain): Promise<Set<Address>> {
  const rows = await sql<{ address: Address }[]>`
    select address from fee_payers where mode = ${mode}
    union select p.address from workspace_fee_payers p join workspaces w on w.id = p.workspace_id
    where w.mode = ${mode}`
  return new Set([addressOf(feePayer.publicKey), ...rows.map(({ address }) => address)])
}

/** Which workspace each key issues for, or once did. */
export async function readIssuers({ mode }: Chain): Promise<Map<Address, string>> {
  const rows = await sql<{ address: Address; workspace_id: string }[]>`
    select a.address, a.workspace_id from workspace_authorities a join workspaces w on w.id = a.workspace_id
    where w.mode = ${mode}`
  return new Map(rows.map(({ address, workspace_id }) => [address, workspace_id]))
}
