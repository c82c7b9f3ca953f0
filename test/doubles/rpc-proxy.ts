import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { json } from "node:stream/consumers"
import bs58 from "bs58"

// Real nodes lag, lose history, are busy or close connections. This proxy stands between Vouch and a correct chain, and
// changes responses to look like theirs.

type Call = { id: unknown; method: string; params: unknown[] }
type Json = { [name: string]: unknown }
/** A JSON-RPC response, an HTTP status, or a closed connection. */
export type Reply =
  | { result: unknown }
  | { error: Json }
  | { status: number; headers?: Record<string, string>; text?: string }
  | "drop"
/** Changes the response to a call. `ask` forwards the call, or another one, to the chain. */
export type Fault = (call: Call, ask: (method?: string, params?: unknown[]) => Promise<Reply>) => Promise<Reply>

export type RpcProxy = {
  url: string
  /** Calls since the last reset, by method. */
  calls: Map<string, number>
  /** What is wrong with the node, until this changes; null means nothing. */
  fault: Fault | null
  /** Puts another chain behind the same address. */
  leadTo(url: string): void
  close(): Promise<void>
}

export async function rpcProxy(upstream: string): Promise<RpcProxy> {
  const server = createServer(async (request, response) => {
    const call = (await json(request)) as Call
    proxy.calls.set(call.method, (proxy.calls.get(call.method) ?? 0) + 1)
    const ask = (method = call.method, params = call.params) => forward(upstream, { ...call, method, params })
    const reply = await (proxy.fault ? proxy.fault(call, ask) : ask()).catch((): Reply => "drop")
    if (reply === "drop") return void response.destroy()
    if ("status" in reply) return void response.writeHead(reply.status, reply.headers).end(reply.text ?? "")
    response.writeHead(200, { "content-type": "application/json" })
    response.end(JSON.stringify({ jsonrpc: "2.0", ...reply, id: call.id }))
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: new Map(),
    fault: null,
    leadTo(url) {
      upstream = url
      server.closeAllConnections()
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
  return proxy
}

async function forward(url: string, call: Call): Promise<Reply> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", ...call }),
  })
  if (!response.ok) return { status: response.status, text: await response.text() }
  const { result, error } = (await response.json()) as Json
  return error === undefined ? { result } : { error: error as Json }
}

/** Answers calls of some methods, or of all, with `reply`. */
export const replying =
  (reply: Reply, methods?: readonly string[]): Fault =>
  async ({ method }, ask) =>
    methods === undefined || methods.includes(method) ? reply : ask()

export const rpcError = (code: number, message = "injected fault"): Reply => ({ error: { code, message } })

/** Applies a fault to every other call, as if two nodes shared one address. */
export function everyOther(fault: Fault): Fault {
  let calls = 0
  return (call, ask) => (calls++ % 2 === 0 ? fault(call, ask) : ask())
}

type Status = { slot: number } | null
type WithContext<T> = { result: { context: { slot: number }; value: T } }

/**
 * A node without history from before a slot, because it was restored from a snapshot or pruned. It does not report this
 * when asked for single signatures, and lists what it has as if that were everything.
 */
export function forgets(beforeSlot: number): Fault {
  const known = (slot: number) => slot >= beforeSlot
  return async ({ method }, ask) => {
    const reply = await ask()
    if (typeof reply === "string" || !("result" in reply)) return reply
    if (method === "getFirstAvailableBlock") return { result: beforeSlot }
    if (method === "getSignatureStatuses") {
      const { context, value } = (reply as WithContext<Status[]>).result
      return { result: { context, value: value.map((one) => (one && known(one.slot) ? one : null)) } }
    }
    if (method === "getSignaturesForAddress")
      return { result: (reply.result as { slot: number }[]).filter(({ slot }) => known(slot)) }
    if (method === "getTransaction" && reply.result !== null && !known((reply.result as { slot: number }).slot))
      return { result: null }
    return reply
  }
}

/** The signature of a transaction in base64, as `sendTransaction` gets it. */
export const signatureOf = (wire: string): string => bs58.encode(Buffer.from(wire, "base64").subarray(1, 65))

/**
 * A node on a fork that the others abandon. A transaction sent there lands only in that fork, with `err`, and no other
 * node ever sees it.
 */
