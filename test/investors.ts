import { expect } from "vitest"
import { sql } from "#db/client.ts"
import { newId } from "#server/lib/ids.ts"
import type { TestApp, TestKey } from "./app.ts"
import { walletOn } from "./siws.ts"
import type { SigningWallet } from "./wallet.ts"

export const newName = (who: string) => `${who}-${newId("evt")}`

/** A customer who verifies wallets for several people. `of` is called with each request, once the app has started. */
export function investorFixture(of: () => { app: TestApp; key: TestKey }) {
  const get = async (path: string) =>
    (await of().app.request({ method: "GET", path, key: of().key.apiKey })).json
  const post = (path: string, json: object = {}) =>
    of().app.request({ method: "POST", path, key: of().key.apiKey, json })

  async function start(wallet: string, externalId?: string, schemaId = "kyc_individual_v1"): Promise<string> {
    const json = { userPubkey: wallet, schemaId, ...(externalId && { externalId }) }
    const started = await post("/kyc/start", json)
    expect(started.status, JSON.stringify(started.json)).toBe(200)
    return started.json.session_id
  }
  const decide = (session_id: string, decision: string) =>
    of().app.webhook({
      ...{ session_id, decision },
      ...(decision === "approved" && { claims: { country: "US", age_over_18: true } }),
    })

  return {
    get,
    post,
    start,
    decide,
    /** Returns the id of the attestation. */
    async verify(wallet: string, externalId?: string): Promise<string> {
      await decide(await start(wallet, externalId), "approved")
      return (await of().app.waitForStatus(of().key, wallet, "verified")).attestation_id
    },
    /** Signs on the page of a session, as its schema asks for. */
    async prove(session: string, signer: SigningWallet): Promise<void> {
      await sql`update attestations set wallet_proof_required = true where session_id = ${session}`
      expect((await walletOn(of().app, session).sign(signer)).status).toBe(200)
    },
    /** The investor of a session. */
    investorOf: async (sessionId: string): Promise<string> =>
      (await get(`/kyc/session/${sessionId}`)).investor_id,
    ownerOf: async (wallet: string) => (await get(`/investors?wallet=${wallet}`)).data[0],
  }
}
