import { afterAll, beforeAll, expect } from "vitest"
import { sql } from "#db/client.ts"
import { startTestApp, type TestApp, type TestKey } from "./app.ts"
import { type PageAnswer, walletOn } from "./siws.ts"
import { newSigningWallet, type SigningWallet } from "./wallet.ts"

export let app: TestApp
export let key: TestKey
export const SCHEMA = "kyc_individual_v1"

/** A server whose schema asks for the proof that a wallet is the investor's. */
export function provesWallets(): void {
  beforeAll(async () => {
    app = await startTestApp()
    key = await app.key()
    await sql`update schemas set wallet_proof = true where workspace_id = ${key.workspaceId} and id = ${SCHEMA}`
  })
  afterAll(() => app.stop())
}

export async function started(wallet = newSigningWallet()) {
  const { sessionId } = await app.startSession(key, wallet.address, SCHEMA)
  return { wallet, sessionId, page: walletOn(app, sessionId) }
}
export const row = async (sessionId: string) => {
  const [attestation] = await sql`
    select id, status, wallet_proof_required, wallet_proved_at from attestations where session_id = ${sessionId}`
  return attestation!
}
export const signed = (wallet: SigningWallet, text: string) => wallet.sign(Buffer.from(text))
export const refused = (answer: PageAnswer, problem: string) =>
  expect(answer).toMatchObject({
    status: 422,
    error: {
      error: "wallet_proof_refused",
      detail: expect.stringMatching(new RegExp(`^${problem}: .+[.]$`)),
    },
  })
