import { expect, test } from "vitest"
import { tokenFixture } from "#test/fixtures/tokens.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"

usesApp({ environment: { VOUCH_COMMITMENT: "finalized" } })

test("with VOUCH_COMMITMENT=finalized a client sees nothing that the chain could undo", async () => {
  const key = await app.key()
  const tokens = tokenFixture(app, key)
  const { wallet, status } = await app.verifiedWallet(key)
  expect((await tokens.get(`/attestation/${status.attestation_id}`)).json.finalized_at).not.toBeNull()
  const config = await tokens.config()
  const { json } = await tokens.mint(config, wallet, "1")
  const { value } = await app.connection.getSignatureStatus(json.onchain_tx)
  expect(value?.confirmationStatus).toBe("finalized")
  const { confirmed_at, finalized_at } = (await tokens.get(`/token/operation/${json.operation_id}`)).json
  expect(finalized_at).toBe(confirmed_at)
})
