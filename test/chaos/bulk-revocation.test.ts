import { getAccount, getMint, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { Connection, PublicKey } from "@solana/web3.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import type { BulkRevocation } from "#server/domain/attestations/bulk-revocation/lists.ts"
import { signal } from "#server/embedded/process.ts"
import { Browser, PASSWORD } from "../fixtures/people.ts"
import { type Customers, newCustomers } from "./customers.ts"
import { createDeployment, type Deployment, type ServerProcess, until } from "./deployment.ts"
import { carriersOf, historyOf } from "./history.ts"
import { readPages } from "./pages.ts"
import { allVerified, audit } from "./proof.ts"

const TOTAL = 40
/** Numbers of revoked attestations at which the server is killed. */
const KILLS = [5, 15, 25]

type Record = {
  attestation_id: string
  status: string
  onchain: { mint: string; token_account: string; authority: string }
}

let deployment: Deployment
let server: ServerProcess
let customers: Customers
let browser: Browser

beforeAll(async () => {
  deployment = await createDeployment({ VOUCH_LOCALNET_SLOT_MS: "20" })
  server = deployment.startServer()
  await deployment.ready(server)
  browser = await owner()
  customers = newCustomers(deployment, { apiKey: await deployment.createKey(), total: TOTAL })
  await customers.runAll()
  await allVerified(customers)
})
afterAll(() => deployment.destroy())

/** The signed-in owner of the customers' account. */
async function owner(): Promise<Browser> {
  const email = "owner@example.com"
  const argv = ["account", "create", "--name", "chaos", "--plan", "growth", "--owner", email, "--json"]
  const { stdout, stderr, exitCode } = await deployment.command(argv)
  expect(exitCode, stderr).toBe(0)
  const { owner_link, workspaces } = JSON.parse(stdout) as {
    owner_link: string
    workspaces: { test: string }
  }
  const own = new Browser(deployment)
  const token = new URL(owner_link).searchParams.get("token")
  const created = await own.mutate("setup.createUser", { token, name: "Owner", email, password: PASSWORD })
  expect(created.error).toBeUndefined()
  await own.signIn(email)
  own.workspaceId = workspaces.test
  return own
}

async function read(id: string): Promise<BulkRevocation> {
  const { data, error } = await browser.query("bulkRevocation.get", { id })
  expect(error).toBeUndefined()
  return data
}

test("a server that is killed repeatedly during a bulk revocation revokes each attestation exactly once", async () => {
  const before = await readPages<Record>(customers.client, "/attestations")
  const ids = before.map((one) => one.attestation_id)
  // Each commit waits for this lock, so that a kill can hit each of them.
  await deployment.query((sql) =>
    sql.unsafe(`
      create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.05); return new; end $$;
      create trigger linger before update on bulk_revocation_items for each row execute function linger()`),
  )
  const started = await browser.mutate("bulkRevocation.start", {
    attestation_ids: ids,
    reason: "Fund closed",
  })
  expect(started.error).toBeUndefined()
  const { id } = started.data as { id: string }
  for (const kill of KILLS) {
    const seen = await until(`${kill} to be revoked`, async () => {
      const now = await read(id)
      return now.revoked >= kill && now
    })
    expect(seen.ended_at).toBeNull()
    signal(server.pid, "SIGKILL")
    await server.exited
    server = deployment.startServer()
    await deployment.ready(server)
    // A reported revocation stays, and the list agrees with the attestations.
    const [progress, revoked] = await once(id)
    expect(progress.revoked).toBe(revoked)
    expect(progress.revoked).toBeGreaterThanOrEqual(seen.revoked)
    expect(progress).toMatchObject({ attestations: TOTAL, ended_before: 0, failed: [] })
  }
  const over = await until("the end", async () => {
    const now = await read(id)
    return now.ended_at !== null && now
  })
  expect(over).toMatchObject({ revoked: TOTAL, ended_before: 0, failed: [] })
  await everyBurnLanded(ids)

  const connection = new Connection(deployment.rpcUrl, "confirmed")
  const { mint, authority } = before[0]!.onchain
  const { supply } = await getMint(connection, new PublicKey(mint), "confirmed", TOKEN_2022_PROGRAM_ID)
  expect(supply).toBe(0n)
  for (const { onchain } of before) {
    const address = new PublicKey(onchain.token_account)
    expect((await getAccount(connection, address, "confirmed", TOKEN_2022_PROGRAM_ID)).amount).toBe(0n)
  }
  const burns = await burnsOf(ids)
  expect(burns.map((burn) => burn.attestation_id).sort()).toEqual([...ids].sort())
  const carriers = carriersOf(await historyOf(connection, authority), "op_")
  for (const { id, signature } of burns) expect(carriers.get(id), id).toEqual([signature])
  const lines = await deployment.query(
    (sql) => sql<{ subject: string }[]>`select subject from audit_entries where action = 'attestation.revoked'`,
  )
  expect(lines.map(({ subject }) => subject).sort()).toEqual([...ids].sort())
  await audit(deployment)
})

/** The list's report and the number of revoked attestations, with no change between the two reads. */
async function once(id: string): Promise<[BulkRevocation, number]> {
  return until("two consistent reads", async () => {
    const first = await read(id)
    const [row] = await deployment.query(
      (sql) => sql<{ count: number }[]>`select count(*)::int from attestations where revoked_at is not null`,
    )
    const second = await read(id)
    return first.revoked === second.revoked && ([second, row!.count] as [BulkRevocation, number])
  })
}

const burnsOf = (ids: readonly string[]) =>
  deployment.query(
    (sql) => sql<{ id: string; attestation_id: string; status: string; signature: string | null }[]>`
      select o.id, o.payload ->> 'attestation_id' as attestation_id, o.status, o.signature from operations o
      where o.kind = 'revoke' and o.payload ->> 'attestation_id' = any(${[...ids]})`,
  )

const everyBurnLanded = (ids: readonly string[]) =>
  until("every credential to be burnt", async () => (await burnsOf(ids)).every(({ status }) => status === "confirmed"))
