import { sql } from "#db/client.ts"
import { hasWords, investorsNamed, type Match, resolveInvestor, walletsLike } from "#domain/investor-search"
import { isId } from "#server/lib/ids.ts"
import { isWalletAddress } from "#server/solana/addresses.ts"
import type { Address } from "#shared/address.ts"

/** Up to this many matches of a text are looked up and sorted. With more, the list is scanned in order. */
const FEW = 1000

/** Few ids, or conditions on each row if too many match. */
export type Text = { wallet: Address } | { investorId: string } | { ids: string[] } | { anyOf: Match[] }

/** The search text is also a customer's own id, which few or very many rows may share. */
export async function readTexts(
  workspaceId: string,
  { q: typed, externalId }: { q?: string | undefined; externalId?: string | undefined },
): Promise<Text[]> {
  const q = typed?.trim() ?? ""
  const texts: Text[] = []
  if (externalId !== undefined) texts.push(await lookUp(workspaceId, [externalIdIs(externalId)]))
  if (q === "") return texts
  if (isId("att", q)) texts.push({ ids: [q] })
  else if (isId("inv", q)) texts.push({ investorId: (await resolveInvestor(workspaceId, q)) ?? q })
  else if (isWalletAddress(q)) texts.push({ wallet: q })
  else texts.push(await likeEither(workspaceId, q))
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

const externalIdIs = (id: string): Match => ({
  lookup: sql`external_id is not null and lower(external_id) = lower(${id}) and external_id = ${id}`,
  each: sql`external_id = ${id}`,
})

/** People whose external id has all words of the text, and wallets like it. */
async function likeEither(workspaceId: string, q: string): Promise<Text> {
  const investors = await investorsNamed(workspaceId, q)
  const has = hasWords(q)(sql`i.external_id`)
  const byName: Match = {
    lookup: sql`investor_id = any(${investors ?? []})`,
    // A value, not `exists`: the planner would make that a join, expect few matches and begin with all of them.
    each: sql`(select ${has} from investors i where i.workspace_id = ${workspaceId} and i.id = investor_id)`,
  }
  const anyOf = [byName, ...walletsLike(q)]
  return investors === null ? { anyOf } : lookUp(workspaceId, anyOf)
}

/** The same as a condition on each row. */
export function likeText(text: Text) {
  if ("ids" in text) return sql`and id = any(${text.ids})`
  if ("wallet" in text) return sql`and wallet = ${text.wallet}`
  if ("investorId" in text) return sql`and investor_id = ${text.investorId}`
  return sql`and (${text.anyOf.map(({ each }) => each).reduce((all, one) => sql`${all} or ${one}`)})`
}
