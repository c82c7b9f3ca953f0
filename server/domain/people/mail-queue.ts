import type { Queryable } from "#db/client.ts"
import { clockDoubt } from "#db/clock.ts"
import { deployment } from "#server/domain/deployment.ts"
import { Backoff } from "#server/ledger/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { type Mail, mailer } from "./mail.ts"

/** Pauses after each attempt in vain; what never arrives is given up after as many. */
const PAUSES_SECONDS = [60, 300, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600]
/** Attempts that are made, in all. */
export const MOST_ATTEMPTS = PAUSES_SECONDS.length
/** Mails that are sent at once. */
export const MAIL_BATCH = 4

/** A mail server that does not answer is left alone for a while. */
const troubled = new Backoff({ firstMs: 5000, longestMs: 300_000 })
const MAIL = "mail"

/** When a mail is due again after so many attempts (a column), counting the one that begins now. */
export const nextAttempt = (sql: Queryable, now: Date, attempts: string) => sql`
  ${now}::timestamptz + make_interval(secs => (${PAUSES_SECONDS}::int[])[least(${sql(attempts)} + 1, ${MOST_ATTEMPTS})])`

/**
 * Sends what is due of a queue of mails, each once. It is noted before it is sent, and as sent after it: after a crash
 * in between it is sent again. Nothing while no mail is configured, or the time is in doubt.
 */
export async function sendDue<Due>({
  stage,
  claim,
  mayMail = async () => true,
  mailOf,
  sent,
  about,
}: {
  /** Notes what has become due. */
  stage: () => Promise<unknown>
  /** Takes `MAIL_BATCH` at most; the time of the next attempt is written first, so that a crash only delays it. */
  claim: () => Promise<readonly Due[]>
  /** Counts a mail against its limits; one that is beyond them is not sent now. */
  mayMail?: (due: Due) => Promise<boolean>
  mailOf: (due: Due) => Mail
  sent: (due: Due) => Promise<unknown>
  /** What the log calls it. */
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
          // The server's own words may name the address.
          const reason = (error as Error).message
          logger.warn({ ...about(due), reason }, "a mail could not be sent; retrying later")
        }
      }),
    )
    if (batch.length < MAIL_BATCH) return
  }
}
