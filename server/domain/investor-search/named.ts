import type { Fragment } from "postgres"
import { sql } from "#db/client.ts"
import { isId } from "#server/lib/ids.ts"
import { isWalletAddress } from "#server/solana/addresses.ts"
import { resolveInvestor } from "./resolve.ts"
import { walletsLike } from "./wallets.ts"
import { hasWords } from "./words.ts"

/** Up to this many people are looked up. If a text names more, a list checks each of its rows. */
const FEW = 5000

/** The people whom a text names, as conditions on the rows of a list. */
export type NamedPeople = {
  /** Whether a wallet is meant, or belongs to one of the people. */
  hasWallet: (wallet: Fragment) => Fragment
  /** Whether an investor is one of them. */
  hasInvestor: (investorId: Fragment) => Fragment
  /** The same for a row that has both a wallet and the investor whom it is about. */
  isAbout: (row: { investorId: Fragment; wallet: Fragment }) => Fragment
  /** The same for a row that has both a wallet and the external id of its owner. */
  isNamed: (row: { externalId: Fragment; wallet: Fragment }) => Fragment
  /** The ids of the people, of their attestations, and their wallets. Null if there are too many. */
  ids: string[] | null
  /** Their wallets. Empty if there are too many. */
  wallets: string[]
}

/**
 * The people whom a text names: by words of their external id in any order and case, a wallet or its first or last
 * characters, or the id of an investor or an attestation. Null if the text is empty, which limits nothing.
 */
export async function readNamed(workspaceId: string, q: string | undefined): Promise<NamedPeople | null> {
  const text = q?.trim() ?? ""
  if (text === "") return null
  if (isId("inv", text)) {
    const investor = await resolveInvestor(workspaceId, text)
    return among(workspaceId, { investors: investor === null ? [] : [investor], wallets: [] })
  }
  if (isId("att", text)) {
    const rows = await sql<{ wallet: string }[]>`
      select wallet from attestations where workspace_id = ${workspaceId} and id = ${text}`
    return among(workspaceId, { investors: [], wallets: rows.map(({ wallet }) => wallet) })
  }
  if (isWalletAddress(text)) return among(workspaceId, { investors: [], wallets: [text] })
  const lookups = walletsLike(text).map(({ lookup }) => lookup)
  const [investors, wallets] = await Promise.all([
    investorsNamed(workspaceId, text),
    lookups.length === 0
      ? []
      : sql<{ wallet: string }[]>`
          select distinct wallet from attestations where workspace_id = ${workspaceId}
            and (${lookups.reduce((all, one) => sql`${all} or ${one}`)}) limit ${FEW + 1}`,
  ])
  if (investors === null || wallets.length > FEW) return checkedOneByOne(workspaceId, text)
  return among(workspaceId, {
    investors,
    wallets: wallets.map(({ wallet }) => wallet),
  })
}

/** The investors whose external id has all words of a text. Null if there are very many. */
export async function investorsNamed(workspaceId: string, q: string): Promise<string[] | null> {
  // Materialized: a planner that expects many and needs a few would read all investors instead of the index.
  const rows = await sql<{ id: string }[]>`
    with found as materialized (
      select i.id from investors i
      where i.workspace_id = ${workspaceId} and i.external_id is not null and ${hasWords(q)(sql`i.external_id`)}
    ) select id from found limit ${FEW + 1}`
  return rows.length > FEW ? null : rows.map(({ id }) => id)
}

/** These people with the wallets that belong to them now, and these wallets with the people they belong to. */
async function among(
  workspaceId: string,
  { investors, wallets }: { investors: string[]; wallets: string[] },
): Promise<NamedPeople> {
  const [rows, merged] = await Promise.all([
    sql<{ id: string; wallet: string; owner: string | null }[]>`
      select a.id, a.wallet, o.investor_id as owner from attestations a
      cross join lateral wallet_owner(${workspaceId}, a.wallet) o
      where a.workspace_id = ${workspaceId} and (a.investor_id = any(${investors}) or a.wallet = any(${wallets}))`,
    sql<{ id: string }[]>`
      select id from investors where workspace_id = ${workspaceId} and merged_into = any(${investors})`,
  ])
  const named = new Set(investors)
  const meant = new Set(wallets)
  const owners = rows.flatMap(({ wallet, owner }) => (meant.has(wallet) && owner !== null ? [owner] : []))
  const own = rows.flatMap(({ wallet, owner }) => (owner !== null && named.has(owner) ? [wallet] : []))
  const allInvestors = [...new Set([...investors, ...owners])]
  const allWallets = [...new Set([...wallets, ...own])]
  return {
    hasWallet: (wallet) => sql`${wallet} = any(${allWallets})`,
    hasInvestor: (investorId) => sql`${investorId} = any(${allInvestors})`,
    isAbout: ({ investorId, wallet }) => sql`(${wallet} = any(${allWallets}) or ${investorId} = any(${allInvestors}))`,
    isNamed: ({ wallet }) => sql`${wallet} = any(${allWallets})`,
    ids: [...allInvestors, ...merged.map(({ id }) => id), ...allWallets, ...rows.map(({ id }) => id)],
    wallets: allWallets,
  }
}

function checkedOneByOne(workspaceId: string, q: string): NamedPeople {
  const has = hasWords(q)
  const either = (wallet: Fragment, byName: Fragment) =>
    sql`(${walletsLike(q, wallet).reduce((all, { each }) => sql`${all} or ${each}`, byName)})`
  const hasInvestor = (investorId: Fragment) =>
    sql`(select ${has(sql`i.external_id`)} from investors i
      where i.workspace_id = ${workspaceId} and i.id = ${investorId})`
  // Values, not `exists`: the planner would make that a join, expect few matches and begin with all of them.
  return {
    // The wallet stands before the join, because `investors` also has a column of that name.
    hasWallet: (wallet) =>
      either(
        wallet,
        sql`(select ${has(sql`i.external_id`)} from wallet_owner(${workspaceId}, ${wallet}) o
          join investors i on i.workspace_id = ${workspaceId} and i.id = o.investor_id)`,
      ),
    hasInvestor,
    isAbout: ({ investorId, wallet }) => either(wallet, hasInvestor(investorId)),
    isNamed: ({ externalId, wallet }) => either(wallet, has(externalId)),
    ids: null,
    wallets: [],
  }
}
