import { createHash } from "node:crypto"
import { background as sql } from "#db/client.ts"
import { holdersAt, type Moment } from "#domain/tokens"
import type { Address } from "#shared/address.ts"

/** What a wallet held on the record date, in base units. */
export type Holder = { wallet: Address; balance: string; held: string }

/** The first line of the canonical CSV. Lines end with a line feed, and there is no byte order mark. */
const HEADER = "user_pubkey,balance,held\n"

const linesOf = (holders: readonly Holder[]): string =>
  holders.map(({ wallet, balance, held }) => `${wallet},${balance},${held}\n`).join("")

export type RecordDate = { workspaceId: string; mintConfig: string; recordAt: Date }

/**
 * The holders after a wallet, in the order of the bytes of their addresses. If the database has that order as well, a part
 * costs only its own postings, because the primary key has it. Otherwise each part adds up all that follow.
 */
export async function readHolders(
  { workspaceId, mintConfig, recordAt }: RecordDate,
  { after, most }: { after: Address | null; most: number },
): Promise<Holder[]> {
  const moment: Moment = { slot: null, time: recordAt }
  const [database] = await sql<{ has_order: boolean }[]>`
    select datlocprovider = 'b' or (datlocprovider = 'c' and datcollate ~* '^(C|POSIX)([.]|$)') as has_order
    from pg_database where datname = current_database()`
  const order = database?.has_order ? undefined : sql`wallet collate "C"`
  const wallet = order ?? sql`wallet`
  const and = after === null ? sql`` : sql`and ${wallet} > ${after}`
  const page = holdersAt({ workspaceId, mintConfig, moment }, { and, order, most })
  return sql<Holder[]>`select wallet, balance::text, held::text from (${page}) h order by ${wallet}`
}

const PART = 10_000

/** All holders in parts. Each is its own statement, so neither memory nor a slow client's connection is held. */
export async function* holdersOf(about: RecordDate): AsyncGenerator<Holder[]> {
  for (let after: Address | null = null; ; ) {
    const part = await readHolders(about, { after, most: PART })
    yield part
    if (part.length < PART) return
    after = part.at(-1)!.wallet
  }
}

export type Summary = { holders: number; supply: bigint; sha256: string }

/** Reads all holders once, without keeping them. */
export async function summarize(about: RecordDate): Promise<Summary> {
  const digest = createHash("sha256").update(HEADER)
  let [holders, supply] = [0, 0n]
  for await (const part of holdersOf(about)) {
    digest.update(linesOf(part))
    holders += part.length
    for (const { balance } of part) supply += BigInt(balance)
  }
  return { holders, supply, sha256: digest.digest("base64url") }
}

/** The canonical CSV in parts. */
export async function* csvOf(about: RecordDate): AsyncGenerator<string> {
  let isFirst = true
  for await (const part of holdersOf(about)) {
    yield (isFirst ? HEADER : "") + linesOf(part)
    isFirst = false
  }
}
