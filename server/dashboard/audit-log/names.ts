import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import { isId } from "#server/lib/ids.ts"
import { ADDRESS } from "#shared/address.ts"
import type { RequestedAction } from "#shared/approvals.ts"
import type { ReviewKind } from "#shared/reviews.ts"
import type { OperationStatus } from "#shared/statuses.ts"

/** An entry's subject and details, in which ids are. */
export type Mentioning = { action: string; subject: string; detail: Record<string, unknown> }

/** The person behind an object. `investor_id` is null if no one has verified the wallet. */
export type Person = {
  investor_id: string | null
  external_id: string | null
  is_erased: boolean
  wallet: string | null
}
type Token = { mint_config: string; symbol: string; decimals: number }

/** What is known now about each kind of object that an entry can be about. */
type Facts = {
  investor: Person
  wallet: Person
  attestation: Person & { schema: string; reason: string | null }
  review: Person & { kind: ReviewKind; reason: string | null }
  recovery: Person & { new_wallet: string | null; reason: string | null }
  payout: Person & { distribution: string }
  hold: Person & Token & { amount: string }
  operation: (Token | { [Field in keyof Token]: null }) & {
    kind: string
    status: OperationStatus
    amount: string | null
    wallet: string | null
    from_wallet: string | null
  }
  token: { name: string; symbol: string; decimals: number }
  schema: { name: string }
  key: { name: string }
  endpoint: { url: string }
  snapshot: { name: string; mint_config: string }
  distribution: { reference: string; mint_config: string }
  approval: { action: RequestedAction; request: Record<string, unknown>; reason: string | null }
  bulk: { reason: string | null }
}
type Kind = keyof Facts

/** The objects that entries mention, by kind and id. Those that the workspace does not have, or no longer, are missing. */
export type Names = <K extends Kind>(kind: K, id: unknown) => Facts[K] | undefined

/** The most ids to take from one list in an entry. */
const MOST_LISTED = 20

/**
 * Reads what entries are about: the log is pseudonymous, and names are looked up when it is shown. So an erased investor
 * has no name in old entries either.
 */
export async function readNames(workspaceId: string, entries: readonly Mentioning[]): Promise<Names> {
  const known = new Map<string, Facts[Kind]>()
  const read = async (mentioned: Mentioned) => {
    for (const { kind, id, facts } of await factsOf(workspaceId, mentioned)) known.set(`${kind} ${id}`, facts)
  }
  await read(mentionedIn(entries))
  // Operations and the requests of approvals mention further objects.
  const within = mentionedIn(
    [...known].flatMap(([of, facts]) =>
      /^(operation|approval) /.test(of) ? [{ action: "", subject: "", detail: facts as Record<string, unknown> }] : [],
    ),
  )
  for (const kind of kinds) within[kind] = within[kind].filter((id) => !known.has(`${kind} ${id}`))
  if (kinds.some((kind) => within[kind].length > 0)) await read(within)
  return ((kind, id) => known.get(`${kind} ${id}`)) as Names
}

const prefixes = {
  investor: "inv",
  attestation: "att",
  review: "rev",
  recovery: "rec",
  payout: "pay",
  hold: "hold",
  operation: "op",
  key: "key",
  endpoint: "whe",
  snapshot: "snap",
  distribution: "dist",
  approval: "apr",
  bulk: "blk",
} as const
const byPrefix = Object.entries(prefixes) as [keyof typeof prefixes, (typeof prefixes)[keyof typeof prefixes]][]
const kinds = [...byPrefix.map(([kind]) => kind), "wallet", "token", "schema"] as const

type Mentioned = Record<(typeof kinds)[number], string[]>

/** The ids in entries. Ids of tokens and schemas have no prefix: their fields name them. */
function mentionedIn(entries: readonly Mentioning[]): Mentioned {
  const found = Object.fromEntries(kinds.map((kind) => [kind, new Set()])) as Record<keyof Mentioned, Set<string>>
  const take = (name: string, value: unknown): void => {
    if (Array.isArray(value)) for (const one of value.slice(0, MOST_LISTED)) take(name, one)
    else if (typeof value === "object" && value !== null)
      for (const [name, one] of Object.entries(value)) take(name, one)
    else if (typeof value === "string") {
      const kind = fields[name] ?? byPrefix.find(([, prefix]) => isId(prefix, value))?.[0]
      if (kind !== undefined) found[kind].add(value)
      else if (ADDRESS.test(value)) found.wallet.add(value)
    }
  }
  for (const { action, subject, detail } of entries) {
    take(action.split(".")[0]!, subject)
    take("", detail)
  }
  return Object.fromEntries(kinds.map((kind) => [kind, [...found[kind]]])) as Mentioned
}

/** Names of fields, and of objects in actions, that hold ids without a prefix. */
const fields: Partial<Record<string, "token" | "schema">> = {
  mint_config: "token",
  schema: "schema",
  required_schema: "schema",
}

type Found = { kind: Kind; id: string; facts: Facts[Kind] }

