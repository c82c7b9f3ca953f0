import { getMint, getPausableConfig, TOKEN_2022_PROGRAM_ID } from "@solana/spl-token"
import { PublicKey } from "@solana/web3.js"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { sql } from "#db/client.ts"
import { auditLedger } from "#server/domain/audits/audit-ledger.ts"
import { createAssetMint } from "#server/domain/tokens/operations/create-asset-mint.ts"
import { signerFromSeed } from "#server/solana/keys.ts"
import { extensionsIn } from "#server/solana/mint-extensions.ts"
import type { Fault } from "#test/doubles/rpc-proxy.ts"
import { waitFor } from "#test/fixtures/app.ts"
import { type AppOnFaultyNodes, startAppOnFaultyNodes } from "#test/fixtures/app-on-faulty-nodes.ts"
import { fund } from "#test/fixtures/tokens.ts"

let ground: AppOnFaultyNodes
beforeAll(async () => {
  ground = await startAppOnFaultyNodes({ others: 1 })
})
afterEach(() => ground.behave())
afterAll(() => ground.stop())

const anyKey = () => signerFromSeed(new Uint8Array(32).fill(7))

const read = async (id: string) => (await ground.tokens.get(`/mint-config/${id}`)).json

async function onChain(id: string) {
  const address = new PublicKey((await read(id)).mint)
  return getMint(ground.cluster.connection, address, "confirmed", TOKEN_2022_PROGRAM_ID)
}

/** A node that simulates as if its Token-2022 had or had not PermissionedBurn. */
const simulatesLike =
  (has: boolean): Fault =>
  async ({ method }, ask) => {
    const reply = await ask()
    if (method !== "simulateTransaction" || typeof reply === "string" || !("result" in reply)) return reply
    const result = reply.result as { value: object }
    const err = { InstructionError: [0, has ? "IncorrectProgramId" : { Custom: 12 }] }
    return { result: { ...result, value: { ...result.value, err } } }
  }

const setFault = (fault: Fault | null) => {
  for (const node of ground.nodes) node.fault = fault
}

let made = 0
async function create(transfer_mode: "agent" | "holder"): Promise<string> {
  const id = `extended_${++made}`
  const { status, text } = await ground.tokens.post("/mint-configs", { ...fund(id), transfer_mode })
  expect(status, text).toBe(200)
  return id
}

test.each([
  ["agent", ["pausable", "scaled_ui_amount"]],
  ["holder", ["pausable", "scaled_ui_amount", "permissioned_burn"]],
] as const)("a new mint in %s mode has the extensions that its record lists", async (mode, extensions) => {
  const id = await create(mode)
  expect((await read(id)).extensions).toEqual(extensions)
  expect(extensionsIn(await onChain(id))).toEqual(extensions)
})

test("on a cluster without PermissionedBurn, a mint is created without it", async () => {
  setFault(simulatesLike(false))
  const id = await create("holder")
  expect((await read(id)).extensions).toEqual(["pausable", "scaled_ui_amount"])
  expect(extensionsIn(await onChain(id))).toEqual(["pausable", "scaled_ui_amount"])
})

test("while two nodes contradict each other, no mint is created", async () => {
  ground.nodes[0]!.fault = simulatesLike(false)
  for (const { calls } of ground.nodes) calls.clear()
  const id = `extended_${++made}`
  const headers = { Prefer: "respond-async" }
  const { json } = await ground.tokens.post("/mint-configs", { ...fund(id), transfer_mode: "holder" }, { headers })
  expect(json).toMatchObject({ mint: null, extensions: null })
  const asked = () => ground.nodes.every(({ calls }) => (calls.get("simulateTransaction") ?? 0) > 1)
  await waitFor(async () => asked(), "both nodes to be asked twice")
  expect((await read(id)).mint).toBeNull()
  await ground.behave()
  await waitFor(async () => (await read(id)).mint !== null, "the mint")
  expect(extensionsIn(await onChain(id))).toContain("permissioned_burn")
})

test("after a failure the extensions are chosen again", async () => {
  const operation = {
    workspaceId: "ws_a",
    id: "op_a",
    attempts: 1,
    redo: false,
    payload: { mint_config: ground.config },
  }
  const issuer = { workspaceId: ground.key.workspaceId } as Parameters<typeof createAssetMint.plan>[2]
  const plan = createAssetMint.plan(sql, [operation], { ...issuer, authority: anyKey, feePayer: anyKey() }, null)
  expect((await plan).get("op_a")).toEqual({ do: "look up" })
})

test("pausing a token in agent mode changes nothing on chain", async () => {
  const id = await create("agent")
  await ground.tokens.post(`/mint-config/${id}/pause`, {})
  const queued = await sql`select from operations where mint_config = ${id} and kind = 'align_pause'`
  expect(queued).toEqual([])
  expect(getPausableConfig(await onChain(id))!.paused).toBe(false)
  expect((await auditLedger({ account: null, progress: () => {} })).differences).toEqual([])
})

test.each([
  ["agent", []],
  ["holder", ["pausable"]],
] as const)(
  "a mint of version 0.1.0 in %s mode keeps its extensions, and its audit is clean",
  async (mode, extensions) => {
    const id = await ground.tokens.olderConfig(extensions, { transfer_mode: mode })
    expect((await read(id)).extensions).toEqual(extensions)
    expect(extensionsIn(await onChain(id))).toEqual(extensions)
    const wallet = await ground.wallet()
    expect((await ground.tokens.mint(id, wallet, "5")).status).toBe(200)
    await ground.tokens.post(`/mint-config/${id}/pause`, {})
    await waitFor(
      async () => (await auditLedger({ account: null, progress: () => {} })).differences.length === 0,
      "the pause",
    )
    await ground.tokens.post(`/mint-config/${id}/unpause`, {})
    expect((await ground.tokens.mint(id, wallet, "1")).status).toBe(200)
  },
)
