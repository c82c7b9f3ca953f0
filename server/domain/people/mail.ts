import type { Settings } from "#server/settings/env.ts"
import { fail } from "#shared/errors.ts"

export type Mail = { to: string; subject: string; text: string }

/** How long sending a mail may take in total. The request waits for it. */
const SLOWEST_MS = 8000
/** How long each part may take. Shorter than the total, so that the reason names the part. */
const SLOWEST_PART_MS = 7000

/** Why a mail could not be sent, for the person who requested it. The mail server's answer is in the cause. */
class MailError extends Error {}

/** Reports that a mail could not be sent, and what to do. Errors: mail_failed. */
export function failMail(to: string, cause: unknown, next: string): never {
  const reason = cause instanceof MailError ? `${cause.message} ` : ""
  return fail("mail_failed", `email: could not send email to ${to}. ${reason}${next}`, { cause })
}

/** Sends mail; `send` is null if no SMTP server is configured. */
export function mailer({ VOUCH_SMTP_URL, VOUCH_MAIL_FROM }: Settings): {
  send: ((mail: Mail) => Promise<void>) | null
} {
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
