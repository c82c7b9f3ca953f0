import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Webhook } from "standardwebhooks"
import type { Random } from "./random.ts"

type Event = { id: string; sequence: number; type: string }

/**
 * An unreliable consumer. It stores every event that it answers with 2xx, but sometimes it refuses new events, closes
 * the connection after storing one, or goes down.
 */
export class Receiver {
  /** The body of each stored event by sequence number, in the order of first arrival. */
  readonly kept = new Map<number, string>()
  repeats = 0
  /** Requests that none of its secrets signed. */
  forged = 0
  readonly name: string
  readonly #random: Random
  readonly #troubled: number
  readonly #seen = new Set<string>()
  #secret = ""
  #server: Server
  #port = 0

  constructor(name: string, { random, troubled }: { random: Random; troubled: number }) {
    this.name = name
    this.#random = random
    this.#troubled = troubled
    this.#server = this.#make()
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/${this.name}`
  }

  believe(secret: string): void {
    this.#secret = secret
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  /** Takes the consumer down for a while. */
  async away(ms: number): Promise<void> {
    await this.close()
    await sleep(ms)
    this.#server = this.#make()
    await this.open()
  }

  #make(): Server {
    return createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8")
        let event: Event
        try {
          event = new Webhook(this.#secret).verify(body, request.headers as Record<string, string>) as Event
        } catch {
          this.forged++
          return void response.writeHead(401).end()
        }
        const isNew = !this.#seen.has(event.id)
        this.#seen.add(event.id)
        const dice = this.#random.below(1000) / 1000
        if (isNew && dice < this.#troubled) return void response.writeHead(503).end()
        if (this.kept.has(event.sequence)) this.repeats++
        else this.kept.set(event.sequence, body)
        if (isNew && dice < 2 * this.#troubled) return void request.socket.destroy()
        response.writeHead(204).end()
      })
    })
  }
}
