import { expect, test } from "vitest"
import { background, sql } from "#db/client.ts"
import { newWallet, waitFor } from "#test/fixtures/app.ts"
import { app, key, usesCustomer } from "#test/fixtures/uses-app.ts"

// A start that finds a session which ends at the same moment.

usesCustomer({ environment: { VOUCH_ROLE: "web" } })

async function start(wallet: string, externalId: string | null, schemaId = "kyc_individual_v1"): Promise<string> {
  const json = { userPubkey: wallet, schemaId, ...(externalId && { externalId }) }
  const answer = await app.request({ method: "POST", path: "/kyc/start", key: key.apiKey, json })
  expect(answer.status).toBe(200)
  return answer.json.session_id
}
const sessionsOf = (wallet: string) => sql`
  select a.session_id, a.external_id, i.external_id as name from attestations a
  join investors i on i.workspace_id = a.workspace_id and i.id = a.investor_id
  where a.workspace_id = ${key.workspaceId} and a.wallet = ${wallet} order by a.seq`
const withoutSession = () => sql`
  select external_id from investors i where workspace_id = ${key.workspaceId} and not exists (
    select from attestations a where a.workspace_id = i.workspace_id and a.investor_id = i.id)`

test("a session that ends while a start sends an external id does not take it, and the start begins another session", async () => {
  const wallet = newWallet()
  const first = await start(wallet, null)
  await start(wallet, null, "kyc_business_v1")
  let starting: Promise<string> | undefined
  await sql.begin(async (sql) => {
    await sql`
      update attestations set status = 'rejected', ended_at = now(), open_until = null where session_id = ${first}`
    starting = start(wallet, "named too late")
    await waitFor(async () => {
      const waiting = await background`
        select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
      return waiting.length > 0
    }, "the start to wait for the session")
  })
  const second = await starting
  expect(second).not.toBe(first)
  const sessions = await sessionsOf(wallet)
  expect(sessions[0]).toMatchObject({ session_id: first, external_id: null })
  expect(sessions.at(-1)).toMatchObject({
    ...{ session_id: second, external_id: "named too late", name: "named too late" },
  })
  expect(await withoutSession()).toHaveLength(0)
})
