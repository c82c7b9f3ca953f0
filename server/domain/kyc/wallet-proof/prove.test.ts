import bs58 from "bs58"
import { expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { deployment } from "#server/domain/deployment/deployment.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds } from "#server/lib/time.ts"
import { advanceClock, moveClock } from "#test/fixtures/clock.ts"
import { walletOn } from "#test/fixtures/siws.ts"
import { newSigningWallet } from "#test/fixtures/wallet.ts"
import { app, key, provesWallets, refused, row, SCHEMA, signed, started } from "#test/fixtures/wallet-proof.ts"
import { snapshot } from "#test/matchers/snapshot.ts"

// What counts as proof that a wallet belongs to the investor.
provesWallets()
const L = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n

test("the wallet's signature proves a session that requires it, once", async () => {
  const { wallet, sessionId, page } = await started()
  expect(await page.view()).toMatchObject({ state: "open", walletProof: "needed" })
  expect((await row(sessionId)).wallet_proof_required).toBe(true)
  const { status, data } = await page.sign(wallet)
  expect(status).toBe(200)
  expect(data).toMatchObject({ state: "open", walletProof: "given" })
  expect((await row(sessionId)).wallet_proved_at).toBeInstanceOf(Date)
  expect(await sql`select from wallet_challenges where attestation_id = ${(await row(sessionId)).id}`).toEqual([])
  refused(await page.call("askForProof"), "request")
})

test("the message names the site, the wallet, the attestation and the times, and never the session's id", async () => {
  const { wallet, sessionId, page } = await started()
  const at = new Date(Date.UTC(2026, 10, 5, 6, 7, 8, 900))
  await moveClock(at)
  await sql`update attestations set open_until = ${addSeconds(at, 3600)} where session_id = ${sessionId}`
  const { data } = await page.call("askForProof")
  const { id } = await row(sessionId)
  expect(data.input).toEqual({
    domain: new URL(deployment.origin).host,
    address: wallet.address,
    statement: expect.stringMatching(/^[A-Za-z ,.]+$/),
    uri: `${deployment.origin}/verify`,
    version: "1",
    chainId: "localnet",
    nonce: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{20,22}$/),
    issuedAt: "2026-11-05T06:07:08Z",
    expirationTime: "2026-11-05T06:17:08Z",
    resources: [`${deployment.origin}/v1/attestation/${id}`],
  })
  expect(data.text).not.toContain(sessionId)
  expect((await page.call("askForProof")).data.input.nonce).not.toBe(data.input.nonce)
})

test("another wallet's signature is refused, even if it claims to be this wallet", async () => {
  const { page } = await started()
  const other = newSigningWallet()
  const text = await page.ask()
  refused(await page.prove(text, signed(other, text)), "signature")
  const theirs = text.replace(/\n.+\n/, `\n${other.address}\n`)
  refused(await page.prove(theirs, signed(other, theirs)), "wallet")
})

test.each([
  ["another site", /^[^ ]+/, "evil.example", "domain"],
  ["the same host on another port", /^[^ ]+/, "localhost:1", "domain"],
  ["another page's address", /URI: .+/, "URI: https://evil.example/verify", "domain"],
  ["another session", /attestation\/att_.+$/, `attestation/${newId("att")}`, "session"],
  ["another nonce", /Nonce: .+/, "Nonce: 4kDfHRuKxbVdvLzCNXkWqP", "request"],
  ["a later expiration", /Expiration Time: .+/, "Expiration Time: 2999-01-01T00:00:00Z", "message"],
  ["another time of issue", /Issued At: .+/, "Issued At: 2020-01-01T00:00:00Z", "message"],
  ["another statement", /Prove.+/, "Log in.", "message"],
  ["another network", /Chain ID: .+/, "Chain ID: solana:mainnet", "message"],
  ["another version", /Version: 1/, "Version: 2", "message"],
  ["an additional field", /\nResources/, "\nRequest ID: 1\nResources", "message"],
  ["an additional resource", /$/, "\n- https://evil.example", "session"],
  ["an additional line", /$/, "\n", "message"],
  ["an invisible first character", /^/, "\ufeff", "domain"],
  ["another format", /.*/s, "I own this wallet", "message"],
])("a message with %s is refused, even if the wallet signed it", async (_what, pattern, replacement, problem) => {
  const { wallet, sessionId, page } = await started()
  const text = await page.ask()
  const changed = text.replace(pattern, replacement)
  expect(changed).not.toBe(text)
  refused(await page.prove(changed, signed(wallet, changed)), problem)
  // The signature of the requested text is not valid for another text.
  refused(await page.prove(changed, signed(wallet, text)), problem)
  expect((await row(sessionId)).wallet_proved_at).toBeNull()
  expect((await page.prove(text, signed(wallet, text))).status).toBe(200)
})

