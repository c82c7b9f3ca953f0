import { type Queryable, repeatOnDeadlock, sql } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { type Author, recordChanges, theOperator } from "#server/domain/audit-log/record.ts"
import type { IdempotencyClaim } from "#server/domain/context.ts"
import { claimKey } from "#server/domain/idempotency.ts"
import { refuseToEndAlone } from "#server/domain/reviews/end-alone.ts"
import { isId, newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import type { AttestationStatus } from "#shared/statuses.ts"
import { endInForce } from "./end-in-force.ts"
import { type ErasedRow, erasedColumns } from "./erased-row.ts"
import { erasers } from "./erasers.ts"
import { requestRedactions } from "./vendor-redactions.ts"

export type Erased =
  /** Null where nothing is known of whoever it is; after the first time, that of then. */
  | { erased: number; erasureId: string | null }
  /** Still in force: what it rests on cannot go before it does. */
  | { current: { attestationId: string; status: AttestationStatus } }

export type Erasing = {
  workspaceId: string
  author?: Author
  idempotency?: IdempotencyClaim | null
  /** What is pending or verified is ended with it, or keeps everything from being erased. */
  inForce?: "end" | "refuse"
}

/**
 * Erases what is known of the owner of a wallet through it, wherever it is kept (docs/privacy.md has the list), in one
 * transaction with the end of what was in force. Rows that count against the quota or explain the ledger stay, with the
 * wallet's address. The person's other wallets are no longer tied to it. Sessions that other people have for the wallet stay.
 */
export const eraseWallet = ({ wallet, ...erasing }: Erasing & { wallet: Address }): Promise<Erased> =>
  erase(erasing, async (sql) => {
    const { workspaceId } = erasing
    const ownerId = await ownerOf(sql, workspaceId, wallet)
    // Only these: a session that begins now is a new decision.
    const attestations = await sql<ErasedRow[]>`
      select ${sql(erasedColumns)} from attestations
      where workspace_id = ${workspaceId} and wallet = ${wallet} and investor_id = ${ownerId}
      order by seq for update`
    if (attestations.length === 0 && (await ownerOf(sql, workspaceId, wallet)) !== ownerId) throw new Moved()
    const found = { action: "wallet.erased", subject: wallet, investorId: null } as const
    return { ...found, wallets: [wallet], attestations: [...attestations] }
  }) as Promise<Erased>

/** Whom a wallet stands for or, if that person was erased and no one has begun again, the erased one. */
async function ownerOf(sql: Queryable, workspaceId: string, wallet: Address): Promise<string | null> {
  const [owner] = await sql<{ id: string | null }[]>`
    select coalesce(i.investor_id, o.investor_id) as id
    from investor_of_wallet(${workspaceId}, ${wallet}) i, wallet_owner(${workspaceId}, ${wallet}) o`
  return owner?.id ?? null
}

/**
 * The same for a person with all of their attestations and the wallets that they own. What other people verified with one of
 * these wallets stays. Null if there is no such investor.
 */
export const eraseInvestor = ({
  investorId,
  ...erasing
}: Erasing & { investorId: string }): Promise<Erased | null> =>
  erase(erasing, async (sql) => {
    const { workspaceId } = erasing
    if (!isId("inv", investorId)) return null
    const [investor] = await sql<{ id: string }[]>`
      select id from investors where workspace_id = ${workspaceId} and id =
        (select coalesce(merged_into, id) from investors where workspace_id = ${workspaceId} and id = ${investorId})`
    if (!investor) return null
    const owned = await sql<{ wallet: Address }[]>`
      select w.wallet from (
        select distinct wallet from attestations where workspace_id = ${workspaceId} and investor_id = ${investor.id}
      ) w where ${investor.id} = (select investor_id from wallet_owner(${workspaceId}, w.wallet))
      order by w.wallet`
    const wallets = owned.map((one) => one.wallet)
    const attestations = await sql<ErasedRow[]>`
      select ${sql(erasedColumns)} from attestations
      where workspace_id = ${workspaceId} and investor_id = ${investor.id}
      order by seq for update`
    const found = { action: "investor.erased", subject: investor.id, investorId: investor.id } as const
    return { ...found, wallets, attestations: [...attestations] }
  })

type Found = {
  action: "wallet.erased" | "investor.erased"
  subject: string
  /** Whose all of it is; null where that follows from the wallet. */
  investorId: string | null
  wallets: Address[]
  attestations: ErasedRow[]
}

async function erase(
  { workspaceId, author = theOperator, idempotency = null, inForce = "refuse" }: Erasing,
  find: (sql: Queryable) => Promise<Found | null>,
): Promise<Erased | null> {
  const outcome = await repeatWhileMoved(() =>
    sql.begin(async (sql): Promise<Erased | null> => {
      const found = await find(sql)
      if (found === null) return null
      const { attestations, wallets, action, subject } = found
      const current = attestations.find(({ status }) => status === "pending" || status === "verified")
      if (current && inForce === "refuse")
        return { current: { attestationId: current.id, status: current.status } }
      const persons = await wholePersons(sql, workspaceId, found)
      if (found.investorId !== null && !persons.some(({ id }) => id === found.investorId)) throw new Moved()
      const fresh = attestations.filter(({ erased_at }) => erased_at === null)
      const isErased = [...fresh, ...persons].every((one) => one.erased_at !== null)
      const last = isErased ? await lastErasure(sql, workspaceId, found) : null
      // Who was erased with another person's wallet has no erasure of their own yet.
      const isRepeat = isErased && (last !== null || persons.length === 0)
      const erasureId = isRepeat ? last : newId("era")
      await refuseToEndAlone(sql, {
        workspaceId,
        author,
        attestationIds: attestations.map(({ id }) => id),
        alsoOf: { wallets, investorIds: persons.map(({ id }) => id) },
      })
      if (idempotency && erasureId !== null) await claimKey(sql, idempotency, erasureId)
      const now = clock.now()
      const ended = await endInForce(sql, attestations, now)
      const of = { workspaceId, wallets, attestations, investorIds: persons.map(({ id }) => id), now }
      for (const eraseFrom of erasers) await eraseFrom(sql, of)
      if (isRepeat || erasureId === null) return { erased: 0, erasureId }
      const investorId = await giveToErased(sql, found, of)
      await sql`
        insert into erasures (workspace_id, id, investor_id, wallets, attestations, revoked, erased_at)
        values (${workspaceId}, ${erasureId}, ${investorId}, ${wallets}, ${fresh.length}, ${ended.length}, ${now})`
      await requestRedactions(sql, { workspaceId, erasureId, of: fresh, now })
      const revoked = ended.map(({ id, status }) => {
        const detail = { was: status, erasure: erasureId }
        return { author, action: "attestation.revoked", subject: id, detail }
      })
      const detail = {
        attestations: fresh.length,
        ...(action === "investor.erased" && { wallets: wallets.length }),
      }
      await recordChanges(sql, workspaceId, [...revoked, { author, action, subject, detail }])
      return { erased: fresh.length, erasureId }
    }),
  )
  publish("ledger")
  publishActivity(workspaceId)
  return outcome
}

/** The investor has got another session meanwhile, or has turned out to be another one: they are to be found again. */
class Moved extends Error {}

async function repeatWhileMoved<T>(attempt: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await repeatOnDeadlock(attempt)
    } catch (error) {
      if (!(error instanceof Moved)) throw error
    }
  }
}

