import { setTimeout as sleep } from "node:timers/promises"
import { type Response, type Sent, send } from "../fixtures/http.ts"
import { newSeed, type Random, randomFrom } from "./random.ts"

/** A request that takes longer is aborted and sent again. */
const DEADLINE_MS = 40_000

export type ClientOptions = { origin: string; apiKey: string; random: Random }

/** A careful API client. It repeats a request after a timeout, a 5xx response, or "not yet". */
export class Client {
  readonly apiKey: string
  readonly random: Random
  /** The number of repeated requests, by reason. */
  readonly retries = new Map<string, number>()
  requests = 0
  readonly #origin: string
  readonly #stop = new AbortController()

  constructor({ origin, apiKey, random }: ClientOptions) {
    this.#origin = origin
    this.apiKey = apiKey
    this.random = random
  }

  get isStopped(): boolean {
    return this.#stop.signal.aborted
  }

  stop(): void {
    this.#stop.abort()
  }

  /** A GET, repeated until it is answered. */
  read = (path: string): Promise<Response> => this.insist({ method: "GET", path, key: this.apiKey })

  /**
   * Repeats a request until the status is below 500, with this timeout for the first attempt. Any other error is a
   * defect.
   */
  async insist(sent: Sent, { patienceMs = DEADLINE_MS, accepted = [200] } = {}): Promise<Response> {
    for (let deadlineMs = patienceMs; ; deadlineMs = DEADLINE_MS) {
      this.requests++
      const [response, trouble] = await attempt(this.#origin, sent, deadlineMs)
      if (response && accepted.includes(response.status)) return response
      if (response && response.status < 500 && response.json?.error !== "idempotency_in_progress") {
        throw new Error(`${sent.method} ${sent.path} answered ${response.status}: ${response.text}`)
      }
      this.retries.set(trouble, (this.retries.get(trouble) ?? 0) + 1)
      if (this.isStopped) throw new Error("stopped")
      await sleep(20 + this.random.below(200))
    }
  }
}

async function attempt(origin: string, sent: Sent, deadlineMs: number): Promise<[Response | null, string]> {
  const deadline = new AbortController()
  const late = sleep(deadlineMs, null, { signal: deadline.signal, ref: false }).catch(() => null)
  const sending = send(origin, sent)
  // The outcome of an aborted request is ignored.
  sending.catch(() => {})
  try {
    const response = await Promise.race([sending, late])
    if (response === null) return [null, deadlineMs < DEADLINE_MS ? "impatience" : "no answer"]
    return [response, `${response.status} ${response.json?.error ?? ""}`]
  } catch (error) {
    return [null, (error as NodeJS.ErrnoException).code ?? String(error)]
  } finally {
    deadline.abort()
  }
}

/** A client of a deployment, with its own random numbers. */
export const newClient = ({ origin }: { origin: string }, apiKey: string): Client =>
  new Client({ origin, apiKey, random: randomFrom(newSeed()) })
