import { type Queryable, background as sql } from "#db/client.ts"
import { only } from "#db/rows.ts"
import { confirmNothingToDo, hasOneNode, type Lookup, type Operation } from "#server/ledger/index.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import type { ReadOptions, Rpc } from "#server/solana/rpc/rpc.ts"
import { readTokenAccount } from "#server/solana/token-account.ts"
import type { Address } from "#shared/address.ts"
import { credentialAccounts } from "./credential-accounts.ts"

type OfCredential = { attestation_id: string; schema_id: string; wallet: Address }

/** Units of a credential in wallets' accounts on chain, and the oldest slot at which they were read. */
async function readUnits<Payload extends OfCredential>(
  operations: readonly Operation<Payload>[],
  { workspaceId, rpc }: { workspaceId: string; rpc: Rpc },
  options: ReadOptions,
): Promise<{ slot: number; units: bigint[] }> {
  const accounts = operations.map(({ payload: { schema_id, wallet } }) => {
    const { mint, account } = credentialAccounts(workspaceId, schema_id, wallet)
    return { mint: publicKeyOf(mint), account: publicKeyOf(account) }
  })
  const { slot, value } = await rpc.accounts(
    accounts.map(({ account }) => account),
    options,
  )
  const units = accounts.map(({ mint, account }, i) => readTokenAccount(account, value[i], mint)?.amount ?? 0n)
  return { slot, units }
}

/** Units that wallets were seen to hold at a slot, by operation. */
export type SeenUnits = {
  slot: number
  units: ReadonlyMap<string, bigint>
  /** Operations whose wallets certainly hold none (`ledger/quorum.ts` read it twice), or that are redone. */
  sure: ReadonlySet<string>
  /** Whether the chain has only one node, so that no second one can confirm what was read. */
  hasOneNode: boolean
}

/** What wallets hold of credentials now, from a node that has seen the last transaction that landed on them. */
export async function lookUpUnits<Payload extends OfCredential>(
  operations: readonly Operation<Payload>[],
  at: Lookup,
): Promise<SeenUnits> {
  const since = await lastLandingOnCredentials(sql, at.workspaceId, operations)
  const { workspaceId, chain } = at
  const { slot, units } = await readUnits(operations, { workspaceId, rpc: chain.rpc }, { since })
  const byId = new Map(operations.map(({ id }, i) => [id, units[i]!]))
  const few = operations.filter(({ id, redo }) => redo || byId.get(id) === 0n)
  const sure = await confirmNothingToDo(chain, { ids: few.map(({ id }) => id), slot }, async (ids, rpc, options) => {
    const again = few.filter(({ id }) => ids.includes(id))
    const { units } = await readUnits(again, { workspaceId, rpc }, options)
    return (id) => units[again.findIndex((one) => one.id === id)] === byId.get(id)
  })
  return { slot, units: byId, sure, hasOneNode: hasOneNode(chain) }
}

/** Later operations land later, unless they are urgent or of another schema. The last to land is among this many. */
const RECENT = 32

/** The slot in which something last landed on the credentials of operations' wallets; 0 if nothing has. */
export async function lastLandingOnCredentials(
  sql: Queryable,
  workspaceId: string,
  operations: readonly { payload: { wallet: Address } }[],
): Promise<number> {
  const rows = await sql<{ slot: bigint | null }[]>`
    select max(t.slot) as slot
    from (select distinct unnest(${operations.map(({ payload }) => payload.wallet)}::text[]) as wallet) w,
      lateral (select o.signature from operations o
        where o.workspace_id = ${workspaceId} and o.wallet = w.wallet and o.kind in ('attest', 'revoke')
          and o.status = 'confirmed' and o.signature is not null
        order by o.seq desc limit ${RECENT}) o
      join transactions t on t.signature = o.signature`
  return Number(only(rows).slot ?? 0)
}

/** Units of credentials on chain, finalized as of a slot, and whose unit it is according to the ledger. */
export async function readFinalizedUnits<Payload extends OfCredential>(
  operations: readonly Operation<Payload>[],
  at: Lookup & { slot: number },
): Promise<{ operation: Operation<Payload>; units: bigint; held: string | null }[]> {
  const { workspaceId, slot, chain } = at
  const options = { since: slot, commitment: "finalized" } as const
  const { units } = await readUnits(operations, { workspaceId, rpc: chain.rpc }, options)
  const holderOf = await readHolders(sql, workspaceId, operations)
  return operations.map((operation, i) => ({
    operation,
    units: units[i]!,
    held: holderOf(operation.payload) ?? null,
  }))
}

/** Whose unit each wallet holds, according to the ledger: the id of an attestation, or null. */
export async function readHolders<Payload extends OfCredential>(
  sql: Queryable,
  workspaceId: string,
  operations: readonly Operation<Payload>[],
): Promise<(of: OfCredential) => string | null | undefined> {
  const rows = await sql<{ schema_id: string; wallet: string; attestation_id: string | null }[]>`
    select c.schema_id, c.wallet, c.attestation_id
    from credentials c join unnest(${operations.map(({ payload }) => payload.schema_id)}::text[],
      ${operations.map(({ payload }) => payload.wallet)}::text[]) as t(schema_id, wallet) using (schema_id, wallet)
    where c.workspace_id = ${workspaceId}`
  const holders = new Map(rows.map((row) => [`${row.schema_id}/${row.wallet}`, row.attestation_id]))
  return ({ schema_id, wallet }) => holders.get(`${schema_id}/${wallet}`)
}
