import { background as sql } from "#db/client.ts"
import { nextMessage } from "#db/pubsub.ts"
import { openClaims } from "#domain/attestations"
import { providerNamed } from "#domain/deployment"
import { logger } from "#server/lib/log.ts"
import { Passes } from "#server/lib/passes.ts"
import { addSeconds, clock, sleep } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import type { Decision } from "#shared/statuses.ts"

const IDLE_MS = 1000
const LONGEST_PAUSE_SECONDS = 60
const TIMEOUT_MS = 15_000
/** How long this worker has a delivery before another one may try it. */
const LEASE_SECONDS = 20

type Submission = {
  workspace_id: string
  attestation_id: string
  event_id: string
  session_id: string
  mode: Mode
  provider: string
  decision: Decision
  claims: Buffer | null
  occurred_at: Date
  attempts: number
}

/** Reports the form's submissions by the signed webhook, over HTTP, until the webhook acknowledges each. */
export class FormDelivery {
  readonly #webhooksUrl: string
  readonly #stop = new AbortController()
  readonly #passes = new Passes()
  #loop: Promise<void> = Promise.resolve()

  /** Each provider's webhook address is its name below `webhooksUrl`. */
  constructor(webhooksUrl: string) {
    this.#webhooksUrl = webhooksUrl
  }

  start(): void {
    this.#loop = this.#run()
  }

  /** Resolves when every delivery that has already begun has ended. */
  passesEnded(): Promise<void> {
    return this.#passes.ended()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#loop
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        const isIdle = await this.#passes.add(this.#deliverDue())
        if (isIdle) await nextMessage("submissions", IDLE_MS, signal)
      } catch (error) {
        logger.warn({ err: error }, "could not deliver submissions")
        await sleep(200)
      }
    }
  }

  /** Returns whether there was nothing to deliver. */
  async #deliverDue(): Promise<boolean> {
    const now = clock.now()
    // Schedules the next attempt first, so a crash only delays it.
    const due = await sql<Submission[]>`
      update sandbox_submissions b set attempts = b.attempts + 1, next_attempt_at = ${addSeconds(now, LEASE_SECONDS)}
      from attestations a, workspaces w
      where (b.workspace_id, b.attestation_id, b.event_id) in (
          select workspace_id, attestation_id, event_id from sandbox_submissions
          where delivered_at is null and next_attempt_at <= ${now}
          order by next_attempt_at limit 16 for update skip locked)
        and a.workspace_id = b.workspace_id and a.id = b.attestation_id and w.id = b.workspace_id
      returning b.workspace_id, b.attestation_id, b.event_id, a.session_id, w.mode, a.provider, b.decision, b.claims, b.occurred_at, b.attempts`
    await Promise.all(due.map((submission) => this.#deliver(submission)))
    return due.length === 0
  }

  async #deliver(submission: Submission): Promise<void> {
    const { workspace_id, attestation_id, event_id, attempts } = submission
    const now = clock.now()
    const pause = Math.min(0.25 * 2 ** attempts, LONGEST_PAUSE_SECONDS)
    // A delivered submission needs no claims: the attestation has them, sealed.
    const change = (await this.#post(submission))
      ? sql`delivered_at = ${now}, claims = null`
      : sql`next_attempt_at = ${addSeconds(now, pause)}`
    await sql`
      update sandbox_submissions set ${change}
      where workspace_id = ${workspace_id} and attestation_id = ${attestation_id} and event_id = ${event_id}`
  }

  async #post(submission: Submission): Promise<boolean> {
    const { attestation_id, event_id, session_id, mode, provider: name, decision, claims, occurred_at } = submission
    try {
      const { flow } = providerNamed(mode, name)
      if (flow.kind !== "form") return false
      const named = { eventId: event_id, sessionId: session_id, occurredAt: occurred_at }
      const opened = claims === null ? {} : openClaims(attestation_id, claims)
      const webhook = flow.report({ ...named, decision, claims: opened, publicReason: null }, clock.now())
      const response = await fetch(`${this.#webhooksUrl}/${name}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...webhook.headers },
        body: webhook.body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await response.arrayBuffer()
      if (!response.ok) logger.warn({ status: response.status }, "a submission was not acknowledged; retrying")
      return response.ok
    } catch (error) {
      logger.warn({ err: error }, "could not deliver a submission; retrying")
      return false
    }
  }
}
