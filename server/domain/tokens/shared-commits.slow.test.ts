import type postgres from "postgres"
import { beforeAll, expect, test } from "vitest"
import { open, sql } from "#db/client.ts"
import type { IdempotencyClaim } from "#server/domain/requests/context.ts"
import { newId } from "#server/lib/ids.ts"
import { addSeconds } from "#server/lib/time.ts"
import type { Address } from "#shared/address.ts"
import { moveClock, realNow } from "#test/fixtures/clock.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import { byOperator } from "#test/fixtures/operator.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"
import { reserveMovement } from "./reserve.ts"

// Requests that arrive together are decided in one commit. A problem with one of them does not affect the others.

let wallets: Address[]

// The test is about deadlines for a lock and for requests ahead.
usesCustomer({ key: { plan: "growth" }, slowness: 1 })
beforeAll(async () => {
  wallets = await tokens.wallets(4)
})

type Mint = { config: string; to: Address; idempotency?: IdempotencyClaim }

/** The results of simultaneous requests: "begun", or the error of each. */
async function mintTogether(mints: readonly Mint[], decided = (_i: number) => {}): Promise<string[]> {
  const asked = await Promise.allSettled(
    mints.map(({ config, to, idempotency = null }, i) =>
      reserveMovement(key.workspaceId, {
        ...{ idempotency, config, movement: { kind: "mint", from: null, to }, forced: null, amount: "1" },
        author: byOperator(key),
        disclosure: { claims: false, attestations: false },
      }).finally(() => decided(i)),
    ),
  )
  return asked.map((one) => (one.status === "fulfilled" ? "begun" : (one.reason.code ?? one.reason.constructor.name)))
}

const LOCKED = "55P03"
const eachWallet = (config: string): Mint[] => wallets.map((to) => ({ config, to }))
const operationsOf = async (config: string) => (await tokens.trace(config)).operations.length

/**
 * Runs `during` while another process's transaction holds the locks that `lock` takes. The transaction is then rolled
 * back.
 */
async function whileHeld<T>(
  lock: (sql: postgres.TransactionSql) => PromiseLike<unknown>,
  during: () => Promise<T>,
): Promise<T> {
  const other = open(app.databaseUrl, 1)
  const undone = new Error("undone")
  let outcome: T
  await other
    .begin(async (tx) => {
      await lock(tx as never)
      outcome = await during()
      throw undone
    })
    .catch((error) => {
      if (error !== undone) throw error
    })
    .finally(() => other.end())
  return outcome!
}

const claimOf = (idempotencyKey: string): IdempotencyClaim => ({
  ...{ workspaceId: key.workspaceId, keyId: key.keyId, idempotencyKey },
  ...{ fingerprint: Buffer.alloc(32), begun: null },
})

test("a request that the database refuses fails alone", async () => {
  const config = await tokens.config()
  await sql.unsafe(`
    create function refuse_one() returns trigger language plpgsql as $$ begin
      if new.wallet = '${wallets[1]}' then raise 'not this one'; end if;
      return new;
    end $$;
    create trigger refuse_one before insert on operations for each row execute function refuse_one()`)
  const outcomes = await mintTogether(eachWallet(config))
  await sql`drop trigger refuse_one on operations`
  expect(outcomes).toEqual(["begun", "P0001", "begun", "begun"])
  expect(await operationsOf(config)).toBe(3)
})

test("a request whose holding is locked fails alone", async () => {
  const config = await tokens.config()
  // Settling a landed operation would also wait for the holding, while it locks the configuration.
  const outcomes = await whileLedgerPaused(async () => {
    expect(await mintTogether(eachWallet(config))).toEqual(wallets.map(() => "begun"))
    return whileHeld(
      (tx) => tx`
        select from holdings
        where workspace_id = ${key.workspaceId} and mint_config = ${config} and wallet = ${wallets[2]!} for update`,
      () => mintTogether(eachWallet(config)),
    )
  })
  expect(outcomes).toEqual(["begun", "begun", LOCKED, "begun"])
  expect(await operationsOf(config)).toBe(7)
})

test("while a configuration is locked, mints of another one continue", async () => {
  const [held, free] = [await tokens.config(), await tokens.config()]
  const outcomes = await whileHeld(
    (tx) => tx`select from mint_configs where workspace_id = ${key.workspaceId} and id = ${held} for update`,
    () => mintTogether([...eachWallet(held), ...eachWallet(free)]),
  )
  expect(outcomes).toEqual([...wallets.map(() => LOCKED), ...wallets.map(() => "begun")])
})

test("a request whose key another request holds waits alone, and does not delay others twice", async () => {
  const config = await tokens.config()
  const idempotency = claimOf(newId("evt"))
  const mints = eachWallet(config).map((mint, i) => (i === 0 ? { ...mint, idempotency } : mint))
  const [first, again] = await whileHeld(
    (tx) => tx`
      insert into idempotency_records (workspace_id, key_id, idempotency_key, fingerprint, subject, created_at)
      values (${key.workspaceId}, ${key.keyId}, ${idempotency.idempotencyKey}, ${Buffer.alloc(32)}, 'op_x', now())`,
    async () => {
      const first = await mintTogether(mints)
      const order: number[] = []
      const again = await mintTogether(mints, (i) => order.push(i))
      // The others are decided first: no request waits twice for the key's holder.
      expect(order.at(-1)).toBe(0)
      return [first, again]
    },
  )
  const others = wallets.slice(1).map(() => "begun")
  expect([first, again]).toEqual([
    ["KeyBusy", ...others],
    ["KeyBusy", ...others],
  ])
  expect(await mintTogether(mints)).toEqual(["begun", ...others])
})

test("the response that is returned immediately equals the stored one, down to its start time", async () => {
  const config = await tokens.config()
  let seconds = 0
  // A reader who reads twice sees the same time.
  await moveClock(() => addSeconds(realNow(), ++seconds))
  await whileLedgerPaused(async () => {
    const headers = { prefer: "respond-async" }
    const { status, json } = await tokens.mint(config, wallets[0]!, "1", { headers })
    expect(status).toBe(202)
    expect((await tokens.get(`/token/operation/${json.operation_id}`)).json).toEqual(json)
  })
})
