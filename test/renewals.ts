import { afterAll, beforeAll, expect } from "vitest"
import { sql } from "#db/client.ts"
import { renewalToken } from "#server/domain/kyc/renewal/link.ts"
import { newId } from "#server/lib/ids.ts"
import type { Address } from "#shared/address.ts"
import { newWallet, startTestApp, type TestApp, type TestKey } from "./app.ts"
import { type MailServer, startMailServer } from "./mail.ts"
import { member } from "./people.ts"

let mail: MailServer
export let app: TestApp
export let owner: Awaited<ReturnType<typeof member>>
export let key: TestKey

/** A server that can mail, and a workspace that reminds. */
export function sendsReminders(): void {
  beforeAll(async () => {
    mail = await startMailServer()
    app = await startTestApp({ VOUCH_SMTP_URL: mail.url, VOUCH_MAIL_FROM: "Vouch <vouch@example.com>" })
    owner = await member(app)
    key = await app.key({ account: owner.account })
    expect((await owner.browser.mutate("workspace.setReminders", { on: true })).data).toEqual({
      on: true,
      mail: true,
    })
  })
  afterAll(async () => {
    await app.stop()
    await new Promise((resolve) => mail.server.close(resolve))
  })
}

export const newEmail = () => `${newId("evt").toLowerCase()}@example.com`
export const start = (wallet: string, email?: string, by = key) =>
  app.request({
    method: "POST",
    path: "/kyc/start",
    key: by.apiKey,
    json: { userPubkey: wallet, schemaId: "kyc_individual_v1", ...(email !== undefined && { email }) },
  })
export const page = async (name: string, sessionId: string, more: object = {}) => {
  const response = await fetch(`${app.origin}/api/trpc/verification.${name}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ sessionId, ...more }),
  })
  // biome-ignore lint/suspicious/noExplicitAny: answers of any shape
  const json = (await response.json()) as any
  return { status: response.status, data: json.result?.data, error: json.error?.data }
}

/** A verified wallet whose verification ends in so many days. */
export async function endingIn(
  days: number,
  email: string | undefined,
  wallet: Address = newWallet(),
  by = key,
) {
  const sessionId = (await start(wallet, email, by)).json.session_id as string
  await app.webhook({ session_id: sessionId, decision: "approved", claims: { country: "US" } })
  const { attestation_id: id } = await app.waitForStatus(by, wallet, "verified")
  await sql`
    update attestations set issued_at = now() - interval '360 days', expires_at = now() + ${days} * interval '1 day'
    where id = ${id}`
  return { wallet, sessionId, id: id as string, token: renewalToken(id) }
}
export const mailsTo = (email: string) => mail.received.filter(({ to }) => to === email)
export const emailOf = async (id: string): Promise<Buffer | null> => {
  const [row] = await sql`select reminder_email from attestations where id = ${id}`
  return row!.reminder_email
}
export const textOf = (text: string) =>
  /base64/i.test(text) ? Buffer.from(text.split("\n\n")[1]!, "base64").toString() : text