async function factsOf(workspaceId: string, ids: Mentioned): Promise<Found[]> {
  /** The person with this id, or the one they were merged into. */
  const person = (id: Fragment) => sql`
    left join lateral (
      select n.id, n.external_id, n.erased_at from investors i join investors n on n.workspace_id = i.workspace_id
        and n.id = coalesce(i.merged_into, i.id)
      where i.workspace_id = ${workspaceId} and i.id = ${id}) n on true`
  const ownerOf = (wallet: Fragment) => sql`(select investor_id from wallet_owner(${workspaceId}, ${wallet}))`
  const isPerson = (wallet: Fragment) => sql`
    'investor_id', n.id, 'external_id', n.external_id, 'is_erased', n.erased_at is not null, 'wallet', ${wallet}`
  const ofToken = sql`'mint_config', c.id, 'symbol', c.symbol, 'decimals', c.decimals`
  const here = (alias: string) => sql`${sql(alias)}.workspace_id = ${workspaceId}`
  return sql<Found[]>`
    select 'investor' as kind, t.id, jsonb_build_object(${isPerson(sql`null`)}) as facts
    from unnest(${ids.investor}::text[]) as t(id) ${person(sql`t.id`)}
    union all
    select 'wallet', t.wallet, jsonb_build_object(${isPerson(sql`t.wallet`)})
    from unnest(${ids.wallet}::text[]) as t(wallet) ${person(ownerOf(sql`t.wallet`))}
    union all
    select 'attestation', a.id, jsonb_build_object(${isPerson(sql`a.wallet`)}, 'schema', s.name, 'reason', a.reason)
    from attestations a join schemas s on s.workspace_id = a.workspace_id and s.id = a.schema_id
    ${person(sql`a.investor_id`)}
    where ${here("a")} and a.id = any(${ids.attestation})
    union all
    select 'review', r.id, jsonb_build_object(${isPerson(sql`coalesce(r.wallet, a.wallet)`)}, 'kind', r.kind,
      'reason', encode(r.reason, 'base64'))
    from reviews r left join attestations a on a.workspace_id = r.workspace_id and a.id = r.attestation_id
    ${person(sql`coalesce(r.investor_id, a.investor_id, ${ownerOf(sql`r.wallet`)})`)}
    where ${here("r")} and r.id = any(${ids.review})
    union all
    select 'recovery', r.id, jsonb_build_object(${isPerson(sql`r.lost_wallet`)}, 'new_wallet', r.new_wallet,
      'reason', r.error_detail)
    from recoveries r ${person(sql`r.investor_id`)} where ${here("r")} and r.id = any(${ids.recovery})
    union all
    select 'payout', p.id, jsonb_build_object(${isPerson(sql`p.wallet`)}, 'distribution', p.distribution_id)
    from payouts p ${person(sql`coalesce(p.investor_id, ${ownerOf(sql`p.wallet`)})`)}
    where ${here("p")} and p.id = any(${ids.payout})
    union all
    select 'hold', h.id, jsonb_build_object(${isPerson(sql`h.wallet`)}, ${ofToken}, 'amount', h.amount::text)
    from holds h join mint_configs c on c.workspace_id = h.workspace_id and c.id = h.mint_config
    ${person(ownerOf(sql`h.wallet`))}
    where ${here("h")} and h.id = any(${ids.hold})
    union all
    select 'operation', o.id, jsonb_build_object(${ofToken}, 'kind', o.kind, 'status', o.status,
      'amount', o.payload ->> 'amount', 'wallet', o.wallet, 'from_wallet', o.from_wallet)
    from operations o left join mint_configs c on c.workspace_id = o.workspace_id and c.id = o.mint_config
    where ${here("o")} and o.id = any(${ids.operation})
    union all
    select 'token', c.id, jsonb_build_object('name', c.name, 'symbol', c.symbol, 'decimals', c.decimals)
    from mint_configs c where ${here("c")} and c.id = any(${ids.token})
    union all
    select 'schema', s.id, jsonb_build_object('name', s.name)
    from schemas s where ${here("s")} and s.id = any(${ids.schema})
    union all
    select 'key', k.id, jsonb_build_object('name', k.name)
    from api_keys k where ${here("k")} and k.id = any(${ids.key})
    union all
    select 'endpoint', e.id, jsonb_build_object('url', e.url)
    from webhook_endpoints e where ${here("e")} and e.id = any(${ids.endpoint})
    union all
    select 'snapshot', s.id, jsonb_build_object('name', s.name, 'mint_config', s.mint_config)
    from snapshots s where ${here("s")} and s.id = any(${ids.snapshot})
    union all
    select 'distribution', d.id, jsonb_build_object('reference', d.reference, 'mint_config', d.mint_config)
    from distributions d where ${here("d")} and d.id = any(${ids.distribution})
    union all
    select 'approval', a.id, jsonb_build_object('action', a.action, 'request', a.request, 'reason', a.reason)
    from approvals a where ${here("a")} and a.id = any(${ids.approval})
    union all
    select 'bulk', b.id, jsonb_build_object('reason', coalesce(b.reason, (
      select a.reason from bulk_revocation_items i
      join attestations a on a.workspace_id = i.workspace_id and a.id = i.attestation_id
      where i.workspace_id = b.workspace_id and i.revocation_id = b.id and i.outcome = 'revoked' and a.reason is not null
      limit 1)))
    from bulk_revocations b where ${here("b")} and b.id = any(${ids.bulk})`
}
