import type { Queryable } from "#db/client.ts"
import { clockDoubt } from "#db/clock.ts"
import { deployment } from "#domain/deployment"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { type Mail, mailer } from "./mail.ts"

/** Pauses after unsuccessful attempts. After the last one, the mail is given up. */
const PAUSES_SECONDS = [60, 300, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600]
/** The most attempts. */
export const MOST_ATTEMPTS = PAUSES_SECONDS.length
/** Mails to send at the same time. */
export const MAIL_BATCH = 4

/** Pauses sending if the mail server does not answer. */
const troubled = new Backoff({ firstMs: 5000, longestMs: 300_000 })
const MAIL = "mail"

/** When to try a mail again, after `attempts` (a column) including the one that begins now. */
export const nextAttempt = (sql: Queryable, now: Date, attempts: string) => sql`
  ${now}::timestamptz + make_interval(secs => (${PAUSES_SECONDS}::int[])[least(${sql(attempts)} + 1, ${MOST_ATTEMPTS})])`

/**
 * Sends the mails of a queue that must go out now. Records each attempt before sending and its success after, so a
 * crash in between sends the mail again. Does nothing if mail is not configured or the clock is in doubt.
 */
export async function sendDue<Due>({
  stage,
  claim,
  mayMail = async () => true,
  mailOf,
  sent,
  about,
}: {
  /** Stages the mails that must go out now. */
  stage: () => Promise<unknown>
  /** Claims at most `MAIL_BATCH`. It schedules the next attempt first, so a crash only delays it. */
  claim: () => Promise<readonly Due[]>
  /** Counts a mail towards its limits. False postpones it. */
  mayMail?: (due: Due) => Promise<boolean>
  mailOf: (due: Due) => Mail
  sent: (due: Due) => Promise<unknown>
  /** The mail's identification in the log. */
  about: (due: Due) => Record<string, string>
}): Promise<void> {
  const { send } = mailer(deployment.settings)
  if (send === null || clockDoubt() !== null) return
  await stage()
  while (!troubled.isHeld(MAIL)) {
    const batch = await claim()
    await Promise.all(
      batch.map(async (due) => {
        try {
          if (!(await mayMail(due))) return
          await send(mailOf(due))
          troubled.succeeded(MAIL)
          await sent(due)
        } catch (error) {
          troubled.failed(MAIL)
          // Log only Vouch's own reason, because the mail server's text may contain the address.
          const reason = (error as Error).message
          logger.warn({ ...about(due), reason }, "a mail could not be sent; retrying later")
        }
      }),
    )
    if (batch.length < MAIL_BATCH) return
  }
}
