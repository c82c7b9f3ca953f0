import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import { isId } from "#server/lib/ids.ts"
import { isWalletAddress, readWalletParts } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"

/** Up to this many matches of a text are looked up and sorted. With more, the list is scanned in order. */
const FEW = 2000

/** Rows that match a text: from an index, or by a condition on each row if there are too many. */
type Match = { lookup: Fragment; each: Fragment }
export type Text = { wallet: Address } | { investorId: string } | { ids: string[] } | { anyOf: Match[] }

/** The search text is also a customer's own id, which few or very many rows may share. */
export async function readTexts(
  workspaceId: string,
  { q, externalId }: { q?: string | undefined; externalId?: string | undefined },
): Promise<Text[]> {
  const texts: Text[] = []
  if (externalId !== undefined) texts.push(await lookUp(workspaceId, [externalIdIs(externalId)]))
  if (q === undefined) return texts
  if (isId("att", q)) texts.push({ ids: [q] })
  else if (isId("inv", q)) texts.push({ investorId: (await resolveInvestor(workspaceId, q)) ?? q })
  else if (isWalletAddress(q)) texts.push({ wallet: q })
  else texts.push(await lookUp(workspaceId, [externalIdHas(workspaceId, q), ...walletsLike(q)]))
  return texts
}

async function lookUp(workspaceId: string, anyOf: Match[]): Promise<Text> {
  const found = anyOf.map(
    ({ lookup }) => sql`select id from attestations where workspace_id = ${workspaceId} and ${lookup}`,
  )
  const few = await sql<{ id: string }[]>`
    ${found.reduce((all, one) => sql`${all} union all ${one}`)} limit ${FEW + 1}`
  return few.length > FEW ? { anyOf } : { ids: few.map((row) => row.id) }
}

// The indexes compare bytes, and this character sorts after all others.
const LAST = "\u{10ffff}"

const externalIdIs = (id: string): Match => ({
  lookup: sql`external_id is not null and lower(external_id) = lower(${id}) and external_id = ${id}`,
  each: sql`external_id = ${id}`,
})

/** The shortest text that the trigram index can find (`pg_trgm` compares three characters at a time). */
const LEAST_WORD = 3

/** External ids that contain every word of the text, in any order and case. Short texts match as prefixes. */
function externalIdHas(workspaceId: string, q: string): Match {
  const words = q.split(/\s+/).filter((word) => word !== "")
  if (Math.max(...words.map((word) => word.length)) < LEAST_WORD) return externalIdBegins(q)
  const hasAll = words
    .map((word) => sql`lower(i.external_id) like lower(${`%${word.replaceAll(/[\\%_]/g, "\\$&")}%`})`)
    .reduce((all, one) => sql`${all} and ${one}`)
  return {
    lookup: sql`investor_id in (select i.id from investors i
      where i.workspace_id = ${workspaceId} and i.external_id is not null and ${hasAll})`,
    // A value, not `exists`: the planner would make that a join, expect few matches and begin with all of them.
    each: sql`(select ${hasAll} from investors i where i.workspace_id = ${workspaceId} and i.id = investor_id)`,
  }
}

const externalIdBegins = (q: string): Match => ({
  lookup: sql`
    external_id is not null and lower(external_id) ~>=~ lower(${q}) and lower(external_id) ~<~ lower(${q + LAST})`,
  each: sql`left(lower(external_id), length(lower(${q}))) = lower(${q})`,
})

/** Shorter parts of a wallet match too many rows. The index of wallet endings has this many characters. */
const LEAST_PART = 4

/** Wallets that begin or end like this, or both if the middle is left out. */
function walletsLike(q: string): Match[] {
  const parts = readWalletParts(q)
  if (parts === null || Math.min(...Object.values(parts).map((part) => part.length)) < LEAST_PART) return []
  if ("either" in parts) return [walletBegins(parts.either), walletEnds(parts.either)]
  const [begins, ends] = [walletBegins(parts.start), walletEnds(parts.end)]
  return [{ lookup: sql`${begins.lookup} and ${ends.each}`, each: sql`${begins.each} and ${ends.each}` }]
}

const walletBegins = (start: string): Match => ({
  lookup: sql`wallet ~>=~ ${start} and wallet ~<~ ${start + LAST}`,
  each: sql`left(wallet, ${start.length}) = ${start}`,
})

function walletEnds(end: string): Match {
  const each = sql`right(wallet, ${end.length}) = ${end}`
  return { lookup: sql`right(wallet, 4) = ${end.slice(-LEAST_PART)} and ${each}`, each }
}

/** The same as a condition on each row. */
export function likeText(text: Text) {
  if ("ids" in text) return sql`and id = any(${text.ids})`
  if ("wallet" in text) return sql`and wallet = ${text.wallet}`
  if ("investorId" in text) return sql`and investor_id = ${text.investorId}`
  return sql`and (${text.anyOf.map(({ each }) => each).reduce((all, one) => sql`${all} or ${one}`)})`
}

/** The investor that an id stands for: for a merged investor, the one they were merged into. Null if there is none. */
export async function resolveInvestor(workspaceId: string, id: string): Promise<string | null> {
  if (!isId("inv", id)) return null
  const [row] = await sql<{ id: string }[]>`
    select coalesce(merged_into, id) as id from investors where workspace_id = ${workspaceId} and id = ${id}`
  return row?.id ?? null
}
