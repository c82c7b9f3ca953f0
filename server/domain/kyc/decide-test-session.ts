import { type Queryable, sql } from "#db/client.ts"
import { countChanges } from "#domain/audit-log"
import { deployment, providerNamed } from "#domain/deployment"
import type { Flow } from "#domain/providers"
import { type Command, claimKey, type Principal } from "#domain/requests"
import { refuseToEndAlone } from "#domain/reviews"
import { isId, newId } from "#server/lib/ids.ts"
import { clock } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { fail } from "#shared/errors.ts"
import { type TestDecision, testWallets } from "#shared/test-wallets.ts"
import type { SessionRecord } from "./session-record.ts"
import { getSession, sessionNotFound } from "./sessions.ts"
import { receiveWebhook } from "./webhook.ts"

/**
 * Decides a sandbox session of the test mode, for tests that have no browser: with the webhook that the sandbox would
 * send, signed and read in the same way. A session that has ended is returned unchanged. The caller acts as the vendor,
 * so they cannot end an open review that needs two members. Errors: sandbox_only, session_not_found,
 * provider_not_configured, review_open, rate_limited.
 */
export async function decideTestSession(
  command: Command & { sessionId: string; decision: TestDecision },
): Promise<SessionRecord> {
  const { principal, requestId, idempotency, sessionId, decision } = command
  if (principal.mode !== "test")
    fail("sandbox_only", "Authorization: this key is a live key. Use a key that begins with vouch_test_.")
  const provider = await formProviderOf(principal, sessionId)
  // A repeat of the request sends the same event, which counts once.
  const eventId = idempotency?.begun ?? newId("evt")
  if (idempotency?.begun == null) {
    await sql.begin(async (sql) => {
      if (decision.decision !== "in_review")
        await refuseToEndAlone(sql, {
          workspaceId: principal.workspaceId,
          author: { principal, requestId },
          attestationIds: await decidedBy(sql, principal.workspaceId, provider.attestationId),
          alsoOf: { wallets: [], investorIds: [] },
        })
      if (idempotency) await claimKey(sql, idempotency, eventId)
      // A session could go in and out of review endlessly, and each review stays.
      await countChanges(sql, principal.workspaceId, [{ actor: principal.via.kind, action: "session.decided" }])
    })
  }
  await reportDecision(provider, { eventId, sessionId, ...decision })
  return getSession(principal, sessionId)
}

async function findSession(workspaceId: string, sessionId: string) {
  const [session] = await sql<{ id: string; provider: string }[]>`
    select id, provider from attestations where workspace_id = ${workspaceId} and session_id = ${sessionId}`
  return session
}

/** The session's provider, if the hosted page's form decides it. */
async function formProviderOf(
  { workspaceId, mode }: Principal,
  sessionId: string,
): Promise<FormProvider & { attestationId: string }> {
  const session = isId("sess", sessionId) && (await findSession(workspaceId, sessionId))
  if (!session) return sessionNotFound()
  const { name, flow } = providerNamed(mode, session.provider)
  if (flow.kind !== "form")
    return fail(
      "sandbox_only",
      `id: this session is decided by ${name}. Only sessions of the sandbox can be decided here.`,
    )
  return { name, attestationId: session.id, report: flow.report }
}

/**
 * The attestation that a session's vendor decides: its own, or the one that a member created by accepting a reversal.
 */
async function decidedBy(sql: Queryable, workspaceId: string, attestationId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select s.id from attestations a join attestations s on s.workspace_id = a.workspace_id and s.wallet = a.wallet
    where a.workspace_id = ${workspaceId} and a.id = ${attestationId} and (s.id = a.id or exists (
      select from reviews r where r.workspace_id = s.workspace_id and r.id = s.review_id and r.kind = 'reversal'
        and r.attestation_id = a.id))`
  return rows.map(({ id }) => id)
}

type FormFlow = Extract<Flow, { kind: "form" }>
type FormProvider = { name: string; report: FormFlow["report"] }

/** Decides a session with the webhook that submitting the form sends. The same event counts once. */
async function reportDecision(
  { name, report }: FormProvider,
  submission: Omit<Parameters<FormFlow["report"]>[0], "occurredAt">,
): Promise<void> {
  const now = clock.now()
  const { headers, body } = report({ ...submission, occurredAt: now }, now)
  await receiveWebhook({ name, webhook: { headers, body: Buffer.from(body) } })
}

/**
 * Decides a session that was started for a test wallet, in the same way as `decideTestSession`. This applies only to
 * sandbox sessions in test mode. In live mode, or with any other provider, the address is an ordinary wallet.
 */
export async function decideTestWallet(
  { workspaceId, mode }: Principal,
  wallet: Address,
  sessionId: string,
): Promise<void> {
  const decision = mode === "test" ? testWallets.get(wallet) : undefined
  if (decision === undefined) return
  const session = await findSession(workspaceId, sessionId)
  const provider = session && deployment.providers[mode].configured.get(session.provider)
  if (provider?.flow.kind !== "form") return
  // A start that returns the session again sends the same event, which counts once.
  const eventId = `evt_${session!.id}`
  await reportDecision({ name: provider.name, report: provider.flow.report }, { eventId, sessionId, ...decision })
}
