import { hash } from "node:crypto"
import { domainToASCII } from "node:url"
import type { Queryable, Sql } from "#db/client.ts"
import { clockDoubt } from "#db/clock.ts"
import { deployment } from "#domain/deployment"
import { Backoff } from "#server/lib/backoff.ts"
import { logger } from "#server/lib/log.ts"
import { clock, secondsLeftToday, startOfDay } from "#server/lib/time.ts"
import type { Settings } from "#server/settings/env.ts"
import { Failure, fail } from "#shared/errors.ts"

export type Mail = { to: string; subject: string; text: string }

/** How long sending a mail may take in total. The request waits for it. */
const SLOWEST_MS = 8000
/** How long each part may take. Shorter than the total, so that the reason names the part. */
const SLOWEST_PART_MS = 7000

/** Why a mail could not be sent, for the person who requested it. The mail server's answer is in the cause. */
class MailError extends Error {}

type Send = (mail: Mail) => Promise<void>

/** Sends mail; `send` is null if no SMTP server is configured. */
export function mailer({ VOUCH_SMTP_URL, VOUCH_MAIL_FROM }: Settings = deployment.settings): { send: Send | null } {
  if (VOUCH_SMTP_URL === undefined) return { send: null }
  return {
    async send(mail) {
      const { createTransport } = await import("nodemailer")
      const transport = createTransport({
        url: VOUCH_SMTP_URL,
        dnsTimeout: SLOWEST_PART_MS,
        connectionTimeout: SLOWEST_PART_MS,
        greetingTimeout: SLOWEST_PART_MS,
        socketTimeout: SLOWEST_PART_MS,
        // Don't wait for the server to close its side, because it may never do that.
        socketCloseTimeout: 0,
      })
      // nodemailer's timeouts restart with every byte, so a server that sends one now and then would never time out.
      const signal = AbortSignal.timeout(SLOWEST_MS)
      try {
        await transport.sendMail({ from: VOUCH_MAIL_FROM, ...mail, signal })
      } catch (cause) {
        throw new MailError(reasonOf(cause as SmtpError, signal), { cause })
      } finally {
        transport.close()
      }
    },
  }
}

/** The parts of nodemailer's errors that we read. */
type SmtpError = { code?: string; responseCode?: number }

function reasonOf({ code, responseCode }: SmtpError, signal: AbortSignal): string {
  if (signal.aborted || code === "ETIMEDOUT") return "The mail server does not respond."
  if (code === "EPROTOCOL") return "The mail server does not speak SMTP."
  if (responseCode !== undefined) return `The mail server refused it (${responseCode}).`
  return "The mail server is unreachable."
}

/** Errors: validation_failed, if this server cannot send mail. */
export const requireMailer = (): Send =>
  mailer().send ?? fail("validation_failed", "email: this server cannot send email. Ask its operator for a link.")

/** Sends a mail that a person waits for. If it fails, undoes what was prepared for it. Errors: mail_failed. */
export async function sendOrUndo(
  send: Send,
  mail: Mail,
  { undo, next }: { undo: () => PromiseLike<unknown>; next: string },
): Promise<void> {
  try {
    await send(mail)
  } catch (cause) {
    await undo()
    const reason = cause instanceof MailError ? `${cause.message} ` : ""
    fail("mail_failed", `email: could not send email to ${mail.to}. ${reason}${next}`, { cause })
  }
}

/**
 * `requested` mails are those that a person requests for their own address, such as a password reset. They are counted
 * separately, because otherwise five invitations from strangers would block a password reset. Each workspace's notices
 * to its members are counted separately, too, and so are those about its approvals, of which there can be many.
 */
type MailReason = "sent by others" | "requested" | `${"notices" | "approvals"} of ${string}`

type Counted = { to: string; accountId: string | null; reason: MailReason }

/** Counts a mail towards today's limits (UTC) of its address and of the sending account. Errors: rate_limited. */
export async function takeMail(sql: Queryable, { to, accountId, reason }: Counted): Promise<void> {
  const { VOUCH_MAILS_PER_ACCOUNT: perAccount, VOUCH_MAILS_PER_ADDRESS: perAddress } = deployment.settings
  const tomorrow = "Retry after midnight (UTC)."
  if (accountId !== null && !(await take(sql, accountId, perAccount)))
    refuse(`This account has sent ${perAccount} emails today, which is its daily limit. ${tomorrow}`)
  if (!(await take(sql, `${reason} ${hash("sha256", mailboxOf(to))}`, perAddress)))
    refuse(`email: ${to} has received ${perAddress} emails today, which is the daily limit of an address. ${tomorrow}`)
}

/** Like `takeMail`, for a mail that can wait: the seconds until it can be sent, or null if it can be sent now. */
export async function waitForMail(sql: Sql, counted: Counted): Promise<number | null> {
  try {
    await sql.begin((sql) => takeMail(sql, counted))
    return null
  } catch (error) {
    if (!(error instanceof Failure && error.retryAfterSeconds !== undefined)) throw error
    return error.retryAfterSeconds
  }
}

async function take(sql: Queryable, subject: string, most: number): Promise<boolean> {
  if (most === 0) return false
  const today = startOfDay(clock.now())
  const taken = await sql`
    insert into mail_counts as c (subject, day, count) values (${subject}, ${today}, 1)
    on conflict (subject) do update set day = excluded.day, count = case when c.day < excluded.day then 1 else c.count + 1 end
      where c.day < excluded.day or c.count < ${most}
    returning subject`
  return taken.length === 1
}

const refuse = (detail: string): never =>
  fail("rate_limited", detail, { retryAfterSeconds: secondsLeftToday(clock.now()) })

/** The mailbox of an address, as large providers read it: bob+anything@ is bob@. Domains may have 。 for dots. */
export function mailboxOf(address: string): string {
  const at = address.lastIndexOf("@")
  const [local = ""] = address.slice(0, at).toLowerCase().split("+")
  const written = address.slice(at + 1).toLowerCase()
  const domain = (domainToASCII(written) || written).replace(/\.+$/, "")
  return domain === "gmail.com" || domain === "googlemail.com"
    ? `${local.replaceAll(".", "")}@gmail.com`
    : `${local}@${domain}`
}

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
  const { send } = mailer()
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
