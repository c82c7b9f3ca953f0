import { afterEach, describe, expect, test } from "vitest"
import { Vouch, VouchError } from "#client/index.ts"
import { cut, failure, json, scriptedServer } from "./scripted-server.ts"

const session = { session_id: "sess_1", session_url: "http://localhost/verify/sess_1" }
const start = { userPubkey: "w", schemaId: "kyc_individual_v1" }
const soon = { "retry-after": "0" }

let stop: (() => Promise<void>) | undefined
const serve = async (...answers: Parameters<typeof scriptedServer>) => {
  const server = await scriptedServer(...answers)
  stop = server.stop
  return server
}
afterEach(() => stop?.())

describe("retries", () => {
  test("a write that fails on the way is sent again with the same idempotency key and the same body", async () => {
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

  test("each call has a key of its own, or the one that it was given; a read has none", async () => {
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

  test("it waits as long as Retry-After says", async () => {
    const server = await serve(failure(429, "rate_limited", { "retry-after": "1" }), json(200, session))
    const before = performance.now()
    await server.client().startVerification(start)
    expect(performance.now() - before).toBeGreaterThanOrEqual(990)
  })

  test("it ends after as many retries as it may have, with the last error", async () => {
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
  ])("%i %s is not tried again (%o)", async (status, code, headers) => {
    const server = await serve(failure(status, code, headers))
    await expect(server.client().startVerification(start)).rejects.toMatchObject({ status, code })
    expect(server.asked).toHaveLength(1)
  })

  test("a proxy's page is tried again, and is unexpected_response at the end", async () => {
    const server = await serve((response) => void response.writeHead(502, soon).end("<h1>Bad Gateway</h1>"))
    const error = server.client({ maxRetries: 1 }).getUsage()
    await expect(error).rejects.toMatchObject({ code: "unexpected_response", status: 502 })
    expect(server.asked).toHaveLength(2)
  })
})

describe("ends", () => {
  test("an attempt that takes too long is a timeout", async () => {
    const server = await serve(() => {})
    await expect(server.client({ timeoutMs: 50, maxRetries: 1 }).getUsage()).rejects.toMatchObject({
      code: "timeout",
      status: null,
    })
    expect(server.asked).toHaveLength(2)
  })

  test("the caller's signal ends a request, with its own reason and without a retry", async () => {
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

test("names go into the path, what is undefined is left out, and the rest is the query", async () => {
  const server = await serve(json(200, {}))
  await server.client().getWalletStatus({ pubkey: "a/b?c", schema: undefined })
  await server.client().getBalance({ pubkey: "w", mint_config: "m&n" })
  expect(server.asked.map(({ path }) => path)).toEqual([
    "/v1/kyc/status/a%2Fb%3Fc",
    "/v1/token/balance/w?mint_config=m%26n",
  ])
})

test.each(["", ".", ".."])("an id that would lead to another path is refused: %j", async (id) => {
  const server = await serve(json(200, {}))
  expect(() => server.client().getAttestation({ id })).toThrow("id: must be given")
  expect(server.asked).toEqual([])
})

test("an error shows code, detail and request, and never the key", async () => {
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

test("baseUrl may leave out the version; what is no address is refused", async () => {
  const server = await serve(json(200, {}))
  const origin = new URL(server.baseUrl).origin
  for (const baseUrl of [origin, `${origin}/`, `${origin}/v1/`, server.baseUrl])
    await server.client({ baseUrl }).getHealth()
  expect(new Set(server.asked.map(({ path }) => path))).toEqual(new Set(["/v1/health"]))
  for (const baseUrl of ["localhost:3000", "ftp://vouch.example.com", "https://vouch.example.com/v1?a=b"])
    expect(() => server.client({ baseUrl })).toThrow("baseUrl: must be an address")
})

describe("what a newcomer gets wrong", () => {
  test.each([
    "vouch_test_…",
    "vouch_test_",
    "",
    " vouch_test_4MpXbW9sYt2KcQvLhRz7JdK8vPq3mNbR5tYw2L0",
    "sk_live_1",
  ])("a key that cannot be right is refused before anything is sent: %j", (apiKey) => {
    expect(() => new Vouch({ baseUrl: "http://localhost:1", apiKey })).toThrow(
      "apiKey: must be a whole key, vouch_live_ or vouch_test_",
    )
  })

  test("a missing or unreadable baseUrl is named", () => {
    expect(() => new Vouch({} as { baseUrl: string })).toThrow("baseUrl: must be an address")
    expect(() => new Vouch({ baseUrl: "vouch" })).toThrow("baseUrl: must be an address")
  })

  test("a stopped server's error names its address and the cause", async () => {
    const server = await serve(json(200, {}))
    await server.stop()
    stop = undefined
    const error = await server
      .client({ maxRetries: 0 })
      .getUsage()
      .catch((one) => one)
    expect(error.code).toBe("connection_failed")
    expect(error.detail).toBe(
      `The connection to ${server.baseUrl} failed: ECONNREFUSED. Check baseUrl, and that Vouch is running.`,
    )
  })

  test("a wait that ends names the wallet, the time and the next step", async () => {
    const server = await serve(json(200, { status: "pending", mint: null }))
    await expect(server.client().waitForStatus({ pubkey: "wallet1" }, { timeoutMs: 1 })).rejects.toThrow(
      "timeout: The verification of wallet wallet1 is still pending after 1 ms. Have the investor finish at session_url",
    )
    const operation = { operation_id: "op_1", status: "queued" } as never
    await expect(server.client().waitFor(operation, { timeoutMs: 1 })).rejects.toThrow(
      "Operation op_1 is not",
    )
    await expect(
      server.client().waitFor({ id: "fund", mint: null } as never, { timeoutMs: 1 }),
    ).rejects.toThrow("The mint of fund does not exist after 1 ms")
  })
})

describe("lists", () => {
  const page = (data: unknown[], next_cursor: string | null) => json(200, { data, next_cursor })

  test("await gives one page, for await all items of all pages", async () => {
    const server = await serve(page([1, 2], "c1"), page([1, 2], "c1"), page([], "c2"), page([3], null))
    const list = server.client().listAttestations({ status: "verified", limit: 2 })
    expect(await list).toEqual({ data: [1, 2], next_cursor: "c1" })
    expect(server.asked).toHaveLength(1)
    const all: unknown[] = []
    for await (const one of list) all.push(one)
    expect(all).toEqual([1, 2, 3])
    expect(server.asked.map(({ path }) => path).slice(1)).toEqual(
      ["", "&cursor=c1", "&cursor=c2"].map((cursor) => `/v1/attestations?status=verified&limit=2${cursor}`),
    )
  })

  test("nothing is asked for what is neither awaited nor iterated", async () => {
    const server = await serve(page([], null))
    server.client().listInvestors()
    await new Promise((resolve) => setTimeout(resolve, 30))
    expect(server.asked).toEqual([])
  })

  const events = (last_sequence: number, ...sequences: number[]) =>
    json(200, { data: sequences.map((sequence) => ({ sequence })), last_sequence })
  const collect = async (list: AsyncIterable<{ sequence: number }>) => {
    const all: number[] = []
    for await (const { sequence } of list) all.push(sequence)
    return all
  }

  test("events are read up to the latest one, by the sequence of the last one", async () => {
    const server = await serve(events(7, 4, 5), events(7, 6, 7))
    expect(await collect(server.client().listEvents({ after: 3 }))).toEqual([4, 5, 6, 7])
    expect(server.asked.map(({ path }) => path)).toEqual(["/v1/events?after=3", "/v1/events?after=5"])
  })

  test.each([
    ["at the start", [events(9, 5)]],
    ["within a page", [events(9, 4, 6)]],
    ["between pages", [events(9, 4), events(9, 6)]],
  ])("an event that is missing is an error: %s", async (_, answers) => {
    const server = await serve(...answers)
    await expect(collect(server.client().listEvents({ after: 3 }))).rejects.toThrow("one is missing")
  })

  test("events of one type have others between", async () => {
    const server = await serve(events(9, 4, 6), events(9))
    expect(await collect(server.client().listEvents({ after: 3, type: "token.paused" }))).toEqual([4, 6])
  })

  test.each(["created_after", "created_before"])(
    "events of a span have others before and between: %s",
    async (name) => {
      const server = await serve(events(9, 4, 6), events(9))
      const params = { after: 0, [name]: "2026-01-01T00:00:00Z" }
      expect(await collect(server.client().listEvents(params))).toEqual([4, 6])
    },
  )

  test("followed events go on where the last ones ended, until the signal", async () => {
    const server = await serve(events(1, 1), events(3, 2, 3))
    const ending = new AbortController()
    const seen: number[] = []
    const follow = async () => {
      for await (const { sequence } of server.client().followEvents({}, { signal: ending.signal })) {
        seen.push(sequence)
        if (sequence === 3) ending.abort(new Error("enough"))
      }
    }
    await expect(follow()).rejects.toThrow("enough")
    expect(seen).toEqual([1, 2, 3])
    expect(server.asked.map(({ path }) => path)).toEqual([
      "/v1/events?limit=1000",
      "/v1/events?after=1&limit=1000",
    ])
  })

  test("if a failover lost what was read, it is read again from where the server says, each id once", async () => {
    const page = (last_sequence: number, ...rows: [sequence: number, generation: string, id: string][]) =>
      json(200, {
        data: rows.map(([sequence, generation, id]) => ({
          sequence,
          cursor: `${sequence}-${generation}`,
          id,
        })),
        last_sequence,
      })
    const error = { error: "events_rewound", detail: "cursor: lost", request_id: "req_1" }
    const gone = json(410, error, { "resume-cursor": "1-a" })
    const server = await serve(
      page(3, [1, "a", "evt_1"], [2, "a", "evt_2"], [3, "a", "evt_3"]),
      gone,
      page(4, [2, "b", "evt_new"], [3, "b", "evt_2"], [4, "b", "evt_4"]),
    )
    const rewound: unknown[] = []
    const client = server.client({ onRewound: (one) => rewound.push(one) })
    const seen: string[] = []
    for await (const { id } of client.followEvents({ cursor: "0" })) {
      seen.push(id)
      if (id === "evt_4") break
    }
    expect(seen).toEqual(["evt_1", "evt_2", "evt_3", "evt_new", "evt_4"])
    expect(rewound).toEqual([{ cursor: "3-a", resumeCursor: "1-a", detail: "cursor: lost" }])
    expect(server.asked.map(({ path }) => path)).toEqual(
      ["0", "3-a", "1-a"].map((cursor) => `/v1/events?cursor=${cursor}&limit=1000`),
    )
  })

  test("a position of 0 is one: whoever follows from the first event on is told that it is gone", async () => {
    const gone = json(410, { error: "events_expired", detail: "after: gone", request_id: "req_1" })
    const server = await serve(gone)
    const first = server.client().followEvents({ after: 0 }).next()
    await expect(first).rejects.toMatchObject({ code: "events_expired", status: 410 })
    expect(server.asked.map(({ path }) => path)).toEqual(["/v1/events?after=0&limit=1000"])
  })
})

describe("waiting", () => {
  const operation = (status: string, error: unknown = null) => ({ operation_id: "op_1", status, error })

  test("waitFor polls an operation until it is confirmed; what has ended is not asked for", async () => {
    const server = await serve(
      json(202, operation("queued")),
      json(200, operation("submitted")),
      json(200, operation("confirmed")),
    )
    const vouch = server.client()
    const mint = { user_pubkey: "w", mint_config: "m", amount: "1" }
    const done = await vouch.waitFor(vouch.mintTokens(mint, { respondAsync: true }))
    expect(done.status).toBe("confirmed")
    expect(server.asked[0]!.headers.prefer).toBe("respond-async")
    expect(server.asked.slice(1).map(({ path }) => path)).toEqual(Array(2).fill("/v1/token/operation/op_1"))
    await vouch.waitFor(done)
    expect(server.asked).toHaveLength(3)
  })

  test("waitFor comes back no earlier than the 202 asked for", async () => {
    const at: number[] = []
    const noted =
      (answer: ReturnType<typeof json>): typeof answer =>
      (...given) => {
        at.push(performance.now())
        answer(...given)
      }
    const server = await serve(
      noted(json(202, operation("queued"), { "retry-after": "1" })),
      noted(json(200, operation("confirmed"))),
    )
    const vouch = server.client()
    await vouch.waitFor(vouch.mintTokens({ user_pubkey: "w", mint_config: "m", amount: "1" }))
    // Timers may be a millisecond early.
    expect(at[1]! - at[0]!).toBeGreaterThan(990)
  })

  test("an operation that failed is an error with its code", async () => {
    const failed = operation("failed", { error: "insufficient_balance", detail: "Too little." })
    const server = await serve(json(202, operation("queued")), json(200, failed))
    const vouch = server.client()
    const begun = await vouch.mintTokens({ user_pubkey: "w", mint_config: "m", amount: "1" })
    await expect(vouch.waitFor(begun)).rejects.toMatchObject({
      code: "insufficient_balance",
      detail: "Too little.",
      status: null,
    })
  })

  test("a configuration is waited for until its mint is there, a status until it is decided", async () => {
    const config = (mint: string | null) => json(200, { id: "fund", mint })
    const server = await serve(
      config(null),
      config("m"),
      json(200, { status: "pending", mint: null }),
      json(200, { status: "rejected" }),
    )
    const vouch = server.client()
    expect((await vouch.waitFor(vouch.getMintConfig({ id: "fund" }))).mint).toBe("m")
    expect((await vouch.waitForStatus({ pubkey: "w" })).status).toBe("rejected")
  })

  test("a wait has an end", async () => {
    const server = await serve(json(200, { status: "pending", mint: null }))
    await expect(server.client().waitForStatus({ pubkey: "w" }, { timeoutMs: 100 })).rejects.toMatchObject({
      code: "timeout",
    })
    const signal = AbortSignal.timeout(50)
    await expect(server.client().waitForStatus({ pubkey: "w" }, { signal })).rejects.toThrow("timeout")
  })
})
