import { randomUUID } from "node:crypto"
import type { Response } from "../fixtures/http.ts"
import { assert } from "./assert.ts"
import type { Client } from "./client.ts"
import { until } from "./deployment.ts"
import { type Loss, mayBeLost } from "./restore.ts"

/** An acknowledged request, by the id of the operation, hold or session that it started. */
export type Acknowledged = { id: string; asked: number; acknowledged: number }

/** Every status that an order may get. */
export const ANY = [200, 202, 403, 404, 409, 422]

export type OrdersOptions = {
  client: Client
  losses: readonly Loss[]
  /** Errors that an order may get while others act, too. */
  refused: readonly string[]
}

/** Requests that are repeated until they are acknowledged. */
export class Orders {
  readonly refusals = new Map<string, number>()
  readonly #options: OrdersOptions

  constructor(options: OrdersOptions) {
    this.#options = options
  }

  /** Repeats the request until it is acknowledged. Null if it is refused. */
  async place(path: string, json: object): Promise<{ response: Response; asked: number; acknowledged: number } | null> {
    const { client, refused } = this.#options
    const asked = Date.now()
    const response = await client.insist(
      {
        ...{ method: "POST", path, key: client.apiKey, json, idempotencyKey: `chaos-${randomUUID()}` },
        ...(client.random.chance(0.3) && { headers: { prefer: "respond-async" } }),
      },
      { accepted: ANY },
    )
    if (response.status < 400) return { response, asked, acknowledged: Date.now() }
    const { error } = response.json
    assert(refused.includes(error), () => `an order was refused: ${response.text}`)
    this.refusals.set(error, (this.refusals.get(error) ?? 0) + 1)
    return null
  }

  /** The status in which an operation ends. A restore may have lost it. */
  ended({ id, asked, acknowledged }: Acknowledged): Promise<string> {
    const { client, losses } = this.#options
    return until(
      `${id} to end`,
      async () => {
        const { status, json } = await client.insist(
          { method: "GET", path: `/token/operation/${id}`, key: client.apiKey },
          { accepted: [200, 404] },
        )
        if (status === 404) {
          assert(mayBeLost(losses, asked, acknowledged), () => `${id} was acknowledged, but is lost`)
          return "lost"
        }
        return ["confirmed", "failed"].includes(json.status) && (json.status as string)
      },
      300_000,
    )
  }
}
