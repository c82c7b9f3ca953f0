import { describe, expect, test, vi } from "vitest"
import { Vouch, VouchError } from "#client/index.ts"
import { csv, cut, failure, json, serve } from "./scripted-server.ts"

const session = { session_id: "sess_1", session_url: "http://localhost/verify/sess_1" }
const start = { userPubkey: "w", schemaId: "kyc_individual_v1" }
const soon = { "retry-after": "0" }

describe("retries", () => {
  test("a write that gets no response is sent again with the same idempotency key and body", async () => {
    const server = await serve(
      cut,
      failure(503, "server_busy", soon),
      failure(500, "internal_error", soon),
      json(200, session),
    )
    expect(await server.client().startVerification(start)).toEqual(session)
    expect(server.asked).toHaveLength(4)
    expect(new Set(server.asked.map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
    expect(new Set(server.asked.map(({ body }) => body))).toEqual(new Set([JSON.stringify(start)]))
    expect(server.asked[0]!.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
  })

  test("each write has its own key, or the one given; a read has none", async () => {
    const server = await serve(json(200, session))
    const vouch = server.client()
    await vouch.startVerification(start)
    await vouch.startVerification(start)
    await vouch.startVerification(start, { idempotencyKey: "mine" })
    await vouch.getUsage()
    const keys = server.asked.map(({ headers }) => headers["idempotency-key"])
    expect(keys[0]).not.toBe(keys[1])
    expect(keys.slice(2)).toEqual(["mine", undefined])
  })

  test("a retry waits as long as Retry-After says", async () => {
    const server = await serve(failure(429, "rate_limited", { "retry-after": "1" }), json(200, session))
    const before = performance.now()
    await server.client().startVerification(start)
    expect(performance.now() - before).toBeGreaterThanOrEqual(990)
  })

  test("after the last allowed retry, the call fails with the last error", async () => {
    const server = await serve(failure(503, "chain_unavailable", soon))
    const error = await server
      .client()
      .startVerification(start, { maxRetries: 2 })
      .catch((one) => one)
    expect(error).toBeInstanceOf(VouchError)
    expect(error).toMatchObject({ code: "chain_unavailable", status: 503, retryAfterSeconds: 0 })
    expect(server.asked).toHaveLength(3)
  })

  test.each([
    [403, "wallet_not_verified", {}],
    [422, "validation_failed", {}],
    [409, "mint_config_exists", {}],
    [503, "chain_not_configured", {}],
    [429, "quota_exceeded", { "retry-after": "1" }],
    [503, "server_busy", { "retry-after": "3600" }],
  ])("%i %s is not retried (%o)", async (status, code, headers) => {
    const server = await serve(failure(status, code, headers))
    await expect(server.client().startVerification(start)).rejects.toMatchObject({ status, code })
    expect(server.asked).toHaveLength(1)
  })

  test("a proxy's error page is retried, and ends as unexpected_response", async () => {
    const server = await serve((response) => void response.writeHead(502, soon).end("<h1>Bad Gateway</h1>"))
    const error = server.client({ maxRetries: 1 }).getUsage()
    await expect(error).rejects.toMatchObject({ code: "unexpected_response", status: 502 })
    expect(server.asked).toHaveLength(2)
  })
})

describe("ends", () => {
  test("an attempt that takes too long is a timeout", async () => {
    const server = await serve(() => {})
    // Counted here, because an attempt may end before a busy machine connects it.
    const attempts = vi.fn<typeof fetch>((...sent) => fetch(...sent))
    const client = server.client({ timeoutMs: 50, maxRetries: 1, fetch: attempts })
    await expect(client.getUsage()).rejects.toMatchObject({ code: "timeout", status: null })
    expect(attempts).toHaveBeenCalledTimes(2)
  })

  test("the caller's signal ends a request with the signal's reason and without a retry", async () => {
    const ending = new AbortController()
    const server = await serve(() => ending.abort(new Error("enough")))
    await expect(server.client().getUsage({}, { signal: ending.signal })).rejects.toThrow("enough")
    expect(server.asked).toHaveLength(1)
  })

  test("the caller's signal ends the wait before a retry", async () => {
    const ending = new AbortController()
    const server = await serve(failure(503, "server_busy", { "retry-after": "50" }))
    const request = server.client().getUsage({}, { signal: ending.signal })
    await expect.poll(() => server.asked.length).toBe(1)
    setTimeout(() => ending.abort(new Error("enough")), 20)
    await expect(request).rejects.toThrow("enough")
  })

  test("a redirect is not followed: the key is for one server", async () => {
    const server = await serve((response) => void response.writeHead(302, { location: "/v1/other" }).end())
    await expect(server.client().getUsage()).rejects.toMatchObject({
      code: "unexpected_response",
      status: 302,
    })
    expect(server.asked).toHaveLength(1)
  })
})

test("path parameters go into the path and the others into the query, except undefined ones", async () => {
  const server = await serve(json(200, {}))
  await server.client().getWalletStatus({ pubkey: "a/b?c", schema: undefined })
  await server.client().getBalance({ pubkey: "w", mint_config: "m&n" })
  expect(server.asked.map(({ path }) => path)).toEqual([
    "/v1/kyc/status/a%2Fb%3Fc",
    "/v1/token/balance/w?mint_config=m%26n",
  ])
})

test.each(["", ".", ".."])("an id that would change the path is refused: %j", async (id) => {
  const server = await serve(json(200, {}))
  expect(() => server.client().getAttestation({ id })).toThrow("id: must be given")
  expect(server.asked).toEqual([])
})

test("an error shows code, detail and request id, but never the key", async () => {
  const server = await serve(failure(401, "invalid_api_key"))
  const error: VouchError = await server
    .client()
    .getKey()
    .catch((one) => one)
  expect(error.message).toBe("invalid_api_key: Do something. (req_4MpXbW9sYt2KcQvLhRz7Jd)")
  expect(JSON.stringify(error) + error.stack).not.toContain("secret")
  const { inspect } = await import("node:util")
  expect(inspect(server.client(), { depth: 9, showHidden: true })).not.toContain(
    "vouch_test_4MpXbW9sYt2KcQvLhRz7JdK8vPq3mNbR5tYw2L0",
  )
})

test("a request that needs approval fails with the approval's id, and an operation that waits is returned", async () => {
  const approval = { approval_id: "apr_1", digest: "d", state: "pending" }
  const operation = { operation_id: "op_1", approval_id: "apr_2", status: "awaiting_approval" }
  const server = await serve(json(202, approval), json(202, operation))
  const vouch = server.client()
  const error = await vouch.unpauseMintConfig({ id: "fund" }).catch((one) => one)
  expect(error).toMatchObject({ name: "VouchError", code: "awaiting_approval", status: 202, approvalId: "apr_1" })
  expect(await vouch.mintTokens({ user_pubkey: "w", mint_config: "fund", amount: "1" })).toEqual(operation)
  expect(server.asked).toHaveLength(2)
})

test("baseUrl may lack the version, but must be an address", async () => {
  const server = await serve(json(200, {}))
  const origin = new URL(server.baseUrl).origin
  for (const baseUrl of [origin, `${origin}/`, `${origin}/v1/`, server.baseUrl])
    await server.client({ baseUrl }).getHealth()
  expect(new Set(server.asked.map(({ path }) => path))).toEqual(new Set(["/v1/health"]))
  for (const baseUrl of ["localhost:3000", "ftp://vouch.example.com", "https://vouch.example.com/v1?a=b"])
    expect(() => server.client({ baseUrl })).toThrow("baseUrl: must be an address")
})

describe("a newcomer's mistakes", () => {
  test.each(["vouch_test_…", "vouch_test_", "", " vouch_test_4MpXbW9sYt2KcQvLhRz7JdK8vPq3mNbR5tYw2L0", "sk_live_1"])(
    "an invalid key is refused before a request is sent: %j",
    (apiKey) => {
      expect(() => new Vouch({ baseUrl: "http://localhost:1", apiKey })).toThrow(
        "apiKey: must be a whole key, vouch_live_ or vouch_test_",
      )
    },
  )

  test("a missing or invalid baseUrl is named", () => {
    expect(() => new Vouch({} as { baseUrl: string })).toThrow("baseUrl: must be an address")
    expect(() => new Vouch({ baseUrl: "vouch" })).toThrow("baseUrl: must be an address")
  })

  test("a stopped server's error names its address and the cause", async () => {
    const server = await serve(json(200, {}))
    await server.stop()
    const error = await server
      .client({ maxRetries: 0 })
      .getUsage()
      .catch((one) => one)
    expect(error.code).toBe("connection_failed")
    expect(error.detail).toBe(
      `The connection to ${server.baseUrl} failed: ECONNREFUSED. Check baseUrl, and that Vouch is running.`,
    )
  })

  test("a wait that times out names the wallet, the time and the next step", async () => {
    const server = await serve(json(200, { status: "pending", mint: null }))
    await expect(server.client().waitForStatus({ pubkey: "wallet1" }, { timeoutMs: 1 })).rejects.toThrow(
      "timeout: The verification of wallet wallet1 is still pending after 1 ms. Have the investor finish at session_url",
    )
    const operation = { operation_id: "op_1", status: "queued" } as never
    await expect(server.client().waitFor(operation, { timeoutMs: 1 })).rejects.toThrow("Operation op_1 is not")
    await expect(server.client().waitFor({ id: "fund", mint: null } as never, { timeoutMs: 1 })).rejects.toThrow(
      "The mint of fund does not exist after 1 ms",
    )
  })
})

describe("a file", () => {
  const file = "user_pubkey,balance,held\n7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU,1,0\n"
  const snapshot = { id: "snap_1" }

  test("is returned unchanged, after a download that broke off", async () => {
    const server = await serve(csv(file, file.length + 1), csv(file))
    expect(await server.client().getSnapshotHoldersCsv(snapshot)).toBe(file)
    expect(server.asked.map(({ path, headers }) => [path, headers.accept])).toEqual(
      Array(2).fill(["/v1/snapshot/snap_1/holders.csv", "text/csv"]),
    )
  })

  test("is not replaced by a response that is not CSV", async () => {
    const server = await serve(json(200, {}))
    const read = server.client().getSnapshotHoldersCsv(snapshot, { maxRetries: 0 })
    await expect(read).rejects.toMatchObject({ code: "unexpected_response" })
  })

  test("that does not exist fails like any other request", async () => {
    const server = await serve(failure(404, "snapshot_not_found"))
    await expect(server.client().getSnapshotHoldersCsv(snapshot)).rejects.toMatchObject({ code: "snapshot_not_found" })
  })
})
