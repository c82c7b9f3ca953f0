import { expect, test } from "vitest"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { issuerOf } from "#server/ledger/issuer.ts"
import { addressOf, publicKeyOf } from "#server/solana/addresses.ts"
import { attest } from "#server/solana/credential.ts"
import { authorityPurpose } from "#server/solana/keys.ts"
import { signTransactions } from "#server/solana/transaction.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { credentialOf } from "#test/matchers/credential.ts"
import { credentialOf as credentialOfSchema } from "./credential-accounts.ts"

usesCustomer()

test("a revocation burns every unit that the wallet holds", async () => {
  const { wallet, status } = await app.verifiedWallet(key)
  // As if it had been signed twice: the same instructions with another blockhash.
  const lease = { workspaceId: key.workspaceId, token: "", version: 0 }
  const issuer = await issuerOf(deployment.chains[key.mode]!, lease)
  const authority = deployment.keys(authorityPurpose(key.workspaceId))
  const credential = credentialOfSchema(issuer, {
    schemaId: "kyc_individual_v1",
    authority: addressOf(authority.publicKey),
  })
  const instructions = attest(credential, publicKeyOf(wallet), "vouch:1:again")
  const { blockhash } = await app.connection.getLatestBlockhash("confirmed")
  const unsigned = [{ instructions, signers: [authority] }]
  const [signed] = await signTransactions(unsigned, { feePayer: issuer.feePayer, blockhash })
  await app.connection.sendRawTransaction(signed!.wire, { skipPreflight: true })
  await waitFor(async () => (await credentialOf(app, key, wallet)).amount === 2, "the second unit")

  const path = `/attestation/${status.attestation_id}/revoke`
  await app.request({ method: "POST", path, key: key.apiKey, json: { reason: "Fraud" } })
  await waitFor(async () => (await credentialOf(app, key, wallet)).amount === 0, "both units to be gone")
  expect(await credentialOf(app, key, wallet)).toMatchObject({ amount: 0, frozen: true })
})
