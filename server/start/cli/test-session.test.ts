import { beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { openClaims } from "#server/domain/attestations/claims.ts"
import { createAccount } from "#server/domain/onboarding/create-account.ts"
import type { TestKey } from "#test/fixtures/app.ts"
import { app, usesApp } from "#test/fixtures/uses-app.ts"
import { runCommandOnApp } from "#test/fixtures/vouch-command.ts"
import { sandboxAndGeneric } from "#test/vendor/generic.ts"

usesApp({ environment: sandboxAndGeneric })
let key: TestKey
let live: TestKey

beforeAll(async () => {
  const account = await createAccount({ name: "Fund", plan: "free" })
  key = await app.key({ account })
  live = await app.key({ account, mode: "live" })
})

const decide = (...args: string[]) => runCommandOnApp("test", "decide", ...args)

test("approving on the command line verifies the wallet with the given claims", async () => {
  const { wallet, sessionId } = await app.startSession(key)
  const claims = ["--country", "USA", "--over-18", "--accredited"]
  const decided = await decide(sessionId, "approved", ...claims)
  expect(decided).toEqual({ exitCode: 0, stdout: `${wallet}: the session is approved.\n`, stderr: "" })
  await app.waitForStatus(key, wallet, "verified")
  const [attestation] = await sql`select id, claims from attestations where session_id = ${sessionId}`
  expect(openClaims(attestation!.id, attestation!.claims)).toEqual({
    country: "US",
    age_over_18: true,
    accredited: true,
  })
})

test("a rejection records its public reason, and an ended session stays unchanged", async () => {
  const { sessionId } = await app.startSession(key)
  const rejected = await decide(sessionId, "rejected", "--public-reason", "not_eligible", "--json")
  const { state, attestation_id } = JSON.parse(rejected.stdout)
  expect(state).toBe("rejected")
  const [row] = await sql`select public_reason from attestations where id = ${attestation_id}`
  expect(row).toEqual({ public_reason: "not_eligible" })
  expect(JSON.parse((await decide(sessionId, "expired", "--json")).stdout).state).toBe("rejected")
})

test("only sandbox sessions in test mode are accepted, and mistakes are named", async () => {
  const { sessionId } = await app.startSession(key, undefined, "accredited_investor_v1")
  const ofLive = await app.startSession(live)
  const refusals: [string[], RegExp][] = [
    [[sessionId, "approved"], /decided by generic/],
    [[ofLive.sessionId, "approved"], /no session with this id/],
    [["sess_1", "approved"], /no session with this id/],
    [[sessionId, "yes"], /Allowed choices are in_review, .*--help/s],
    [[sessionId, "approved", "--country", "Narnia"], /Use a country code/],
    [[sessionId], /missing required argument 'decision'/],
  ]
  for (const [args, reason] of refusals) {
    const { exitCode, stdout, stderr } = await decide(...args)
    expect({ exitCode, stdout }, args.join(" ")).toEqual({ exitCode: 2, stdout: "" })
    expect(stderr).toMatch(reason)
  }
  const open = await sql`select from attestations where event_at is null and status = 'pending'`
  expect(open).toHaveLength(2)
  const help = await decide("--help")
  expect(help).toMatchObject({ exitCode: 0, stderr: "" })
  for (const part of ["<session_id>", "resubmission_requested", "--accredited", "documents_unreadable"])
    expect(help.stdout).toContain(part)
})
