import { grounds } from "#test/fixtures/grounds.ts"
import type { Client } from "./client.ts"
import type { Deployment } from "./deployment.ts"
import { until } from "./deployment.ts"
import { toAmount } from "./issuer.ts"
import { applyOpenFund, FUNDS } from "./open-fund.ts"
import { type Acknowledged, Orders } from "./orders.ts"
import { forAll, Queue } from "./queue.ts"
import type { Loss } from "./restore.ts"

/** Errors that an order may get while others act, or while the books are compared with the chain. */
const REFUSED = ["insufficient_balance", "amount_held", "wallet_frozen", "mint_paused", "hold_ended", "hold_not_found"]
/** The hash of a court order, 32 bytes in base64url. */
const DOCUMENT = Buffer.alloc(32, 7).toString("base64url")
/** More base units than the acts that are done again can take out of one wallet. */
const ENOUGH = 1000

/** How often each act happens. */
const shares = { mint: 34, transfer: 20, burn: 12, force: 10, hold: 11, release: 4, execute: 4, freeze: 5 }
type Act = keyof typeof shares
/** One of so many pieces of work changes the mode of the second token. */
const BETWEEN_MODES = 50

/** What the caller ordered, in base units. */
export type Ordered = Acknowledged & { fund: string; from: string | null; to: string | null; baseUnits: number }
/** A hold that was acknowledged, and the one act that ended or used it; null if none was sent. */
export type Held = Acknowledged & { fund: string; wallet: string; baseUnits: number; use: Use | null }
type Use = {
  kind: "released" | "executed" | "taken"
  asked: number
  acknowledged: number
  operation: string | null
}

export type ServicingOptions = {
  deployment: Deployment
  client: Client
  wallets: readonly string[]
  total: number
  losses: readonly Loss[]
}

/**
 * A transfer agent who mints, transfers, burns, forces transfers, holds, freezes and changes the mode of a token, all at once. Each hold is used by
 * at most one further order, so the caller alone can tell what it must hold in the end.
 */
export class Servicing {
  readonly ordered: Ordered[] = []
  readonly holds: Held[] = []
  readonly acts = new Map<Act | "mode", number>()
  done = 0
  readonly #options: ServicingOptions
  readonly #orders: Orders
  readonly #queue: Queue<() => Promise<void>>
  #mode: "agent" | "holder" = "holder"
  /** Holds that no order has used. */
  readonly #unused: Held[] = []

  constructor(options: ServicingOptions) {
    this.#options = options
    const { client, losses, total } = options
    this.#orders = new Orders({ client, losses, refused: REFUSED })
    this.#queue = new Queue(
      client,
      Array.from({ length: total }, (_, i) => (i % BETWEEN_MODES === 25 ? this.#changeMode : this.#errand())),
    )
  }

  get refusals(): ReadonlyMap<string, number> {
    return this.#orders.refusals
  }

  get wallets(): readonly string[] {
    return this.#options.wallets
  }

  /** Creates the token that holders can move, and gives every wallet units of both. */
  async begin(): Promise<void> {
    const { deployment } = this.#options
    const failure = await applyOpenFund(deployment, "holder")
    if (failure !== null) throw new Error(failure)
    await forAll(this.#options.client, this.wallets, async (wallet) => {
      for (const fund of FUNDS) await this.#mint(wallet, fund)
    })
  }

  release(upTo: number): void {
    this.#queue.release(upTo)
  }

