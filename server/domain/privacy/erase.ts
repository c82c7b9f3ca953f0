import { type Queryable, repeatOnDeadlock, sql, type Transaction } from "#db/client.ts"
import { publish, publishActivity } from "#db/pubsub.ts"
import { columns, type RowOf } from "#db/rows.ts"
import { type Decided, doneOf, type Replay, underPolicy } from "#domain/approvals"
import { endPending, revokeCredential, statusAt } from "#domain/attestations"
import { type Author, type Change, recordChanges, theOperator } from "#domain/audit-log"
import { type Caller, claimKey, type IdempotencyClaim } from "#domain/requests"
import { refuseToEndAlone } from "#domain/reviews"
import { forgetHolders } from "#domain/token-investors"
import { isId, newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import type { AttestationStatus } from "#shared/statuses.ts"
import { erasers } from "./erasers.ts"
import { type ErasureRecord, getErasure } from "./erasure-record.ts"
import { requestRedactions } from "./vendor-redactions.ts"

/** The facts about an attestation that an erasure needs. */
const erasedColumns = columns(
  "attestations",
  "workspace_id, id, session_id, schema_id, wallet, investor_id, status, open_until, expires_at, provider",
  "provider_reference, earlier_references, erased_at",
)
type ErasedRow = RowOf<typeof erasedColumns>

export type Erased =
  /** `erasureId` is null if nothing is known about the person, and a repeat returns the first one's. */
  | { erased: number; erasureId: string | null }
  /** An attestation in force prevents the erasure. */
  | { current: { attestationId: string; status: AttestationStatus } }

export type Erasing = {
  workspaceId: string
  author?: Author
  idempotency?: IdempotencyClaim | null
  /** Whether pending and verified attestations are ended, or prevent the erasure. */
  inForce?: "end" | "refuse"
  replay?: Replay
}

/**
 * Erases everything known about a wallet's owner through this wallet (docs/privacy.md has the list), and ends what was
 * in force, in one transaction. Rows that count towards the quota or explain the ledger stay, with the wallet's
 * address. The person's other wallets are no longer tied to it. Other people's sessions of the wallet stay.
 */
export const eraseWallet = ({ wallet, ...erasing }: Erasing & { wallet: Address }): Promise<Erased> =>
  erase(erasing, async (sql) => {
    const { workspaceId } = erasing
    const ownerId = await ownerOf(sql, workspaceId, wallet)
    // Only the attestations that exist now. A session that begins later is a new decision to verify the person.
    const attestations = await sql<ErasedRow[]>`
      select ${sql(erasedColumns)} from attestations
      where workspace_id = ${workspaceId} and wallet = ${wallet} and investor_id = ${ownerId}
      order by seq for update`
    if (attestations.length === 0 && (await ownerOf(sql, workspaceId, wallet)) !== ownerId) throw new Moved()
    const found = { action: "wallet.erased", subject: wallet, investorId: null } as const
    return { ...found, wallets: [wallet], attestations: [...attestations] }
  }) as Promise<Erased>

/** The wallet's owner or, if they were erased and no one has begun again, the erased investor. */
async function ownerOf(sql: Queryable, workspaceId: string, wallet: Address): Promise<string | null> {
  const [owner] = await sql<{ id: string | null }[]>`
    select coalesce(i.investor_id, o.investor_id) as id
    from investor_of_wallet(${workspaceId}, ${wallet}) i, wallet_owner(${workspaceId}, ${wallet}) o`
  return owner?.id ?? null
}

/** Erases a person with all their attestations and wallets, but not others' verifications of these. Null if unknown. */
export const eraseInvestor = ({ investorId, ...erasing }: Erasing & { investorId: string }): Promise<Erased | null> =>
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
  /** The investor to erase; null if the wallet determines it. */
  investorId: string | null
  wallets: Address[]
  attestations: ErasedRow[]
}

