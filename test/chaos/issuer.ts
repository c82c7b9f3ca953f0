import { randomUUID } from "node:crypto"
import type { Response } from "../fixtures/http.ts"
import { assert } from "./assert.ts"
import type { Client } from "./client.ts"
import { until } from "./deployment.ts"
import { forAll, Queue } from "./queue.ts"
import type { Random } from "./random.ts"

/** Every new workspace has this token, with 6 decimals and no rule beyond verification. */
export const FUND = "us_real_estate_fund_v1"
const DECIMALS = 6

/** A mint, or a transfer if `from` is set, from the caller's point of view. */
export type Order = {
  from: string | null
  to: string
  baseUnits: number
  idempotencyKey: string
  /** Whether the caller polls the operation instead of waiting for the response. */
  follows: boolean
  /** The first acknowledgement. */
  acknowledged: Response | null
}

export type IssuerOptions = { client: Client; wallets: readonly string[]; total: number }

/** An impatient caller's timeout. The first attempt continues without it, and the second joins it. */
const IMPATIENT_MS = 150

/**
 * An issuer who mints to verified wallets and sometimes transfers part of it. Every order has its own Idempotency-Key,
 * and is repeated with it until the server acknowledges it.
 */
export class Issuer {
  readonly orders: readonly Order[]
  done = 0
  /** Orders acknowledged by 202. */
  followed = 0
  readonly #client: Client
  readonly #queue: Queue<Order[]>

  constructor({ client, wallets, total }: IssuerOptions) {
    this.#client = client
    const errands = Array.from({ length: total }, (_, n) => errand(n, wallets, client.random))
    this.orders = errands.flat()
    this.#queue = new Queue(client, errands)
  }

  /** Raises the number of mints that may start, in total. */
  release(upTo: number): void {
    this.#queue.release(upTo)
  }

  /** Resolves when every order is confirmed or the client is stopped. */
  run(): Promise<void> {
    const { random } = this.#client
    return this.#queue.run(async (orders) => {
      for (const order of orders) {
        const isImpatient = random.chance(0.2)
        const goesTwice = random.chance(0.1)
        const sendings = [send(this.#client, order, isImpatient ? IMPATIENT_MS : undefined)]
        if (goesTwice) sendings.push(send(this.#client, order))
        const [{ status }] = (await Promise.all(sendings)) as [Response]
        if (status === 202) this.followed++
        // The transfer needs these units, so the mint must be confirmed first.
        await confirmed(this.#client, order)
      }
      this.done++
    })
  }

  /** Waits until every acknowledged order is confirmed. */
  settle(): Promise<void> {
    const acknowledged = this.orders.filter((order) => order.acknowledged !== null)
    return forAll(this.#client, acknowledged, (order) => confirmed(this.#client, order))
  }
}

/** Mints the n-th odd number of base units, and may transfer part of it. */
function errand(n: number, wallets: readonly string[], random: Random): Order[] {
  const mint = order({
    from: null,
    to: random.pick(wallets),
    baseUnits: 2 * n + 1,
    follows: random.chance(0.2),
  })
  if (!random.chance(0.1)) return [mint]
  const others = wallets.filter((wallet) => wallet !== mint.to)
  const some = 1 + random.below(mint.baseUnits)
  return [mint, order({ from: mint.to, to: random.pick(others), baseUnits: some, follows: false })]
}

const order = (what: Pick<Order, "from" | "to" | "baseUnits" | "follows">): Order => ({
  ...what,
  idempotencyKey: `chaos-${randomUUID()}`,
  acknowledged: null,
})

/** Base units as a decimal string for a request: 7 becomes `0.000007`. */
export const toAmount = (baseUnits: number): string => {
  const digits = String(baseUnits).padStart(DECIMALS + 1, "0")
  return `${digits.slice(0, -DECIMALS)}.${digits.slice(-DECIMALS)}`
}

export const operationIdOf = ({ acknowledged }: Order): string => acknowledged!.json.operation_id as string

/** Sends or repeats an order. A repeat must return the same operation in an identical response. */
export async function send(client: Client, order: Order, patienceMs?: number): Promise<Response> {
  const { from, to, baseUnits, idempotencyKey, follows } = order
  const wallets = from === null ? { user_pubkey: to } : { from_pubkey: from, to_pubkey: to }
  const response = await client.insist(
    {
      method: "POST",
      path: from === null ? "/token/mint" : "/token/transfer",
      key: client.apiKey,
      idempotencyKey,
      ...(follows && { headers: { prefer: "respond-async" } }),
      json: { ...wallets, mint_config: FUND, amount: toAmount(baseUnits) },
    },
    { accepted: [200, 202], ...(patienceMs !== undefined && { patienceMs }) },
  )
  order.acknowledged ??= response
  assert(
    response.text === order.acknowledged.text,
    () => `${idempotencyKey} was answered ${order.acknowledged!.text} first and ${response.text} later`,
  )
  return response
}

async function confirmed(client: Client, order: Order): Promise<void> {
  if (order.acknowledged!.status === 200) return
  const id = operationIdOf(order)
  await until(`${id} to be confirmed`, async () => {
    const { json } = await client.read(`/token/operation/${id}`)
    assert(json.status !== "failed", () => `${id} failed: ${JSON.stringify(json.error)}`)
    return json.status === "confirmed"
  })
}
