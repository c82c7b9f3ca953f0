import { Webhook } from "standardwebhooks"
import { background as sql } from "#db/client.ts"
import { nextNotice } from "#db/pubsub.ts"
import { openClaims } from "#server/domain/attestations/claims.ts"
import { logger } from "#server/lib/log.ts"
import { addSeconds, clock, sleep } from "#server/lib/time.ts"
import type { Mode } from "#shared/mode.ts"
import type { Decision } from "#shared/statuses.ts"
import { EVENT_TYPE } from "#shared/webhook-event.ts"
import type { WebhookEvent } from "./standard-webhooks.ts"

const IDLE_MS = 1000
const LONGEST_PAUSE_SECONDS = 60
const TIMEOUT_MS = 15_000
/** How long a delivery is this worker's before another may try it. */
const LEASE_SECONDS = 20

const REASONS: Partial<Record<Decision, string>> = {
  rejected: "The sandbox was told to reject this verification.",
  resubmission_requested: "The sandbox was told to ask for another submission.",
  expired: "The sandbox was told to let this verification expire.",
}

type Submission = {
  workspace_id: string
  attestation_id: string
  event_id: string
  session_id: string
  mode: Mode
  decision: Decision
  claims: Buffer | null
  occurred_at: Date
  attempts: number
}

/**
 * Reports what was submitted in the sandbox's form, as a vendor would: by the signed webhook, over HTTP, again
 * and again until it has been acknowledged.
 */
export class SandboxDelivery {
  readonly #webhookUrl: string
  readonly #secretOf: (mode: Mode) => string
  readonly #stop = new AbortController()
  #loop: Promise<void> = Promise.resolve()

  constructor({ webhookUrl, secretOf }: { webhookUrl: string; secretOf: (mode: Mode) => string }) {
    this.#webhookUrl = webhookUrl
    this.#secretOf = secretOf
  }

  start(): void {
    this.#loop = this.#run()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#loop
  }

  async #run(): Promise<void> {
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        const due = await this.#claim()
        await Promise.all(due.map((submission) => this.#deliver(submission)))
        if (due.length === 0) await nextNotice("sandbox", IDLE_MS, signal)
      } catch (error) {
        logger.warn({ err: error }, "could not deliver sandbox decisions")
        await sleep(200)
      }
    }
  }

  /** Takes what is due; the next attempt is written first, so that a crash only delays it. */
  #claim(): Promise<Submission[]> {
    const now = clock.now()
    return sql<Submission[]>`
      update sandbox_submissions b set attempts = b.attempts + 1, next_attempt_at = ${addSeconds(now, LEASE_SECONDS)}
      from attestations a, workspaces w
      where (b.workspace_id, b.attestation_id, b.event_id) in (
          select workspace_id, attestation_id, event_id from sandbox_submissions
          where delivered_at is null and next_attempt_at <= ${now}
          order by next_attempt_at limit 16 for update skip locked)
        and a.workspace_id = b.workspace_id and a.id = b.attestation_id and w.id = b.workspace_id
      returning b.workspace_id, b.attestation_id, b.event_id, a.session_id, w.mode, b.decision, b.claims, b.occurred_at, b.attempts`.then(
      (rows) => [...rows],
    )
  }

  async #deliver(submission: Submission): Promise<void> {
    const { workspace_id, attestation_id, event_id, attempts } = submission
    const now = clock.now()
    const accepted = await this.#post(submission)
    if (accepted) {
      // The claims live on in the attestation, sealed; here they have done their work.
      await sql`
        update sandbox_submissions set delivered_at = ${now}, claims = null
        where workspace_id = ${workspace_id} and attestation_id = ${attestation_id} and event_id = ${event_id}`
    } else {
      const pause = Math.min(0.25 * 2 ** attempts, LONGEST_PAUSE_SECONDS)
      await sql`
        update sandbox_submissions set next_attempt_at = ${addSeconds(now, pause)}
        where workspace_id = ${workspace_id} and attestation_id = ${attestation_id} and event_id = ${event_id}`
    }
  }

  async #post({
    attestation_id,
    event_id,
    session_id,
    mode,
    decision,
    claims,
    occurred_at,
  }: Submission): Promise<boolean> {
    const event: WebhookEvent = {
      type: EVENT_TYPE,
      data: {
        session_id,
        decision,
        occurred_at: occurred_at.toISOString(),
        claims: claims === null ? {} : openClaims(attestation_id, claims),
        reason: REASONS[decision],
      },
    }
    const body = JSON.stringify(event)
    const sentAt = clock.now()
    try {
      const response = await fetch(this.#webhookUrl, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "webhook-id": event_id,
          "webhook-timestamp": String(Math.floor(sentAt.getTime() / 1000)),
          "webhook-signature": new Webhook(this.#secretOf(mode)).sign(event_id, sentAt, body),
        },
        body,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      await response.arrayBuffer()
      if (!response.ok)
        logger.warn({ status: response.status }, "a sandbox decision was not acknowledged; retrying")
      return response.ok
    } catch (error) {
      logger.warn({ err: error }, "could not deliver a sandbox decision; retrying")
      return false
    }
  }
}
