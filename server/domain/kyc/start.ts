import { type Queryable, repeatOnDeadlock, short, sql } from "#db/client.ts"
import { certainNow } from "#db/clock.ts"
import { publishActivity } from "#db/pubsub.ts"
import { overBudget, quotaExceeded } from "#domain/accounts"
import { credentialAccounts, expireSessions } from "#domain/attestations"
import { recordChange, vouch } from "#domain/audit-log"
import { chainOf, providerFor } from "#domain/deployment"
import { refuseListed } from "#domain/screening"
import { isOwn } from "#domain/token-accounts"
import { reopenedTooOften } from "#domain/tokens"
import { newId } from "#server/lib/ids.ts"
import { clock, sleep } from "#server/lib/time.ts"
import { publicKeyOf } from "#server/solana/addresses.ts"
import { isOfProgram, isOnCurve } from "#server/solana/strict-ed25519.ts"
import { fail } from "#shared/errors.ts"
import { type Beginning, begin, isPending, type StartOutcome, type StartRequest } from "./begin.ts"
import { decideTestWallet } from "./decide-test-session.ts"
import { sessionUrl } from "./session-record.ts"

/** How long a start waits for locked sessions that have expired. */
const SWEEP_MS = 5000

export type Session = { session_id: string; session_url: string }

/**
 * Starts a verification, or returns the open session of the same person, wallet and schema. An open session takes the
 * external id and redirect address of this request, and costs no second unit of quota. Another person's session of the
 * wallet continues. The SQL function `choose_investor`, which `begin` calls, says whose session it is
 * (`db/functions/choose-investor.sql`). A test wallet's session is decided at once. Errors: unknown_schema,
 * invalid_public_key, wallet_sanctioned, wallet_barred, wallet_cannot_sign, quota_exceeded, sol_budget_exceeded,
 * account_reopening_limit, provider_not_configured, chain_not_configured.
 */
export async function startSession(request: StartRequest): Promise<Session> {
  const id = await startOrFind(request)
  await decideTestWallet(request.principal, request.wallet, id)
  return { session_id: id, session_url: sessionUrl(id) }
}

async function startOrFind(request: StartRequest): Promise<string> {
  const { principal, idempotency } = request
  const provider = providerFor(principal.mode, request.schemaId)
  chainOf(principal.mode)
  if (idempotency?.begun) return idempotency.begun
  await refuseListed(principal.workspaceId, request.wallet)
  const giveUpAt = performance.now() + SWEEP_MS
  let account: string | null = null
  let signs: boolean | null = null
  for (;;) {
    const beginning: Beginning = { request, provider, account, signs }
    const started: StartOutcome = await repeatOnDeadlock(() =>
      isByHand(request) ? beginByHand(beginning) : begin(short, beginning),
    )
    switch (started.outcome) {
      case "raced":
        continue
      case "unknown schema":
        return fail(
          "unknown_schema",
          `schemaId: ${request.schemaId} is not a schema of this workspace. List them with GET /schemas.`,
        )
      case "own address":
        return fail("invalid_public_key", isOwn("userPubkey", request.wallet))
      case "barred":
        return fail(
          "wallet_barred",
          `userPubkey: ${request.wallet} was reported as lost. Use another wallet of the investor.`,
        )
      case "begun":
        if (idempotency) idempotency.begun = started.sessionId
        publishActivity(principal.workspaceId)
        return started.sessionId
      case "needs signs": {
        const key = publicKeyOf(request.wallet)
        signs = isOfProgram(key) || isOnCurve(key.toBytes())
        if (!signs) cannotSign(request)
        continue
      }
      case "over budget": {
        const { code, detail } = overBudget(clock.now())
        return fail(code, detail)
      }
      case "needs account":
        account = credentialAccounts(principal.workspaceId, request.schemaId, request.wallet).account
        continue
      case "account reopened":
        return fail("account_reopening_limit", reopenedTooOften(request.wallet, request.schemaId))
      case "sessions expired":
        if (performance.now() >= giveUpAt)
          fail("database_unavailable", "Expired sessions are being closed. Retry in a moment.", {
            retryAfterSeconds: 1,
          })
        await sweepNow(principal.workspaceId)
        continue
      case "quota used":
        // After the statement's snapshot, another start of this wallet may have taken the last unit.
        if (!(await isPending(request))) await quotaExceeded(sql, principal.workspaceId, started.included)
    }
  }
}

const cannotSign = ({ wallet, schemaId }: StartRequest): never =>
  fail(
    "wallet_cannot_sign",
    `userPubkey: ${wallet} is a key that accepts any signature, so it cannot prove who owns it, and ${schemaId} requires proof of the wallet. Use another wallet.`,
  )

/** Expired sessions count towards the quota until they are swept, so a request that needs quota sweeps them. */
async function sweepNow(workspaceId: string): Promise<void> {
  const now = await certainNow()
  if (now === null) {
    fail(
      "database_unavailable",
      "Expired sessions cannot be closed while the server's clocks differ. Retry in a moment.",
      { retryAfterSeconds: 1 },
    )
  }
  const ended = await expireSessions({ workspaceId, now })
  // Another request is sweeping and will commit soon.
  if (ended === 0) await sleep(10)
}

/** Whether a member or a renewal link starts the session. The audit log records such a start. */
const isByHand = ({ principal, renewalOf }: StartRequest): boolean => principal.via.kind === "user" || renewalOf != null

/** Like `begin`, in one commit with the audit log's entry. Errors: invalid_link. */
async function beginByHand(beginning: Beginning): Promise<StartOutcome> {
  const { request } = beginning
  const { principal, requestId, schemaId, renewalOf } = request
  const { workspaceId } = principal
  const id = newId("att")
  try {
    return await sql.begin(async (sql) => {
      const started = await begin(sql, beginning, id)
      // A refused insert has aborted this transaction.
      if (started.outcome !== "begun") throw new NotBegun(started)
      if (renewalOf) await requireSessionOf(sql, workspaceId, started.sessionId, renewalOf.investorId)
      const [isNew] = await sql`select id from attestations where workspace_id = ${workspaceId} and id = ${id}`
      if (isNew) {
        await recordChange(sql, workspaceId, {
          author: renewalOf ? { ...vouch, requestId } : { principal, requestId },
          action: "session.started",
          subject: id,
          detail: { schema: schemaId, ...(renewalOf && { renewal_of: renewalOf.attestationId }) },
        })
      }
      return started
    })
  } catch (error) {
    if (error instanceof NotBegun) return error.why
    throw error
  }
}

class NotBegun extends Error {
  readonly why: StartOutcome
  constructor(why: StartOutcome) {
    super("nothing was begun")
    this.why = why
  }
}

/**
 * Checks that the session belongs to the link's investor. Without an external id, a link starts for the wallet's owner,
 * who may have changed since the link was checked. Errors: invalid_link.
 */
async function requireSessionOf(
  sql: Queryable,
  workspaceId: string,
  sessionId: string,
  investorId: string,
): Promise<void> {
  const [theirs] = await sql`
    select from attestations a join investors i on i.workspace_id = a.workspace_id and i.id = ${investorId}
    where a.workspace_id = ${workspaceId} and a.session_id = ${sessionId}
      and a.investor_id = coalesce(i.merged_into, i.id)`
  if (!theirs) fail("invalid_link", "This link has expired: the wallet now belongs to another person.")
}