type Person = { id: string; erased_at: Date | null }

/**
 * Investors of whom nothing else is known than these attestations: they go with them. Locked first, and looked at by a
 * statement after that: it sees a session that began while the lock was waited for.
 */
async function wholePersons(sql: Queryable, workspaceId: string, found: Found): Promise<Person[]> {
  const ids = investorsOf(found)
  await sql`
    select from investors where workspace_id = ${workspaceId} and id = any(${ids}) order by id for update`
  return sql<Person[]>`
    select id, erased_at from investors i
    where workspace_id = ${workspaceId} and merged_into is null and id = any(${ids})
      and not exists (select from attestations a where a.workspace_id = ${workspaceId} and a.investor_id = i.id
        and a.id <> all(${found.attestations.map(({ id }) => id)}))
    order by id`
}

const investorsOf = ({ investorId, attestations }: Found): string[] => [
  ...new Set([...attestations.map((one) => one.investor_id), ...(investorId === null ? [] : [investorId])]),
]

/** The erasure that found everything gone by now. */
async function lastErasure(sql: Queryable, workspaceId: string, found: Found): Promise<string | null> {
  const [last] = await sql<{ id: string }[]>`
    select id from erasures
    where workspace_id = ${workspaceId} and investor_id = any(${investorsOf(found)})
    order by seq desc nulls last limit 1`
  return last?.id ?? null
}

/** Ties what was erased to an investor of whom nothing is known: their own, or a new one where they have other wallets. */
async function giveToErased(
  sql: Queryable,
  { investorId, attestations }: Found,
  { workspaceId, investorIds, now }: { workspaceId: string; investorIds: string[]; now: Date },
): Promise<string> {
  const last = investorId ?? attestations.at(-1)!.investor_id
  const id = investorIds.includes(last) ? last : newId("inv")
  if (id !== last)
    await sql`
      insert into investors (workspace_id, id, created_at, erased_at) values (${workspaceId}, ${id}, ${now}, ${now})`
  await sql`
    update attestations set investor_id = ${id}
    where workspace_id = ${workspaceId} and id = any(${attestations.map((one) => one.id)}) and investor_id <> ${id}`
  return id
}
