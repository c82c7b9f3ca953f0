import { type Queryable, sql } from "#db/client.ts"
import { publish } from "#db/pubsub.ts"
import { moveCredentialAuthority } from "#domain/attestations"
import { type Author, recordChange } from "#domain/audit-log"
import { deployment } from "#domain/deployment"
import { moveAssetAuthority } from "#domain/tokens"
import { enqueueAll, readAuthorities, toRow, voidPlans } from "#server/ledger/index.ts"
import { clock } from "#server/lib/time.ts"
import { addressOf } from "#server/solana/addresses.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import type { Address } from "#shared/address.ts"
import type { Mode } from "#shared/mode.ts"

const CHALLENGE = Buffer.from("vouch: this key is about to sign for a workspace")

/** The key of a URI, after a test signature. Throws WrongSigner, or SignerFailure if it cannot sign. */
export async function openForWorkspace(uri: string, purpose: string): Promise<Address> {
  const signer = await deployment.signers.open(uri, purpose)
  await signer.sign([CHALLENGE])
  return addressOf(signer.publicKey)
}

/**
 * Gives a workspace another key to issue with. New mints get it at once. The ledger moves existing mints one by one,
 * and each keeps its old key until then. A repeated call continues where the last one stopped. Returns the key. Throws
 * WrongSigner, or SignerFailure if the key cannot sign.
 */
export async function setAuthority(workspaceId: string, uri: string, author: Author): Promise<Address> {
  const address = await openForWorkspace(uri, authorityPurpose(workspaceId))
  await sql.begin(async (sql) => {
    await voidPlans(sql, workspaceId)
    const [workspace] = await sql<{ authority: Address }[]>`
      select authority from workspaces where id = ${workspaceId} for no key update`
    const before = workspace!.authority
    await sql`
      insert into workspace_authorities (workspace_id, address, uri, created_at)
      values (${workspaceId}, ${address}, ${uri}, ${clock.now()})
      on conflict (workspace_id, address) do update set uri = excluded.uri`
    await sql`update workspaces set authority = ${address} where id = ${workspaceId}`
    await moveMints(sql, workspaceId, address)
    if (before === address) return
    const detail = { before: { authority: before }, after: { authority: address }, at: uri }
    await recordChange(sql, workspaceId, { author, action: "signer.set", subject: workspaceId, detail })
  })
  publish("ledger")
  return address
}

type Mint = {
  schema_id: string | null
  mint_config: string | null
  mint: Address
  authority: Address
  /** The key that a queued operation will move it to. */
  goes_to: Address | null
}

const readMints = (sql: Queryable, workspaceId: string) => sql<Mint[]>`
  select mints.*, (
    select o.payload->>'to' from operations o
    where o.workspace_id = ${workspaceId} and o.status in ('queued', 'submitted') and o.kind = any(${MOVES})
      and o.writes @> array[mints.mint] order by o.seq desc limit 1
  ) as goes_to
  from (
    select id as schema_id, null as mint_config, credential_mint as mint, authority from schemas
    where workspace_id = ${workspaceId} and credential_mint is not null
    union all
    select null, id, mint, authority from mint_configs where workspace_id = ${workspaceId} and mint is not null
  ) mints order by mint`

/** Enqueues the move of every mint that has another authority and is not being moved. */
async function moveMints(sql: Queryable, workspaceId: string, to: Address): Promise<void> {
  const mints = await readMints(sql, workspaceId)
  const rows = mints
    .filter(({ goes_to, authority }) => (goes_to ?? authority) !== to)
    .map(({ schema_id, mint_config, mint }) => {
      const touched = { writes: [mint], reads: [] }
      return schema_id !== null
        ? toRow(moveCredentialAuthority, { payload: { schema_id, to }, ...touched })
        : toRow(moveAssetAuthority, { payload: { mint_config: mint_config!, to }, ...touched })
    })
  if (rows.length > 0) await enqueueAll(sql, workspaceId, rows)
}

const MOVES = [moveCredentialAuthority.kind, moveAssetAuthority.kind]

/** The key that a workspace issues with, and the progress of its mints. Null if there is no such workspace. */
export async function readAuthority(workspaceId: string) {
  const [row] = await sql<{ mode: Mode; account: string; authority: Address }[]>`
    select w.mode, a.name as account, w.authority from workspaces w join accounts a on a.id = w.account_id
    where w.id = ${workspaceId}`
  if (!row) return null
  const { mode, account, authority } = row
  const mints = await readMints(sql, workspaceId)
  const moved = mints.filter((mint) => mint.goes_to === null && mint.authority === authority)
  const known = await readAuthorities(sql, workspaceId)
  return {
    workspace: workspaceId,
    mode,
    account,
    authority,
    uri: known.find(({ address }) => address === authority)!.uri,
    mints: mints.length,
    /** How many of these mints it has authority over. */
    moved: moved.length,
    /** Keys that issued for it before. */
    earlier: known.filter(({ address }) => address !== authority),
  }
}
export type AuthorityState = NonNullable<Awaited<ReturnType<typeof readAuthority>>>