test("a hardware wallet signs the same text in its own envelope", async () => {
  const { wallet, page } = await started()
  const text = Buffer.from(await page.ask())
  const other = Buffer.from(text.toString().replace("localhost", "localhosT"))
  const wrapped = (content: Buffer, signer: Uint8Array) =>
    Buffer.concat([Buffer.from("ff736f6c616e61206f6666636861696e0101", "hex"), signer, content])
  const [changed, ofOther] = [wrapped(other, wallet.publicKey), wrapped(text, newSigningWallet().publicKey)]
  refused(await page.prove(changed, wallet.sign(changed)), "domain")
  refused(await page.prove(ofOther, wallet.sign(ofOther)), "message")
  const envelope = wrapped(text, wallet.publicKey)
  // The signature must cover the envelope.
  refused(await page.prove(envelope, wallet.sign(text)), "signature")
  expect((await page.prove(envelope, wallet.sign(envelope))).status).toBe(200)
})

test("bytes that are not text are refused", async () => {
  const { wallet, page } = await started()
  await page.ask()
  const bytes = Buffer.from([0xff, 0xfe, 0x00, 0x80])
  refused(await page.prove(bytes, wallet.sign(bytes)), "message")
})

test("a request of another session is refused, even for the same wallet", async () => {
  const { wallet, page } = await started()
  const { sessionId } = await app.startSession(key, wallet.address, "accredited_investor_v1")
  await sql`update attestations set wallet_proof_required = true where session_id = ${sessionId}`
  const other = walletOn(app, sessionId)
  const [text, theirs] = [await page.ask(), await other.ask()]
  refused(await page.prove(theirs, signed(wallet, theirs)), "session")
  refused(await other.prove(text, signed(wallet, text)), "session")
  expect((await page.prove(text, signed(wallet, text))).status).toBe(200)
  expect((await other.prove(theirs, signed(wallet, theirs))).status).toBe(200)
})

test("a newer request replaces the older one, and a session has only one", async () => {
  const { wallet, sessionId, page } = await started()
  const older = await page.ask()
  const newer = await page.ask()
  for (let n = 0; n < 5; n++) refused(await page.prove(older, signed(wallet, older)), "request")
  const { id } = await row(sessionId)
  expect(await sql`select from wallet_challenges where attestation_id = ${id}`).toHaveLength(1)
  expect((await page.prove(newer, signed(wallet, newer))).status).toBe(200)
})

test("a request is valid for ten minutes, by the database's clock", async () => {
  const { wallet, page } = await started()
  const text = await page.ask()
  const signature = signed(wallet, text)
  const issued = new Date(/Issued At: (.+)/.exec(text)![1]!)
  await moveClock(addSeconds(issued, -1))
  refused(await page.prove(text, signature), "early")
  await moveClock(addSeconds(issued, 600))
  refused(await page.prove(text, signature), "late")
  await moveClock(addSeconds(issued, 599))
  expect((await page.prove(text, signature)).status).toBe(200)
})

test("a request is refused once its session has ended", async () => {
  const { wallet, page } = await started()
  const text = await page.ask()
  await advanceClock({ days: 365 })
  refused(await page.prove(text, signed(wallet, text)), "session")
})

