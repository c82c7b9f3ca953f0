import { expect, test } from "vitest"
import { json, serve } from "./scripted-server.ts"

const operation = (status: string, error: unknown = null) => ({ operation_id: "op_1", status, error })

test("waitFor polls an operation until it is confirmed, and does not poll one that has ended", async () => {
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

test("waitFor polls no earlier than the 202 response asked for", async () => {
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

test("a failed operation is an error with its code", async () => {
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

test("waitFor does not wait for people: an operation that other members must approve is an error at once", async () => {
  const waiting = { ...operation("awaiting_approval"), approval_id: "apr_1" }
  const server = await serve(json(202, waiting), json(200, waiting), json(200, operation("confirmed")))
  const vouch = server.client()
  const begun = await vouch.mintTokens({ user_pubkey: "w", mint_config: "m", amount: "1" })
  expect(begun.status).toBe("awaiting_approval")
  await expect(vouch.waitFor(begun)).rejects.toMatchObject({
    ...{ code: "awaiting_approval", status: null, approvalId: "apr_1", detail: expect.stringContaining("(apr_1)") },
  })
  expect(server.asked).toHaveLength(2)
  // They have approved it in the meantime.
  expect((await vouch.waitFor(begun)).status).toBe("confirmed")
})

test("waitFor waits until a configuration's mint exists, or until a status is decided", async () => {
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

test("a wait has a time limit", async () => {
  const server = await serve(json(200, { status: "pending", mint: null }))
  await expect(server.client().waitForStatus({ pubkey: "w" }, { timeoutMs: 100 })).rejects.toMatchObject({
    code: "timeout",
  })
  const signal = AbortSignal.timeout(50)
  await expect(server.client().waitForStatus({ pubkey: "w" }, { signal })).rejects.toThrow("timeout")
})
