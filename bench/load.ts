/**
 * The load generator, in a separate process: each keep-alive connection sends the next request as soon as the last one
 * is answered. It uses raw sockets and prepared texts: on a small machine, every cycle of the generator is missing on
 * both sides and makes any two servers look alike.
 */
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import type { Customer } from "./seed.ts"
import { LIMITED, newWallet, randomText } from "./wallets.ts"

export type Traffic =
  | "status"
  | "start"
  | "start with key"
  | "mixed"
  | "mint"
  | "mint async"
  | "mint limited"
  | "mint limited async"

export type Order = {
  port: number
  traffic: Traffic
  connections: number
  /** The customer who sends. By default the first customer sends mints, and all customers send other requests. */
  customer?: number | undefined
  /** Warm-up, which is not measured. */
  warmup_ms: number
  /** How long to measure, or how many requests to send. */
  until: { measure_ms: number } | { requests: number }
}

export type LoadResult = {
  answers: number
  /** Unexpected responses by status. Expected are 200, and 202 for requests that do not wait. */
  unexpected: Record<string, number>
  seconds: number
  p50_ms: number
  p99_ms: number
  /** CPU time of the generator itself. */
  cpu_seconds: number
}

const ASYNC = "Prefer: respond-async\r\n"

const customers: Customer[] = JSON.parse(readFileSync(process.argv[2]!, "utf8"))

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)]!

const requestOf: Record<Traffic, (host: string, customer?: number) => string> = {
  status: (host) => {
    const { apiKey, wallets } = pick(customers)
    return get(host, apiKey, `/v1/kyc/status/${pick(wallets)}`)
  },
  start: (host) => start(host, ""),
  "start with key": (host) => start(host, `Idempotency-Key: ${randomText(32)}\r\n`),
  mint: (host, customer) => mint(host, customer, ""),
  "mint async": (host, customer) => mint(host, customer, ASYNC),
  "mint limited": (host, customer) => mint(host, customer, "", LIMITED),
  "mint limited async": (host, customer) => mint(host, customer, ASYNC, LIMITED),
  mixed: (host) => {
    const dice = Math.random()
    if (dice < 0.75) return requestOf.status(host)
    if (dice < 0.85) return requestOf.start(host)
    if (dice < 0.9) return requestOf["start with key"](host)
    const { apiKey, sessions } = pick(customers)
    if (dice < 0.95) return get(host, apiKey, "/v1/attestations?limit=20")
    if (dice < 0.97) return get(host, apiKey, "/v1/usage")
    if (dice < 0.98) return get(host, apiKey, "/v1/openapi.json")
    return get(host, apiKey, dice < 0.99 ? "/sign-in" : `/verify/${pick(sessions)}`)
  },
}

const get = (host: string, apiKey: string, path: string) =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\nAccept: application/json\r\n\r\n`

const post = (host: string, apiKey: string, path: string, header: string, body: string) =>
  `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${apiKey}\r\nContent-Type: application/json\r\n${header}Content-Length: ${body.length}\r\n\r\n${body}`

function start(host: string, header: string): string {
  const body = `{"userPubkey":"${newWallet()}","schemaId":"kyc_individual_v1"}`
  return post(host, pick(customers).apiKey, "/v1/kyc/start", header, body)
}

/** Only one customer mints, because this limits the rate most. */
function mint(host: string, customer = 0, header = "", config = "us_real_estate_fund_v1"): string {
  const { apiKey, investors } = customers[customer]!
  const body = `{"user_pubkey":"${pick(investors)}","mint_config":"${config}","amount":"0.000001"}`
  return post(host, apiKey, "/v1/token/mint", header, body)
}

async function run({ port, traffic, connections, customer, warmup_ms, until }: Order): Promise<LoadResult> {
  const next = requestOf[traffic]
  const expected = traffic.endsWith("async") ? "202" : "200"
  const host = `localhost:${port}`
  const times_ms: number[] = []
  const unexpected: Record<string, number> = {}
  const begin = performance.now() + warmup_ms
  const end = "measure_ms" in until ? begin + until.measure_ms : Number.POSITIVE_INFINITY
  const most = "requests" in until ? until.requests : Number.POSITIVE_INFINITY
  let sent = 0
  let cpu = process.cpuUsage()
  const timer = setTimeout(() => {
    cpu = process.cpuUsage()
  }, warmup_ms)

  const connection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", noDelay: true })
      let received = ""
      let sentAt = 0
      const send = () => {
        sentAt = performance.now()
        if (sentAt >= end || sent >= most) return socket.end()
        if (sentAt >= begin) sent++
        socket.write(next(host, customer))
      }
      socket.setEncoding("latin1")
      socket.on("connect", send)
      socket.on("data", (chunk: string) => {
        received = received === "" ? chunk : received + chunk
        if (!isComplete(received)) return
        const now = performance.now()
        if (sentAt >= begin) {
          times_ms.push(now - sentAt)
          const status = received.slice(9, 12)
          if (status !== expected) unexpected[status] = (unexpected[status] ?? 0) + 1
        }
        received = ""
        send()
      })
      socket.on("close", () => resolve())
      socket.on("error", reject)
    })
  await Promise.all(Array.from({ length: connections }, connection))
  clearTimeout(timer)
  const finished = performance.now()
  const { user, system } = process.cpuUsage(cpu)
  times_ms.sort((a, b) => a - b)
  const quantile = (q: number) => times_ms[Math.floor(q * (times_ms.length - 1))] ?? 0
  return {
    answers: times_ms.length,
    unexpected,
    seconds: (finished - begin) / 1000,
    p50_ms: quantile(0.5),
    p99_ms: quantile(0.99),
    cpu_seconds: (user + system) / 1e6,
  }
}

function isComplete(received: string): boolean {
  const head = received.indexOf("\r\n\r\n")
  if (head < 0) return false
  const length = /\r\ncontent-length: *([0-9]+)/i.exec(received)?.[1]
  if (length !== undefined) return received.length >= head + 4 + Number(length)
  return received.endsWith("\r\n0\r\n\r\n")
}

process.on("message", (order: Order) => {
  run(order).then(
    (outcome) => process.send?.(outcome),
    (error) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on("disconnect", () => process.exit())