test("of many simultaneous proofs exactly one is accepted, and a later repeat is refused", async () => {
  const { wallet, sessionId, page } = await started()
  const text = await page.ask()
  const signature = signed(wallet, text)
  const answers = await Promise.all(Array.from({ length: 12 }, () => page.prove(text, signature)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  for (const answer of answers) if (answer.status !== 200) refused(answer, "request")
  const before = await row(sessionId)
  refused(await page.prove(text, signature), "request")
  expect(await row(sessionId)).toEqual(before)
})

test("a signature derived from the genuine one is refused", async () => {
  const { wallet, page } = await started()
  const text = await page.ask()
  const signature = signed(wallet, text)
  const read = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`)
  const write = (number: bigint) => Buffer.from(number.toString(16).padStart(64, "0"), "hex").reverse()
  const malleated = Buffer.concat([signature.subarray(0, 32), write(read(signature.subarray(32)) + L)])
  const neutral = Buffer.concat([write(1n), signature.subarray(32)])
  const empty = Buffer.alloc(64)
  for (const other of [malleated, neutral, empty, signature.subarray(1), Buffer.alloc(0), Buffer.alloc(700)])
    refused(await page.prove(text, other), "signature")
  expect((await page.prove(text, signature)).status).toBe(200)
})

test("a small-order key, which accepts any signature, is refused", async () => {
  // The neutral point, for which the empty signature verifies every message.
  const address = bs58.encode(Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]))
  const answer = await app.request({
    method: "POST",
    path: "/kyc/start",
    key: key.apiKey,
    json: { userPubkey: address, schemaId: SCHEMA },
  })
  expect(answer).toMatchObject({ status: 422, json: { error: "wallet_cannot_sign" } })
})

test("sessions that require no proof and unknown sessions get no request and do not change", async () => {
  const { wallet, sessionId, page } = await started()
  const text = await page.ask()
  const [ended, free] = [
    await started(),
    walletOn(app, (await app.startSession(key, undefined, "kyc_business_v1")).sessionId),
  ]
  const theirs = await ended.page.ask()
  await app.webhook({ session_id: ended.sessionId, decision: "rejected" })
  const before = await snapshot()
  refused(await free.call("askForProof"), "session")
  refused(await free.prove(text, signed(wallet, text)), "session")
  refused(await ended.page.call("askForProof"), "session")
  refused(await ended.page.prove(theirs, signed(ended.wallet, theirs)), "session")
  for (const id of ["", "sess_unknown", newId("sess"), newId("att")]) {
    refused(await walletOn(app, id).call("askForProof"), "session")
    refused(await walletOn(app, id).prove(text, signed(wallet, text)), "session")
  }
  expect(await snapshot()).toEqual(before)
  expect((await row(sessionId)).wallet_proved_at).toBeNull()
})

test("the consent before the wallet step is stored once, and only if the step follows", async () => {
  const { sessionId, page } = await started()
  expect((await page.view()).consented).toBe(false)
  expect((await page.call("agree", { consent: false })).status).toBe(422)
  expect((await page.call("agree", { consent: true })).data).toMatchObject({
    state: "open",
    walletProof: "needed",
    consented: true,
  })
  const consentedAt = async () =>
    (await sql`select consented_at from attestations where session_id = ${sessionId}`)[0]!.consented_at
  const first = await consentedAt()
  await page.call("agree", { consent: true })
  expect(await consentedAt()).toEqual(first)
  const free = await app.startSession(key, undefined, "kyc_business_v1")
  refused(await walletOn(app, free.sessionId).call("agree", { consent: true }), "session")
})

test("input that is not base64 or too long is refused before anything is read", async () => {
  const { page } = await started()
  await page.ask()
  for (const input of [
    { message: "%%%", signature: "" },
    { message: "x".repeat(8196), signature: "" },
    { message: "", signature: "x".repeat(1028) },
    { message: "", signature: 7 },
    {},
  ])
    expect(await page.call("proveWallet", input)).toMatchObject({
      status: 422,
      error: { error: "validation_failed" },
    })
})
