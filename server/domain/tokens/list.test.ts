import { beforeAll, expect, test } from "vitest"
import { waitFor } from "#test/fixtures/app.ts"
import { whileLedgerPaused } from "#test/fixtures/ledger-pause.ts"
import type { TokenFixture } from "#test/fixtures/tokens.ts"
import { app, key, tokens, usesCustomer } from "#test/fixtures/uses-app.ts"

let wallets: string[]

usesCustomer({ key: { mode: "live", plan: "enterprise" } })
beforeAll(async () => {
  wallets = await tokens.wallets(3)
})

type Page = { ids: string[]; next: string | null }
const list = async (query: string): Promise<Page> => {
  const { status, json } = await tokens.get(`/token/operations${query}`)
  expect(status).toBe(200)
  return { ids: json.data.map((one: { operation_id: string }) => one.operation_id), next: json.next_cursor }
}
/** Mints one after the other. Returns the newest first. */
async function mintMany(config: string, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let i = 0; i < count; i++) {
    const { json } = await tokens.mint(config, wallets[0]!, 1, { headers: { prefer: "respond-async" } })
    ids.unshift(json.operation_id)
  }
  return ids
}

test("a configuration without operations has an empty list, and an unknown one gets an error", async () => {
  const config = await tokens.config()
  expect((await tokens.get(`/token/operations?mint_config=${config}`)).json).toEqual({
    data: [],
    next_cursor: null,
  })
  const unknown = await tokens.get("/token/operations?mint_config=none_v1")
  expect([unknown.status, unknown.json.error]).toEqual([422, "unknown_mint_config"])
})

test("the list is newest first, twenty to a page, with each operation once while others are added", async () => {
  const config = await tokens.config()
  const ids = await mintMany(config, 45)
  const query = `?mint_config=${config}`
  const first = await list(query)
  expect(first.ids).toEqual(ids.slice(0, 20))
  await mintMany(config, 3)
  const second = await list(`${query}&cursor=${first.next}`)
  expect(second.ids).toEqual(ids.slice(20, 40))
  const third = await list(`${query}&cursor=${second.next}`)
  expect(third).toEqual({ ids: ids.slice(40), next: null })
  expect((await list(`${query}&limit=48`)).next).toBeNull()
  expect((await list(`${query}&limit=47`)).next).not.toBeNull()
})

test("the list filters by wallet on either side, configuration and status, alone and together", async () => {
  const [config, other] = [await tokens.config(), await tokens.config()]
  const [alice, bob, carol] = wallets as [string, string, string]
  const id = async (sent: ReturnType<TokenFixture["mint"]>) => (await sent).json.operation_id as string
  const minted = await id(tokens.mint(config, alice, 10))
  const moved = await id(tokens.transfer(config, alice, bob, 4))
  const further = await id(tokens.transfer(config, bob, carol, 1))
  const elsewhere = await id(tokens.mint(other, alice, 10))
  const of = async (query: string) => (await list(`?mint_config=${config}&${query}`)).ids
  expect(await of(`pubkey=${alice}`)).toEqual([moved, minted])
  expect(await of(`pubkey=${bob}`)).toEqual([further, moved])
  expect(await of(`pubkey=${carol}`)).toEqual([further])
  expect(await of(`pubkey=${carol}&status=confirmed`)).toEqual([further])
  expect(await of("status=failed")).toEqual([])
  expect((await list(`?mint_config=${other}`)).ids).toEqual([elsewhere])
  expect((await list(`?pubkey=${carol}`)).ids).toEqual([further])
})

test("each record in the list equals the operation's own response, in every status", async () => {
  const config = await tokens.config()
  await tokens.mint(config, wallets[0]!, 5)
  const doomed = (await app.verifiedWallet(key)).wallet
  await whileLedgerPaused(async () => {
    const headers = { prefer: "respond-async" }
    await tokens.mint(config, doomed, 1, { headers })
    await tokens.transfer(config, wallets[0]!, wallets[1]!, 1, { headers })
    const { json } = await tokens.get(`/token/operations?mint_config=${config}&status=queued`)
    expect(json.data).toHaveLength(2)
    for (const one of json.data) expect((await tokens.get(`/token/operation/${one.operation_id}`)).json).toEqual(one)
    const { attestation_id } = (await tokens.get(`/kyc/status/${doomed}`)).json
    await tokens.post(`/attestation/${attestation_id}/revoke`, { reason: "Fraud" })
  })
  const data = await waitFor(async () => {
    const { json } = await tokens.get(`/token/operations?mint_config=${config}`)
    const isDone = json.data.every(
      ({ status, finalized_at }: { status: string; finalized_at: string | null }) =>
        finalized_at !== null || status === "failed",
    )
    return isDone ? json.data : null
  }, "all to end and become final")
  expect(data.map((one: { kind: string; status: string }) => [one.kind, one.status])).toEqual([
    ["transfer", "confirmed"],
    ["mint", "failed"],
    ["mint", "confirmed"],
  ])
  for (const one of data) {
    expect((await tokens.get(`/token/operation/${one.operation_id}`)).json).toEqual(one)
    expect(one.error === null).toBe(one.status === "confirmed")
    expect(one.onchain_tx === null && one.confirmed_at === null).toBe(one.status === "failed")
  }
})