  run(): Promise<void> {
    return this.#queue.run(async (errand) => {
      await errand()
      this.done++
    })
  }

  /**
   * Changes the mode of the second token. A command that a fault ended may have begun the change, and the server does
   * the rest.
   */
  readonly #changeMode = async (): Promise<void> => {
    this.#mode = this.#mode === "holder" ? "agent" : "holder"
    if ((await applyOpenFund(this.#options.deployment, this.#mode)) !== null) return
    this.acts.set("mode", (this.acts.get("mode") ?? 0) + 1)
  }

  /** Leaves the second token in the mode that was chosen last, with its holds where that mode keeps them. */
  async #settleMode(): Promise<void> {
    const { deployment } = this.#options
    await until("the mode to be set", async () => (await applyOpenFund(deployment, this.#mode)) === null, 120_000)
    const isSettled = () =>
      deployment.query(async (sql) => {
        const rows = await sql`
          select from mint_configs where aligned_up_to is not null or counted_up_to is not null
            or next_transfer_mode is not null
          union all select from operations
            where kind in ('align_account', 'align_pause', 'carry_hold') and status in ('queued', 'submitted')`
        return rows.length === 0
      })
    await until("holds and accounts to follow the mode", isSettled, 300_000)
  }

  /** Ends all freezes, and checks that every wallet gets units of every token again. */
  async settle(): Promise<void> {
    await this.#settleMode()
    await forAll(this.#options.client, this.wallets, async (user_pubkey) => {
      for (const mint_config of FUNDS) {
        await this.#orders.place("/token/unfreeze", { user_pubkey, mint_config, ...grounds })
        // While the books are compared with the chain, a token is paused for a moment. What an act takes that is done
        // again is in the wallet from then on.
        const give = () => this.#mint(user_pubkey, mint_config, ENOUGH)
        await until(`${user_pubkey} to get ${mint_config}`, give, 120_000)
      }
    })
  }

  readonly #errand = (): (() => Promise<void>) => {
    const { random } = this.#options.client
    const [wallet, other] = random.shuffle([...this.wallets]) as [string, string]
    const [act, fund] = [this.#pickAct(), random.pick(FUNDS)]
    const baseUnits = 1 + random.below(20)
    const acts: Record<Act, () => Promise<unknown>> = {
      mint: () => this.#mint(wallet, fund),
      transfer: () =>
        this.#move(
          "/token/transfer",
          { fund, from: wallet, to: other, baseUnits },
          { from_pubkey: wallet, to_pubkey: other },
        ),
      burn: () => this.#burn(wallet, fund, baseUnits),
      force: () => this.#force(wallet, other, fund, baseUnits),
      hold: () => this.#hold(wallet, fund, baseUnits),
      release: () => this.#release(),
      execute: () => this.#execute(other),
      freeze: () => this.#freeze(wallet, fund),
    }
    return async () => {
      await acts[act]()
      this.acts.set(act, (this.acts.get(act) ?? 0) + 1)
    }
  }

  #pickAct(): Act {
    const all = Object.entries(shares).flatMap(([act, share]) => Array<Act>(share).fill(act as Act))
    return this.#options.client.random.pick(all)
  }

  #mint(user_pubkey: string, fund: string, baseUnits = 1 + this.#options.client.random.below(50)): Promise<boolean> {
    return this.#move("/token/mint", { fund, from: null, to: user_pubkey, baseUnits }, { user_pubkey })
  }

  async #burn(wallet: string, fund: string, baseUnits: number): Promise<void> {
    const consents = this.#options.client.random.chance(0.5)
    const hold = this.#holdToTake(wallet, fund)
    const placed = await this.#move(
      "/token/burn",
      { fund, from: wallet, to: null, baseUnits },
      {
        ...{ user_pubkey: wallet, ...grounds, holder_consent: consents },
        ...(!consents && { document_sha256: DOCUMENT }),
        ...(hold !== null && { holds: [hold.id] }),
      },
      hold,
    )
    return void placed
  }

  async #force(from: string, to: string, fund: string, baseUnits: number): Promise<void> {
    const hold = this.#holdToTake(from, fund)
    await this.#move(
      "/token/force-transfer",
      { fund, from, to, baseUnits },
      {
        ...{ from_pubkey: from, to_pubkey: to, ...grounds, document_sha256: DOCUMENT },
        ...(hold !== null && { holds: [hold.id] }),
      },
      hold,
    )
  }

  /** Sends an order and waits for its end. Returns whether it was confirmed. */
  async #move(
    path: string,
    what: Pick<Ordered, "fund" | "from" | "to" | "baseUnits">,
    body: object,
    hold: Held | null = null,
  ): Promise<boolean> {
    const json = { mint_config: what.fund, amount: toAmount(what.baseUnits), ...body }
    const asked = Date.now()
    const placed = await this.#orders.place(path, json)
    // A refused order leaves the hold unchanged.
    if (hold !== null) hold.use = { kind: "taken", asked, acknowledged: Date.now(), operation: null }
    if (placed === null) return false
    const { acknowledged, response } = placed
    const one = { id: response.json.operation_id as string, asked, acknowledged, ...what }
    this.ordered.push(one)
    if (hold !== null) hold.use!.operation = one.id
    return (await this.#orders.ended(one)) === "confirmed"
  }

  async #hold(wallet: string, fund: string, baseUnits: number): Promise<void> {
    const body = { user_pubkey: wallet, mint_config: fund, amount: toAmount(baseUnits), ...grounds }
    const placed = await this.#orders.place("/token/holds", body)
    if (placed === null) return
    const { response, asked, acknowledged } = placed
    const held: Held = { id: response.json.hold_id, asked, acknowledged, fund, wallet, baseUnits, use: null }
    this.holds.push(held)
    if ((await this.#stateOf(held)) === "active") this.#unused.push(held)
  }

  /** The state in which a hold is no longer on its way. */
  #stateOf({ id }: Held): Promise<string> {
    const { client } = this.#options
    return until(
      `${id} to be placed`,
      async () => {
        const { status, json } = await client.insist(
          { method: "GET", path: `/token/hold/${id}`, key: client.apiKey },
          { accepted: [200, 404] },
        )
        if (status === 404) return "lost"
        return json.state !== "pending" && (json.state as string)
      },
      300_000,
    )
  }

  async #release(): Promise<void> {
    const hold = this.#unused.shift()
    if (hold === undefined) return
    const placed = await this.#orders.place(`/token/hold/${hold.id}/release`, {})
    // A refused release leaves the hold unchanged.
    if (placed === null) return
    const operation = placed.response.json.operation_id as string | null
    hold.use = { kind: "released", asked: placed.asked, acknowledged: Date.now(), operation }
    if (operation) await this.#orders.ended({ id: operation, ...placed })
  }

  async #execute(to: string): Promise<void> {
    const hold = this.#unused.shift()
    if (hold === undefined) return
    const asked = Date.now()
    const body = {
      to_pubkey: to === hold.wallet ? this.wallets.find((one) => one !== to) : to,
      document_sha256: DOCUMENT,
    }
    const placed = await this.#orders.place(`/token/hold/${hold.id}/execute`, body)
    hold.use = { kind: "executed", asked, acknowledged: Date.now(), operation: null }
    if (placed === null) return
    const { acknowledged, response } = placed
    const { fund, wallet: from, baseUnits } = hold
    const one = {
      id: response.json.operation_id as string,
      asked,
      acknowledged,
      fund,
      from,
      to: body.to_pubkey!,
      baseUnits,
    }
    this.ordered.push(one)
    hold.use.operation = one.id
    await this.#orders.ended(one)
  }

  /** A hold of this wallet for a forced act to take from, half of the time. */
  #holdToTake(wallet: string, fund: string): Held | null {
    const at = this.#unused.findIndex((one) => one.wallet === wallet && one.fund === fund)
    if (at < 0 || this.#options.client.random.chance(0.5)) return null
    return this.#unused.splice(at, 1)[0]!
  }

  async #freeze(user_pubkey: string, mint_config: string): Promise<void> {
    const body = { user_pubkey, mint_config, ...grounds }
    await this.#orders.place("/token/freeze", body)
    await this.#orders.place("/token/unfreeze", body)
  }
}
