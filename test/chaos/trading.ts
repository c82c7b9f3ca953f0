import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { Keypair } from "@solana/web3.js"
import type { Client } from "./client.ts"
import { approval } from "./customers.ts"
import { type Deployment, until } from "./deployment.ts"
import { toAmount } from "./issuer.ts"
import { applyOpenFund, FUNDS } from "./open-fund.ts"
import { type Acknowledged, ANY, Orders } from "./orders.ts"
import { forAll, Queue } from "./queue.ts"
import type { Loss } from "./restore.ts"

type TransferMode = "agent" | "holder"

const WALLETS = 12
/** Errors that an order may get while others revoke or the books are compared with the chain. */
const REFUSED = ["wallet_not_verified", "insufficient_balance", "mint_paused"]

export type TradingOptions = {
  deployment: Deployment
  client: Client
  total: number
  losses: readonly Loss[]
}

/**
 * An issuer and investors who do everything at once: mint, transfer, revoke, verify again, renew, and change a token's
 * mode. They rely only on what was acknowledged, and accept that a restore may lose what is not on chain.
 */
export class Trading {
  readonly wallets = Array.from({ length: WALLETS }, () => Keypair.generate().publicKey.toBase58())
  readonly orders: Acknowledged[] = []
  /** By attestation id. */
  readonly revocations: Acknowledged[] = []
  /** By session id. */
  readonly approvals: Acknowledged[] = []
  switches = 0
  done = 0
  readonly #options: TradingOptions
  readonly #queue: Queue<() => Promise<void>>
  readonly #orders: Orders

  constructor(options: TradingOptions) {
    this.#options = options
    const { client, total, losses } = options
    this.#orders = new Orders({ client, losses, refused: REFUSED })
    this.#queue = new Queue(client, Array.from({ length: total }, this.#errand))
  }

  /** Verifies the wallets and creates the token. */
  async begin(): Promise<void> {
    await this.switchTo("holder")
    await forAll(this.#options.client, this.wallets, (wallet) => this.#verified(wallet))
  }

  get refusals(): ReadonlyMap<string, number> {
    return this.#orders.refusals
  }

  release(upTo: number): void {
    this.#queue.release(upTo)
  }

  async run(): Promise<void> {
    let isOver = false
    const switching = this.#switchModes(() => isOver || this.#options.client.isStopped)
    try {
      await this.#queue.run(async (errand) => {
        await errand()
        this.done++
      })
    } finally {
      isOver = true
      await switching
    }
  }

  /** Checks that everything works again for every wallet. */
  async settle(): Promise<void> {
    await this.switchTo("holder")
    await forAll(this.#options.client, this.wallets, async (wallet) => {
      await this.#verified(wallet)
      // While the books are compared with the chain, a token is paused for a moment.
      for (const fund of FUNDS)
        await until(`${wallet} to get units of ${fund}`, () => this.#mint(wallet, fund), 120_000)
    })
  }

  readonly #errand = (): (() => Promise<void>) => {
    const { random } = this.#options.client
    const [wallet, other] = random.shuffle(this.wallets) as [string, string]
    const [dice, fund] = [random.below(100), random.pick(FUNDS)]
    if (dice < 50) return async () => void (await this.#mint(wallet, fund))
    if (dice < 75) return () => this.#transfer(wallet, other, fund)
    if (dice < 88) return () => this.#verify(wallet)
    return async () => {
      await this.#revoke(wallet)
      await this.#verify(wallet)
    }
  }

  async #mint(user_pubkey: string, mint_config: string): Promise<boolean> {
    const baseUnits = 1 + this.#options.client.random.below(50)
    return this.#order("/token/mint", { user_pubkey, mint_config, amount: toAmount(baseUnits) })
  }

  async #transfer(from_pubkey: string, to_pubkey: string, mint_config: string): Promise<void> {
    await this.#order("/token/transfer", { from_pubkey, to_pubkey, mint_config, amount: toAmount(1) })
  }

  /** Repeats the request until it is acknowledged and waits for its end. Returns whether it was confirmed. */
  async #order(path: string, json: object): Promise<boolean> {
    const placed = await this.#orders.place(path, json)
    if (placed === null) return false
    const one = this.#note(this.orders, placed.response.json.operation_id, placed.asked)
    return (await this.#orders.ended(one)) === "confirmed"
  }

  #note(list: Acknowledged[], id: string, asked: number): Acknowledged {
    const one = { id, asked, acknowledged: Date.now() }
    list.push(one)
    return one
  }

  async #revoke(wallet: string): Promise<void> {
    const { client } = this.#options
    const { attestation_id: id } = await this.#statusOf(wallet)
    if (id === undefined) return
    const asked = Date.now()
    const sent = { method: "POST", path: `/attestation/${id}/revoke`, key: client.apiKey }
    const { status, json } = await client.insist({ ...sent, json: { reason: "Chaos" } }, { accepted: ANY })
    // An attestation that a renewal has replaced is expired.
    if (status === 200 && json.status === "rejected") this.#note(this.revocations, id, asked)
  }

  /** Starts a verification, or a renewal, and approves it. A restore may lose it in between. */
  async #verify(wallet: string): Promise<void> {
    const { client, deployment } = this.#options
    const started = await client.insist({
      ...{ method: "POST", path: "/kyc/start", key: client.apiKey },
      json: { userPubkey: wallet, schemaId: "kyc_individual_v1" },
    })
    const { session_id } = started.json as { session_id: string }
    const asked = Date.now()
    const approved = approval(deployment.webhookSecret, session_id, `evt-${randomUUID()}`)
    const { status, json } = await client.insist(approved, { accepted: ANY })
    if (status === 200 && json.outcome === "applied") this.#note(this.approvals, session_id, asked)
  }

  /** Repeats until the wallet is verified: another request may revoke it, and a restore may lose it. */
  async #verified(wallet: string): Promise<void> {
    await until(
      `${wallet} to be verified`,
      async () => {
        if ((await this.#statusOf(wallet)).status === "verified") return true
        await this.#verify(wallet)
        const isVerified = async () => (await this.#statusOf(wallet)).status === "verified"
        return until("its credential", isVerified, 5000).catch(() => false)
      },
      300_000,
    )
  }

  async #statusOf(wallet: string): Promise<{ status?: string; attestation_id?: string }> {
    const { client } = this.#options
    const path = `/kyc/status/${wallet}`
    return (await client.insist({ method: "GET", path, key: client.apiKey }, { accepted: [200, 404] })).json
  }

  async #switchModes(isOver: () => boolean): Promise<void> {
    for (let n = 0; !isOver(); n++) {
      await sleep(2000)
      if (!isOver()) await this.#tryToSwitch(n % 2 === 0 ? "agent" : "holder")
    }
  }

  async switchTo(mode: TransferMode): Promise<void> {
    await until(`the mode ${mode}`, () => this.#tryToSwitch(mode), 300_000)
  }

  async #tryToSwitch(transfer_mode: TransferMode): Promise<boolean> {
    const isChanged = (await applyOpenFund(this.#options.deployment, transfer_mode)) === null
    if (isChanged) this.switches++
    return isChanged
  }
}