async function erase(
  { workspaceId, author = theOperator, idempotency = null, inForce = "refuse", replay }: Erasing,
  find: (sql: Queryable) => Promise<Found | null>,
): Promise<Erased | null> {
  const decided = await repeatWhileMoved(() =>
    sql.begin(async (sql): Promise<Decided<Erased | null>> => {
      const found = await find(sql)
      if (found === null) return { done: null }
      const { attestations, wallets, action, subject } = found
      const current = attestations.find(({ status }) => status === "pending" || status === "verified")
      if (current && inForce === "refuse")
        return { done: { current: { attestationId: current.id, status: current.status } } }
      const persons = await investorsToErase(sql, workspaceId, found)
      if (found.investorId !== null && !persons.some(({ id }) => id === found.investorId)) throw new Moved()
      const fresh = attestations.filter(({ erased_at }) => erased_at === null)
      const isErased = [...fresh, ...persons].every((one) => one.erased_at !== null)
      const last = isErased ? await lastErasure(sql, workspaceId, found) : null
      // A person erased with another person's wallet has no erasure with their own id yet.
      const isRepeat = isErased && (last !== null || persons.length === 0)
      const erasureId = isRepeat ? last : newId("era")
      const act = async (sql: Transaction): Promise<Erased> => {
        if (!replay)
          await refuseToEndAlone(sql, {
            workspaceId,
            author,
            attestationIds: attestations.map(({ id }) => id),
            alsoOf: { wallets, investorIds: persons.map(({ id }) => id) },
          })
        if (idempotency && erasureId !== null) await claimKey(sql, idempotency, erasureId)
        const now = clock.now()
        await forgetHolders(sql, workspaceId, {
          wallets,
          attestationIds: attestations.map(({ id }) => id),
          ownerIds: investorsOf(found),
          investorIds: persons.map(({ id }) => id),
        })
        const ended = await endInForce(sql, attestations, now)
        const of = { workspaceId, wallets, attestations, investorIds: persons.map(({ id }) => id), now }
        for (const eraseFrom of erasers) await eraseFrom(sql, of)
        if (isRepeat || erasureId === null) return { erased: 0, erasureId }
        const investorId = await giveToErased(sql, found, of)
        await sql`
          insert into erasures
            (workspace_id, id, investor_id, wallets, attestations, revoked, erased_at, requests_until)
          values (${workspaceId}, ${erasureId}, ${investorId}, ${wallets}, ${fresh.length}, ${ended.length}, ${now},
            ${clock.now()})`
        await requestRedactions(sql, { workspaceId, erasureId, of: fresh, now })
        const revoked = ended.map(({ id, status }): Change => {
          const detail = { was: status, erasure: erasureId }
          return { author, action: "attestation.revoked", subject: id, detail }
        })
        const detail = {
          attestations: fresh.length,
          ...(action === "investor.erased" && { wallets: wallets.length }),
        }
        await recordChanges(sql, workspaceId, [...revoked, { author, action, subject, detail }])
        return { erased: fresh.length, erasureId }
      }
      if (isRepeat || erasureId === null) return { done: await act(sql) }
      const request = found.investorId === null ? { user_pubkey: subject } : { investor_id: subject }
      // What would be erased: a verification that begins while the request waits is another decision.
      const rules = JSON.stringify([...fresh, ...persons].map(({ id }) => id).sort())
      const bound = { action: "erase", subject, request, rules, author, idempotency, replay } as const
      return underPolicy(sql, workspaceId, bound, act)
    }),
  )
  publish("ledger")
  publishActivity(workspaceId)
  return doneOf(decided)
}

/** Thrown if the investor got a new session or was merged while it ran, so that the search must run again. */
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
 * Investors known only by these attestations, to erase with them. Locks them first and reads them in a second
 * statement, which sees a session that began while waiting for the lock.
 */
async function investorsToErase(sql: Queryable, workspaceId: string, found: Found): Promise<Person[]> {
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

/** The earlier erasure, if everything is already erased. */
async function lastErasure(sql: Queryable, workspaceId: string, found: Found): Promise<string | null> {
  const [last] = await sql<{ id: string }[]>`
    select id from erasures
    where workspace_id = ${workspaceId} and investor_id = any(${investorsOf(found)})
    order by seq desc nulls last limit 1`
  return last?.id ?? null
}

/** Ties the erased rows to an empty investor: the person's own, or a new one if they have other wallets. */
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

/** Revokes pending and verified attestations, except those past their time, which the sweep ends. Returns them. */
async function endInForce(sql: Queryable, attestations: readonly ErasedRow[], now: Date): Promise<ErasedRow[]> {
  const inForce = attestations.filter((row) => ["pending", "verified"].includes(statusAt(row, now)))
  for (const row of inForce) {
    const { workspace_id: workspaceId, id, status } = row
    if (status === "pending") {
      const end = { status: "rejected", reason: null, revokedAt: now, now } as const
      await endPending(sql, { workspaceId, attestationId: id, ...end })
    } else {
      await sql`
        update attestations set status = 'rejected', revoked_at = ${now}, ended_at = ${now}
        where workspace_id = ${workspaceId} and id = ${id}`
      await revokeCredential(sql, row)
    }
  }
  return inForce
}

type Request = Caller & { idempotency: IdempotencyClaim | null }

/**
 * Erases a wallet and ends what is in force. A repeat returns the same. May need approval. Errors:
 * attestation_not_found, approver_missing; throws AwaitingApproval.
 */
export async function eraseWalletOnRequest(request: Request & { wallet: Address }): Promise<ErasureRecord> {
  const { wallet } = request
  const { workspaceId } = request.principal
  return answer(request, async (erasing) => {
    const known = await sql`
      select from attestations where workspace_id = ${workspaceId} and wallet = ${wallet} limit 1`
    if (known.length === 0) fail("attestation_not_found", `pubkey: ${wallet} has no attestation in this workspace.`)
    return eraseWallet({ ...erasing, wallet })
  })
}

/** The same for an investor with all their wallets. Errors: investor_not_found, approver_missing. */
export const eraseInvestorOnRequest = (request: Request & { investorId: string }): Promise<ErasureRecord> =>
  answer(
    request,
    async (erasing) =>
      (await eraseInvestor({ ...erasing, investorId: request.investorId })) ??
      fail(
        "investor_not_found",
        "id: this workspace has no investor with this id. Check the id, and the key's workspace.",
      ),
  )

async function answer(
  { idempotency, ...author }: Request,
  erase: (erasing: Omit<Parameters<typeof eraseWallet>[0], "wallet">) => Promise<Erased>,
): Promise<ErasureRecord> {
  const { workspaceId } = author.principal
  if (idempotency?.begun) return getErasure(workspaceId, idempotency.begun)
  const outcome = await erase({ workspaceId, author, idempotency, inForce: "end" })
  // Everything in force was ended, and the person is erased, now or before.
  if ("current" in outcome || outcome.erasureId === null) throw new Error("an erasure is incomplete")
  return getErasure(workspaceId, outcome.erasureId)
}