export function onFork({ err = null }: { err?: unknown } = {}): Fault {
  const own = new Map<string, number>()
  return async ({ method, params }, ask) => {
    if (method === "sendTransaction") {
      const signature = signatureOf(params[0] as string)
      if (!own.has(signature)) {
        const slot = await ask("getSlot", [{ commitment: "confirmed" }])
        own.set(signature, (slot as { result: number }).result)
      }
      return { result: signature }
    }
    const reply = await ask()
    if (method !== "getSignatureStatuses" || typeof reply === "string" || !("result" in reply)) return reply
    const { context, value } = (reply as WithContext<unknown[]>).result
    const statuses = value.map((one, i) => {
      const slot = own.get((params[0] as string[])[i]!)
      if (slot === undefined) return one
      return {
        slot,
        confirmations: 5,
        err,
        status: err ? { Err: err } : { Ok: null },
        confirmationStatus: "confirmed",
      }
    })
    return { result: { context, value: statuses } }
  }
}

/** A node that lists transactions without their memos. */
export const withoutMemos: Fault = async ({ method }, ask) => {
  const reply = await ask()
  if (method !== "getSignaturesForAddress" || typeof reply === "string" || !("result" in reply)) return reply
  return { result: (reply.result as Json[]).map((one) => ({ ...one, memo: null })) }
}

/** A node that keeps no history and reports this. */
export const noHistory: Fault = async ({ method, params }, ask) => {
  const isSearch =
    method === "getSignatureStatuses" && (params[1] as Json | undefined)?.searchTransactionHistory === true
  return isSearch || method === "getSignaturesForAddress" || method === "getTransaction"
    ? rpcError(-32011, "Transaction history is not available from this node")
    : ask()
}

const TOKEN_2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb"

/**
 * A node that stops at the current slot. An honest one refuses requests with a newer `minContextSlot`; the other kind
 * ignores it.
 */
export async function frozen(url: string, { honest = true } = {}): Promise<Fault> {
  const ask = async (method: string, ...params: unknown[]) => {
    const reply = await forward(url, { id: 1, method, params })
    if (typeof reply === "string" || !("result" in reply)) throw new Error(`${method}: ${JSON.stringify(reply)}`)
    return reply.result
  }
  const slot = (await ask("getSlot", { commitment: "confirmed" })) as number
  const accounts = new Map<string, unknown>()
  const listed = await ask("getProgramAccounts", TOKEN_2022, { encoding: "base64", commitment: "confirmed" })
  for (const { pubkey, account } of listed as { pubkey: string; account: unknown }[]) accounts.set(pubkey, account)
  const blockhash = await ask("getLatestBlockhash", { commitment: "confirmed" })
  const epoch = await ask("getEpochInfo", { commitment: "finalized" })
  const contextOf = { slot, apiVersion: "frozen" }
  return async ({ method, params }, through) => {
    const options = params.find((one) => typeof one === "object" && one !== null && !Array.isArray(one)) as
      | Json
      | undefined
    if (honest && Number(options?.minContextSlot ?? 0) > slot)
      return {
        error: {
          code: -32016,
          message: "Minimum context slot has not been reached",
          data: { contextSlot: slot },
        },
      }
    if (method === "getSlot") return { result: slot }
    if (method === "getLatestBlockhash") return { result: blockhash }
    if (method === "getEpochInfo") return { result: epoch }
    const reply = await through()
    if (typeof reply === "string" || !("result" in reply)) return reply
    if (method === "getSignatureStatuses") {
      const { value } = (reply as WithContext<Status[]>).result
      return {
        result: { context: contextOf, value: value.map((one) => (one && one.slot <= slot ? one : null)) },
      }
    }
    if (method === "getSignaturesForAddress")
      return { result: (reply.result as { slot: number }[]).filter((one) => one.slot <= slot) }
    if (method === "getTransaction")
      return { result: ((reply.result as { slot: number } | null)?.slot ?? 0) <= slot ? reply.result : null }
    const named = method === "getMultipleAccounts" ? (params[0] as string[]) : [params[0] as string]
    if (method === "getMultipleAccounts" || method === "getAccountInfo") {
      const now = (reply as WithContext<unknown>).result.value
      const value = named.map((address, i) => {
        const current = method === "getMultipleAccounts" ? (now as unknown[])[i] : now
        const isToken = (current as { owner?: string } | null)?.owner === TOKEN_2022
        return isToken || accounts.has(address) ? (accounts.get(address) ?? null) : current
      })
      return { result: { context: contextOf, value: method === "getAccountInfo" ? value[0] : value } }
    }
    return reply
  }
}
