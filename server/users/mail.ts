import type { Settings } from "#server/env.ts"

export type Mail = { to: string; subject: string; text: string }

/** What sends mail; `send` is null where no SMTP server is configured. */
export function mailer({ VOUCH_SMTP_URL, VOUCH_MAIL_FROM }: Settings): {
  send: ((mail: Mail) => Promise<void>) | null
} {
  if (VOUCH_SMTP_URL === undefined) return { send: null }
  return {
    async send(mail) {
      const { createTransport } = await import("nodemailer")
      const transport = createTransport(VOUCH_SMTP_URL)
      try {
        await transport.sendMail({ from: VOUCH_MAIL_FROM, ...mail })
      } finally {
        transport.close()
      }
    },
  }
}
