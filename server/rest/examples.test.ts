import { expect, test } from "vitest"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"
import { openApiDocument } from "./openapi/document.ts"

const { paths } = openApiDocument()

usesCustomer()

/** The example of a request body, as readers copy it from the document. */
// biome-ignore lint/suspicious/noExplicitAny: examples are of any shape
const exampleOf = (path: string, method = "post"): any =>
  paths[path]![method]!.requestBody!.content["application/json"]!.example

const post = (path: string, json: unknown) => app.request({ method: "POST", path, key: key.apiKey, json })
const patch = (path: string, json: unknown) => app.request({ method: "PATCH", path, key: key.apiKey, json })

test("the examples of requests work unchanged: start, mint, transfer, create, change, revoke", async () => {
  const start = exampleOf("/kyc/start")
  const mint = exampleOf("/token/mint")
  const transfer = exampleOf("/token/transfer")
  expect([mint.user_pubkey, transfer.from_pubkey]).toEqual([start.userPubkey, start.userPubkey])

  const started = await post("/kyc/start", start)
  expect(started.status).toBe(200)
  await app.webhook({ session_id: started.json.session_id, decision: "approved", claims: { country: "US" } })
  await app.waitForStatus(key, start.userPubkey, "verified")
  await app.verifiedWallet(key, transfer.to_pubkey)

  expect(await post("/token/mint", mint)).toMatchObject({ status: 200, json: { amount: mint.amount } })
  expect(await post("/token/transfer", transfer)).toMatchObject({
    status: 200,
    json: { amount: transfer.amount, to_pubkey: transfer.to_pubkey },
  })
  const config = exampleOf("/mint-configs")
  expect(await post("/mint-configs", config)).toMatchObject({ status: 200, json: config })

  const change = exampleOf("/mint-config/{id}", "patch")
  expect(await patch(`/mint-config/${config.id}`, change)).toMatchObject({ status: 200, json: change })
  const schema = exampleOf("/schemas")
  expect(await post("/schemas", schema)).toMatchObject({ status: 200, json: schema })
  const { name } = exampleOf("/schema/{id}", "patch")
  expect(await patch(`/schema/${schema.id}`, { name })).toMatchObject({ status: 200, json: { name } })

  const { json } = await app.request({ method: "GET", path: "/attestations", key: key.apiKey })
  const revoke = exampleOf("/attestation/{id}/revoke")
  expect(await post(`/attestation/${json.data[0].attestation_id}/revoke`, revoke)).toMatchObject({
    status: 200,
    json: { revocation_reason: revoke.reason },
  })
})
