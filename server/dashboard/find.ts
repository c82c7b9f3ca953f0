import { sql } from "#db/client.ts"
import { isMovement } from "#db/movements.ts"
import { shownStatusAt } from "#domain/attestations"
import type { Principal } from "#domain/requests"
import { reviewTables, type SummaryRow, summaryFields, toReviewSummary } from "#domain/reviews"
import { urlFor } from "#domain/webhooks"
import { searchInvestors } from "#server/dashboard/investors/search.ts"
import { type IdPrefix, isId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import { SIGNATURE } from "#shared/address.ts"
import { approvalActions, type RequestedAction } from "#shared/approvals.ts"
import { headlineOf } from "#shared/reviews.ts"
import type { AttestationStatus, ShownStatus } from "#shared/statuses.ts"
import { shownName } from "#shared/visible.ts"

export type Found = {
  kind:
    | "investor"
    | "attestation"
    | "session"
    | "operation"
    | "token"
    | "schema"
    | "review"
    | "event"
    | "endpoint"
    | "request"
    | "key"
    | "member"
    | "approval"
    | "recovery"
    | "distribution"
  /** Its name, and a second identifier. */
  name: string
  more: string | null
  /** Of people and their verifications. */
  statuses?: ShownStatus[]
  /** The path of its page, below the workspace. */
  path: string[]
}

/** The most results of each kind. */
const MOST = 5

/**
 * Finds what a text names: an id, a wallet or a part of one, a signature, or a name. Each search uses an index, or a
 * table with few rows per workspace.
 */
export async function find(principal: Principal, typed: string): Promise<Found[]> {
  const text = typed.trim()
  if (text === "") return []
  const byId = kindOf(text)
  if (byId !== undefined) return byId(principal, text)
  if (SIGNATURE.test(text)) return operations(principal, sql`signature = ${text}`)
  const [people, named] = await Promise.all([investors(principal, text), byName(principal, text)])
  return [...people, ...named]
}

/** The most ids to name at once. */
export const MOST_NAMED = 20

/** What ids name, without erased people and their verifications. Others, and those of other workspaces, are left out. */
export async function findNamed(principal: Principal, wanted: readonly string[]): Promise<Found[]> {
  const { workspaceId } = principal
  const list = [...new Set(wanted)]
  const erased = await sql<{ id: string }[]>`
    select id from investors where workspace_id = ${workspaceId} and id = any(${list}) and erased_at is not null
    union all
    select id from attestations where workspace_id = ${workspaceId} and id = any(${list}) and erased_at is not null`
  const gone = new Set(erased.map(({ id }) => id))
  const found = await Promise.all(
    list.filter((id) => !gone.has(id)).map((id) => (kindOf(id) ?? tokenOf)(principal, id)),
  )
  return found.flat()
}

type Find = (principal: Principal, id: string) => Promise<Found[]>

const kindOf = (id: string): Find | undefined =>
  Object.entries<Find>(ids).find(([prefix]) => isId(prefix as IdPrefix, id))?.[1]

const tokenOf: Find = ({ workspaceId }, id) => tokens(sql`workspace_id = ${workspaceId} and id = ${id}`)

async function tokens(condition: Condition): Promise<Found[]> {
  const rows = await sql<{ id: string; name: string; symbol: string }[]>`
    select id, name, symbol from mint_configs where ${condition} order by name limit ${MOST}`
  return rows.map(({ id, name, symbol }) => ({ kind: "token", name, more: `${symbol}, ${id}`, path: ["tokens", id] }))
}

const ids = {
  att: ({ workspaceId }, id) => attestations(workspaceId, sql`a.id = ${id}`, "attestation"),
  sess: ({ workspaceId }, id) => attestations(workspaceId, sql`a.session_id = ${id}`, "session"),
  op: (principal, id) => operations(principal, sql`id = ${id}`),
  inv: async (principal, id) => {
    const { workspaceId } = principal
    const rows = await sql<{ id: string; external_id: string | null }[]>`
      select n.id, n.external_id from investors i join investors n on n.workspace_id = i.workspace_id
        and n.id = coalesce(i.merged_into, i.id)
      where i.workspace_id = ${workspaceId} and i.id = ${id}`
    const [row] = rows
    if (!row) return []
    const listed = (await investors(principal, row.id)).filter(({ path }) => path.at(-1) === row.id)
    if (listed.length > 0) return listed
    return [{ kind: "investor", name: row.external_id ?? row.id, more: null, path: ["investors", row.id] }]
  },
  rev: async ({ workspaceId, scopes }, id) => {
    if (!scopes.has("review:write")) return []
    const rows = await sql<SummaryRow[]>`
      select ${summaryFields()} from ${reviewTables()} where r.workspace_id = ${workspaceId} and r.id = ${id}`
    return rows.map(toReviewSummary).map((row) => ({
      kind: "review",
      name: `${headlineOf(row)} · ${personIn(row.external_id, row.wallet ?? row.investor_id ?? "")}`,
      more: id,
      path: ["reviews", id],
    }))
  },
  evt: async ({ workspaceId }, id) => {
    const rows = await sql<{ id: string; type: string }[]>`
      select id, type from events where workspace_id = ${workspaceId} and id = ${id}`
    return rows.map((row) => ({ kind: "event", name: row.type, more: row.id, path: ["events", row.id] }))
  },
  whe: async (principal, id) => {
    const { workspaceId } = principal
    const rows = await sql<{ id: string; url: string }[]>`
      select id, url from webhook_endpoints where workspace_id = ${workspaceId} and id = ${id} and deleted_at is null`
    return rows.map(({ id, url }) => ({
      kind: "endpoint",
      name: urlFor(principal, url),
      more: id,
      path: ["webhooks", id],
    }))
  },
  req: async ({ workspaceId }, id) => {
    const rows = await sql<{ id: string; method: string; path: string }[]>`
      select id, method, path from api_requests where workspace_id = ${workspaceId} and id = ${id}`
    return rows.map(({ id, method, path }) => ({
      kind: "request",
      name: `${method} ${path}`,
      more: id,
      path: ["logs", id],
    }))
  },
  apr: async ({ workspaceId }, id) => {
    const rows = await sql<{ id: string; action: RequestedAction }[]>`
      select id, action from approvals where workspace_id = ${workspaceId} and id = ${id}`
    return rows.map((row) => ({
      kind: "approval",
      name: approvalActions[row.action],
      more: id,
      path: ["approvals", id],
    }))
  },
  rec: async ({ workspaceId }, id) => {
    const rows = await sql<{ lost_wallet: string }[]>`
      select lost_wallet from recoveries where workspace_id = ${workspaceId} and id = ${id}`
    return rows.map((row) => ({ kind: "recovery", name: id, more: row.lost_wallet, path: ["recoveries", id] }))
  },
  dist: async ({ workspaceId }, id) => {
    const rows = await sql<{ reference: string; mint_config: string }[]>`
      select reference, mint_config from distributions where workspace_id = ${workspaceId} and id = ${id}`
    return rows.map((row) => ({
      kind: "distribution",
      name: row.reference,
      more: `${row.mint_config}, ${id}`,
      path: ["distributions", id],
    }))
  },
  key: ({ workspaceId }, id) => keys(workspaceId, sql`id = ${id}`),
} satisfies Partial<Record<IdPrefix, Find>>

type Condition = ReturnType<typeof sql>

async function attestations(
  workspaceId: string,
  condition: Condition,
  kind: "attestation" | "session",
): Promise<Found[]> {
  const rows = await sql<AttestationRow[]>`
    select a.id, a.session_id, a.wallet, a.status, a.open_until, a.expires_at, a.revoked_at, i.external_id,
      s.name as schema
    from attestations a
    left join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
    join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    where a.workspace_id = ${workspaceId} and ${condition}`
  const now = clock.now()
  return rows.map((row) => ({
    kind,
    name: `${personIn(row.external_id, row.wallet)} · ${row.schema}`,
    more: kind === "session" ? row.session_id : row.id,
    statuses: [shownStatusAt(row, now)],
    path: ["attestations", row.id],
  }))
}

type AttestationRow = {
  id: string
  session_id: string
  wallet: string
  status: AttestationStatus
  open_until: Date | null
  expires_at: Date | null
  revoked_at: Date | null
  external_id: string | null
  schema: string
}

/** A person by the workspace's own id, or else by their wallet. */
const personIn = (externalId: string | null, wallet: string): string =>
  externalId === null ? wallet : shownName(externalId)

/** Operations of tokens only. Others have no page. */
async function operations({ workspaceId }: Principal, condition: Condition): Promise<Found[]> {
  const rows = await sql<{ id: string; kind: string; mint_config: string; wallet: string | null }[]>`
    select id, kind, mint_config, wallet from operations
    where workspace_id = ${workspaceId} and ${condition} and ${isMovement()} limit ${MOST}`
  return rows.map((row) => ({
    kind: "operation",
    name: row.id,
    more: `${row.kind === "mint" ? "Mint" : "Transfer"} of ${row.mint_config}${row.wallet === null ? "" : ` to ${row.wallet}`}`,
    path: ["tokens", row.mint_config, "operations", row.id],
  }))
}

async function keys(workspaceId: string, condition: Condition): Promise<Found[]> {
  const rows = await sql<{ id: string; name: string }[]>`
    select id, name from api_keys where workspace_id = ${workspaceId} and ${condition} order by name limit ${MOST}`
  return rows.map((row) => ({ kind: "key", name: row.name, more: row.id, path: ["keys"] }))
}

async function investors(principal: Principal, q: string): Promise<Found[]> {
  const { data } = await searchInvestors(principal, { q })
  return data.slice(0, MOST).map(({ investor_id, external_id, wallets: [wallet], statuses }) => ({
    kind: "investor",
    name: external_id ?? wallet ?? investor_id,
    more: external_id === null ? investor_id : (wallet ?? investor_id),
    statuses,
    path: ["investors", investor_id],
  }))
}

/** Named objects by a part of the name in any case, and tokens also by mint. */
async function byName({ workspaceId }: Principal, text: string): Promise<Found[]> {
  const part = `%${text.replaceAll(/[\\%_]/g, "\\$&")}%`
  const [ofTokens, schemas, ofKeys, members] = await Promise.all([
    tokens(sql`workspace_id = ${workspaceId}
      and (id ilike ${part} or name ilike ${part} or symbol ilike ${part} or mint = ${text})`),
    sql<{ id: string; name: string }[]>`
      select id, name from schemas where workspace_id = ${workspaceId} and (id ilike ${part} or name ilike ${part})
      order by name limit ${MOST}`,
    keys(workspaceId, sql`name ilike ${part} and revoked_at is null`),
    sql<{ name: string; email: string }[]>`
      select u.name, u.email from workspaces w join members m on m.account_id = w.account_id join users u on u.id = m.user_id
      where w.id = ${workspaceId} and (u.name ilike ${part} or u.email ilike ${part}) order by u.name limit ${MOST}`,
  ])
  return [
    ...ofTokens,
    ...schemas.map(({ id, name }): Found => ({ kind: "schema", name, more: id, path: ["schemas", id] })),
    ...ofKeys,
    ...members.map(({ name, email }): Found => ({ kind: "member", name, more: email, path: ["settings"] })),
  ]
}
