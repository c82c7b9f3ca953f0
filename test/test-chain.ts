import { setTimeout as sleep } from "node:timers/promises"
import { Connection, SYSVAR_CLOCK_PUBKEY } from "@solana/web3.js"
import { inject } from "vitest"
import { type Faults, parseFaults, rollFate } from "#server/embedded/localnet/faults.ts"
import { startLocalnet } from "#server/embedded/localnet/server.ts"
import { type RpcProxy, rpcProxy, signatureOf, type Twist } from "./rpc-proxy.ts"

/** The chain of a test, and what a test makes go wrong with it. */
export type TestChain = {
  /** JSON-RPC for the server: what goes wrong, goes wrong there. */
  url: string
  /** For whoever looks for himself. */
  connection: Connection
  slotMs: number
  /** Misbehaves as `localnet_setFaults` says; an empty object makes it behave again. */
  faults(faults: Record<string, unknown>): Promise<void>
  /** While this is on, transactions are accepted and lost. */
  hold(on: boolean): Promise<void>
  /** So many blocks pass, at once where that is possible. */
  pass(blocks: number): Promise<void>
  close(): Promise<void>
}

const VALIDATOR_SLOT_MS = 50

/** Of the run, where its tests meet a real validator: `npm run cluster -- --server-tests`. */
const validatorOfRun = (): string | null => inject("validatorUrl") ?? null

/** A validator's blocks pass when they pass: on a machine that is busy, ten times as slowly as they should. */
const VALIDATOR_PATIENCE_MS = 180_000
/** How long a test waits in vain for what takes blocks. */
export const patienceMs = (onLocalnet: number): number =>
  validatorOfRun() === null ? onLocalnet : Math.max(onLocalnet, VALIDATOR_PATIENCE_MS)
/** The time that a whole test has, which may wait several times. */
export const testTimeoutMs = (onLocalnet: number): number =>
  validatorOfRun() === null ? onLocalnet : Math.max(onLocalnet, 400_000)

/** A local network of its own, or the validator that all tests of the run share. */
export function startTestChain({ slotMs = 20 } = {}): Promise<TestChain> {
  const validator = validatorOfRun()
  return validator === null ? ownLocalnet(slotMs) : behindProxy(validator)
}

async function ownLocalnet(slotMs: number): Promise<TestChain> {
  const { url, wsUrl, close } = await startLocalnet({ port: 0, dataDir: null, slotMs, allowFaults: true })
  return {
    url,
    connection: new Connection(url, { commitment: "confirmed", wsEndpoint: wsUrl }),
    slotMs,
    faults: async (faults) => void (await callLocalnet(url, "localnet_setFaults", [faults])),
    hold: async (on) => void (await callLocalnet(url, "localnet_hold", [{ on }])),
    pass: async (slots) => void (await callLocalnet(url, "localnet_warp", [{ slots }])),
    close,
  }
}

/** The same faults, made on the way to a chain that has none. */
async function behindProxy(validator: string): Promise<TestChain> {
  const proxy: RpcProxy = await rpcProxy(validator)
  const connection = new Connection(validator, "confirmed")
  const height = () => connection.getBlockHeight("confirmed")
  let faults = parseFaults({})
  let isHeld = false
  proxy.twist = (call, ask) =>
    faulty(faults)(call, isHeld ? losing(call, onTime(call, ask)) : onTime(call, ask))
  return {
    url: proxy.url,
    connection,
    slotMs: VALIDATOR_SLOT_MS,
    async faults(given) {
      faults = parseFaults(given)
    },
    async hold(on) {
      isHeld = on
    },
    async pass(blocks) {
      const until = (await height()) + blocks
      while ((await height()) < until) await sleep(VALIDATOR_SLOT_MS)
    },
    close: () => proxy.close(),
  }
}

/** Calls meet the fates that they meet on a local network with these faults. */
const faulty =
  (faults: Faults): Twist =>
  async (_call, ask) => {
    const { drop, tooManyRequests, mute, delayMs } = rollFate(faults)
    if (drop) return "drop"
    if (tooManyRequests) return { status: 429, headers: { "retry-after": "1" } }
    const reply = await ask()
    if (delayMs > 0) await sleep(delayMs)
    return mute ? "drop" : reply
  }

const CLOCK = SYSVAR_CLOCK_PUBKEY.toBase58()
/** Of the clock's account: `slot, epoch_start_timestamp, epoch, leader_schedule_epoch, unix_timestamp`. */
const UNIX_TIMESTAMP_OFFSET = 32

/** A chain's time counts slots, and a busy machine has fewer of them than it should: the server would wait for its clock. */
const onTime =
  ({ method, params }: Parameters<Twist>[0], ask: Parameters<Twist>[1]): Parameters<Twist>[1] =>
  async () => {
    const reply = await ask()
    const at = method === "getMultipleAccounts" ? (params[0] as string[]).indexOf(CLOCK) : -1
    if (at < 0 || typeof reply === "string" || !("result" in reply)) return reply
    const { value } = reply.result as { value: ({ data: [string, string] } | null)[] }
    const data = Buffer.from(value[at]!.data[0], "base64")
    data.writeBigInt64LE(BigInt(Math.floor(Date.now() / 1000)), UNIX_TIMESTAMP_OFFSET)
    value[at]!.data[0] = data.toString("base64")
    return reply
  }

const losing =
  ({ method, params }: Parameters<Twist>[0], ask: Parameters<Twist>[1]): Parameters<Twist>[1] =>
  async () =>
    method === "sendTransaction" ? { result: signatureOf(params[0] as string) } : ask()

export async function callLocalnet(url: string, method: string, params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}
